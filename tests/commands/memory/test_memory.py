"""``assistant memory show``, as an operator calls it: what each model would receive now, and what is stored."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    CustomerMessage,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    Summary,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import snapshot_of
from assistant.store.sqlite.bundles import SqliteBundles
from assistant.store.sqlite.log import SqliteLog
from assistant.store.storage import StoredBundle

KEY = ConversationKey(tenant="demo", customer="demo", conversation="c-1")
LONG = [{"number": n, "amount": "10.00", "subject": "monthly contact lenses"} for n in range(100)]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command is called in an empty folder that has a log."""
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "DATA_DIR": str(tmp_path / "data"),
        "NOW": "2026-11-23T09:00:00+01:00",
        "MODEL": "offline",
    }.items():
        monkeypatch.setenv(f"ASSISTANT_{name}", value)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "data").mkdir()
    return tmp_path


def turn(number: int, *, value: Any = None, over: bool = True) -> Iterator[tuple[str, Entry]]:
    """A question about a sum, looked up where there is a value, and its answer."""
    id_, message = f"t{number}", f"u{number}"
    yield "", CustomerMessage(message_id=message, client_message_id=message, text=f"Question {number}?")
    yield id_, TurnStarted(turn_id=id_, message_id=message, cause="message", bundle="")
    if value is not None:
        call = Call(id="c1.1", tool="get_open_invoices", arguments={"days": number})
        outcome = CallSucceeded(call=call, value=value)
        yield id_, CallRequested(call=call)
        yield id_, CallStarted(call_id=call.id, tool=call.tool, idempotency_key=call.id)
        yield id_, CallEnded(outcome=outcome)
        yield id_, snapshot_of(outcome, KEY.conversation, id_)
    if over:
        yield id_, MessageOpened(message_id=f"a{number}", round=1, model_written=True)
        yield id_, MessageText(message_id=f"a{number}", text=f"Answer {number}.")
        yield id_, MessageClosed(message_id=f"a{number}", kind="response", call_ids=())
        yield id_, TurnEnded(turn_id=id_, how="answered")


async def keep(folder: Path, *turns: Iterator[tuple[str, Entry]], summary: Summary | None = None) -> None:
    entries = [each for one in turns for each in one]
    if summary is not None:
        entries.append(("", summary))
    log = SqliteLog(folder / "data" / "log.db")
    await log.append(KEY, [Logged(seq, seq, id_, entry) for seq, (id_, entry) in enumerate(entries, 1)])
    await log.close()


async def show(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["memory", "show", *words])


async def shown(*words: str) -> str:
    result = await show(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


async def data(*words: str) -> Any:
    return orjson.loads(await shown(*words, "--json"))


async def test_all_parts_of_a_request_are_shown_and_add_up(folder: Path) -> None:
    await keep(folder, turn(1, value=[{"amount": "3.00"}]), turn(2, value=LONG), turn(3))

    found = await data("last")

    decider, narrator = found["models"]["decider"], found["models"]["narrator"]
    for each in (decider, narrator):
        parts = (
            each["instructions"],
            each["earlier"],
            each["tools"],
            *(one["tokens"] for one in each["turns"]),
        )
        assert sum(parts) == each["used"] <= each["budget"]
        assert each["counter"] == "estimate"
    assert [one["calls"] for one in decider["turns"]] == [1, 1, 0, 0]
    assert [one["calls"] for one in narrator["turns"]] == [1, 1, 0, 0]
    assert [one["turn"] for one in decider["turns"]] == ["t1", "t2", "t3", "t4"]
    assert [one["complete"] for one in found["snapshots"]] == [True, False]
    assert found["snapshots"][1]["full_result_ref"] == "result:c-1/t2/c1.1"
    assert found["documents"] == {"kept": 0, "waiting": 2, "failed": 0}
    assert found["summariser"] is None


async def test_the_terminal_shows_the_turns_as_the_request_has_them(folder: Path) -> None:
    await keep(folder, turn(1, value=[{"amount": "3.00"}]), turn(2, value=LONG), turn(3))

    lines = (await shown("c-1")).splitlines()

    assert any(line.split()[1:] == ["t1", "1", "complete", '"Question', '1?"'] for line in lines)
    assert any(line.split()[1:] == ["t2", "1", "shortened", '"Question', '2?"'] for line in lines)
    assert any(line.split()[1:3] == ["t4", "next"] for line in lines)
    assert any(line.startswith("t2/c1.1  get_open_invoices  shortened  ") for line in lines)
    assert all(len(line) <= 120 for line in lines)
    assert lines[-1] == "Documents of this customer: 2 wait to be written"


async def test_summarised_and_omitted_turns_are_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = Summary(last_turn_id="t2", text="The customer asked for two sums.")
    await keep(folder, *(turn(number, value=LONG) for number in range(1, 9)), summary=summary)
    used = (await data("last"))["models"]["decider"]
    tight = used["used"] - used["turns"][0]["tokens"] // 2
    monkeypatch.setenv("ASSISTANT_CONTEXT_TOKENS", str(max(tight, 1_000)))

    found = await data("last")
    text = await shown("last")

    decider = found["models"]["decider"]
    assert decider["in_summary"] == ["t1", "t2"]
    assert decider["no_room"][0] == "t3"
    assert decider["earlier"] > 0
    assert decider["used"] <= decider["budget"] == tight
    assert "t1 to t2" in text
    assert "left out: no room" in text
    assert "Summary of all turns up to t2, by a rule\nThe customer asked for two sums." in text


async def test_the_running_turn_is_shown_with_its_complete_results(folder: Path) -> None:
    await keep(folder, turn(1), turn(2, value=LONG, over=False))

    lines = (await shown("last")).splitlines()

    assert any(line.split()[1:5] == ["t2", "now", "1", "in"] for line in lines)


async def test_the_exact_text_is_shown_on_demand(folder: Path) -> None:
    await keep(folder, turn(1, value=[{"amount": "3.00"}]))

    text = await shown("last", "--full")
    texts = (await data("last", "--full"))["texts"]

    assert '--- result of c1.1\n[{"amount":"3.00"}]\n--- assistant\nAnswer 1.\n' in text
    assert [one["from"] for one in texts["narrator"]][:3] == ["instructions", "customer", "call c1.1"]
    assert "texts" not in await data("last")


async def test_the_summary_models_next_input_is_shown_without_a_key(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(folder, turn(1, value=LONG))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("ASSISTANT_SUMMARY_MODEL", "openai/gpt-4o-mini")

    found = await data("last", "--full")

    assert found["summariser"]["model"] == "openai/gpt-4o-mini"
    assert found["summariser"]["counter"] == "o200k_base"
    assert found["summariser"]["next"] == "result"
    assert 0 < found["summariser"]["used"] < found["summariser"]["budget"]
    assert "Question 1?" in found["texts"]["summariser"][1]["text"]
    assert "Next it is given a result." in await shown("last")


async def test_the_log_of_an_older_release_is_shown_and_not_changed(folder: Path) -> None:
    await keep(folder, turn(1, value=LONG))
    file = folder / "data" / "log.db"
    with closing(sqlite3.connect(file)) as older, older:
        older.executescript("DROP TABLE writes; DELETE FROM schema WHERE number >= 4;")
        older.execute("DELETE FROM entries WHERE kind = 'snapshot'")
        older.execute("UPDATE entries SET checksum = NULL, seq = seq - 1 WHERE seq > 6")
        older.execute("UPDATE conversations SET reached = 0")

    found = await data("last")

    assert found["snapshots"][0]["complete"] is False
    assert found["documents"]["waiting"] == 0
    with closing(sqlite3.connect(file)) as same:
        assert same.execute("SELECT count(*) FROM sqlite_master WHERE name = 'writes'").fetchone() == (0,)


async def test_unusable_prompts_are_replaced_as_on_the_server(
    folder: Path,
) -> None:
    await keep(folder, turn(1))
    bundles = SqliteBundles(folder / "data" / "log.db")
    await bundles.keep(
        "demo", StoredBundle(bundle="", kept_ms=1, tools="", prompts={"models/decider.j2": "Only this."})
    )

    texts = (await data("last", "--full"))["texts"]

    assert "customer-service assistant" in texts["decider"][0]["text"]


async def test_an_unreachable_library_is_reported_and_the_rest_is_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await keep(folder, turn(1))
    monkeypatch.setenv("ASSISTANT_DOCUMENT_STORE", "nowhere")

    assert "Documents of this customer: not to be had: ASSISTANT_DOCUMENT_STORE" in await shown("last")


async def test_an_unknown_conversation_is_an_error_that_names_the_known_ones(folder: Path) -> None:
    await keep(folder, turn(1))

    result = await show("c-2")

    assert result.exit_code == 2
    assert "c-1" in result.output

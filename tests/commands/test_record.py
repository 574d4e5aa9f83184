"""``assistant record``, as an operator calls it, also while a server runs."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Identified, Logged
from assistant.replay.cassette_file import load
from assistant.store.sqlite.erasure_records import SqliteErasureRecords
from assistant.store.sqlite.log import SqliteLog
from tests.replay.recording.test_logs import KEY, asked, begins, ends, replied, said
from tests.replay.recording.test_logs import log as log_of

MORNING_MS = 1_767_268_800_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The command is called in an empty folder that has a log."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_TIME_ZONE", "Europe/Berlin")
    monkeypatch.setenv("COLUMNS", "300")
    (tmp_path / "data").mkdir()
    return tmp_path


async def kept(folder: Path, conversation: str, *entries: Logged, at_ms: int = 0) -> None:
    """A conversation in the log, so much later than noon."""
    log = SqliteLog(folder / "data" / "log.db")
    key = ConversationKey(tenant=KEY.tenant, customer=KEY.customer, conversation=conversation)
    later = [Logged(one.seq, one.at_ms + at_ms, one.turn_id, one.entry) for one in entries]
    await log.append(key, later)
    await log.close()


def a_conversation(
    text: str = "Hello, I am Ana Lindqvist", answer: str = "Hello, Ms Lindqvist."
) -> list[Logged]:
    return log_of(
        (0, Identified(level="verified")),
        (0, said(text)),
        (1, begins()),
        (2, asked()),
        (100, replied(answer)),
        (103, ends()),
    )


async def record(*words: str) -> Result:
    return await asyncio.to_thread(CliRunner().invoke, app, ["record", *words])


async def refused(*words: str) -> str:
    result = await record(*words)
    assert result.exit_code != 0
    return " ".join(result.output.replace("│", " ").split())


async def test_a_conversation_becomes_a_file(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation())

    result = await record("c-1")

    assert result.exit_code == 0, result.output
    assert "Recorded conversation c-1: 1 turn, 1 reply of a model, 0 calls." in result.stdout
    assert "Masked: 1 name. Read the file before you give it away." in result.stdout
    assert result.stdout.endswith(
        "Written to c-1.conversation.yaml. Next: assistant replay c-1.conversation.yaml\n"
    )
    text = (folder / "c-1.conversation.yaml").read_text()
    assert "Lindqvist" not in text
    assert "now: 2026-01-01 13:00:00+01:00" in text
    cassette = load(folder / "c-1.conversation.yaml").cassette
    assert cassette.frames[-1].frame["type"] == "turn.completed"
    assert "Lindqvist" not in result.output


async def test_the_path_of_a_recording_is_stored_so_that_it_can_be_erased(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation())
    await kept(folder, "c-2", *a_conversation())
    records = SqliteErasureRecords(folder / "data" / "log.db")

    for words in (
        ("c-1",),
        ("c-1", "-o", "mine.conversation.yaml"),
        ("c-1", "-o", "other.conversation.yaml"),
    ):
        await record(*words)
    await record("c-2", "-o", "other.conversation.yaml", "--force")

    names = [one.path.name for one in await records.recordings(KEY.tenant, KEY.customer)]
    assert names == ["c-1.conversation.yaml", "mine.conversation.yaml", "other.conversation.yaml"]
    assert await records.recordings(KEY.tenant, "another") == []


async def test_last_and_the_beginning_of_an_id_select_a_conversation(folder: Path) -> None:
    await kept(folder, "web-1", *a_conversation("Hello there"), at_ms=5000)
    await kept(folder, "terminal-2", *a_conversation("Good day"))

    await record("last", "-o", "one.conversation.yaml")
    await record("term", "-o", "other.conversation.yaml")

    assert load(folder / "one.conversation.yaml").cassette.turns[0].customer == "Hello there"
    assert load(folder / "other.conversation.yaml").cassette.turns[0].customer == "Good day"


async def test_an_id_that_begins_another_id_selects_itself(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation("Hello there"))
    await kept(folder, "c-10", *a_conversation("Good day"))

    await record("c-1")

    assert load(folder / "c-1.conversation.yaml").cassette.turns[0].customer == "Hello there"


async def test_the_conversations_are_listed_if_none_or_several_match(folder: Path) -> None:
    for number in range(12):
        await kept(folder, f"c-{number:02}", *a_conversation(), at_ms=number * 60_000)

    assert "there is none that begins with 'x'; there are: c-11 (2026-01-01 12:11 UTC)" in await refused("x")
    assert "and 2 older ones" in await refused("x")
    assert "2 begin with 'c-1'; there are: c-11 (2026-01-01 12:11 UTC) c-10" in await refused("c-1")


async def test_an_empty_log_and_a_missing_one_are_distinguished(folder: Path) -> None:
    assert "cannot be read" in str((await record("last")).exception)
    await SqliteLog(folder / "data" / "log.db").close()

    assert "there are none in" in await refused("last")


async def test_an_existing_file_is_overwritten_only_with_force(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation())
    (folder / "c-1.conversation.yaml").write_text("mine")

    assert "c-1.conversation.yaml is there already; --force writes over it" in await refused("c-1")
    assert (folder / "c-1.conversation.yaml").read_text() == "mine"
    assert (await record("c-1", "--force")).exit_code == 0
    assert (folder / "c-1.conversation.yaml").read_text() != "mine"


async def test_a_file_that_replay_would_not_find_is_refused(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation())

    assert "one.yaml should end in .conversation.yaml" in await refused("c-1", "-o", "one.yaml")
    assert "there is no folder nowhere" in await refused("c-1", "-o", "nowhere/one.conversation.yaml")


async def test_an_unmasked_recording_causes_a_warning(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation())

    result = await record("c-1", "--no-mask")

    assert "Not masked: the file contains the names and words" in result.stderr
    assert "Lindqvist" in (folder / "c-1.conversation.yaml").read_text()


async def test_words_are_kept_and_masked_on_request(folder: Path) -> None:
    await kept(folder, "c-1", *a_conversation("Lindqvist speaking, of Umbrella, code 4711"))

    result = await record("c-1", "--keep", "lindqvist", "--mask", "Umbrella", "--mask", "4711=phone")

    assert "1 phone number, 1 word of yours" in result.stdout
    text = (folder / "c-1.conversation.yaml").read_text()
    assert "Lindqvist speaking" in text
    assert "Umbrella" not in text
    assert "4711" not in text
    assert "'tea' is no kind; there are name, email" in await refused(
        "c-1", "--force", "--mask", "Umbrella=tea"
    )


async def test_a_recording_that_replays_differently_is_written_with_a_notice(folder: Path) -> None:
    entries = a_conversation(answer="Hello.")
    told = log_of(
        *((one.at_ms - MORNING_MS, one.entry) for one in entries),
        (200, CustomerMessage(message_id="u2", client_message_id="m2", text="Are you there?")),
    )
    await kept(folder, "c-1", *told)

    result = await record("c-1")

    assert result.exit_code == 0, result.output
    assert "goes otherwise than it did: " in result.stdout
    assert (folder / "c-1.conversation.yaml").exists()


async def test_a_recording_with_a_missing_tool_has_no_frames(folder: Path) -> None:
    from assistant.conversation.entries import CallStarted

    entries = a_conversation()
    started = Logged(
        len(entries) + 1,
        MORNING_MS + 200,
        "t1",
        CallStarted(call_id="c1.1", tool="gone", idempotency_key="k"),
    )
    await kept(folder, "c-1", *entries, started)

    result = await record("c-1")

    assert "'gone' is not a tool of the tools' folder" in result.stdout
    assert "So it was not replayed, and the file has no frames." in result.stdout
    assert "Left out: gone: its end is not in the log." in result.stdout
    assert load(folder / "c-1.conversation.yaml").cassette.frames == ()

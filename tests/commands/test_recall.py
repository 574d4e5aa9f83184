"""``assistant recall``, as an operator calls it while a server runs."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from assistant.cli import app
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged
from assistant.conversation.snapshots import without_words
from assistant.errors import DeclarationError
from assistant.replay.cassette_file import load
from assistant.replay.player.environment import environment_of
from assistant.replay.player.play import replay
from assistant.settings import Settings
from assistant.store.sqlite.log import SqliteLog
from tests.docs.pages import page
from tests.support.cassettes import CASSETTES

ROOT = Path(__file__).parents[2]
YES = "yes please, go ahead"
CASSETTE = CASSETTES["question_and_cancellation_yes_by_text"]


@pytest.fixture(scope="module")
def entries() -> Sequence[Logged]:
    """A customer cancels an appointment, and agrees in their own words. It was on November 23."""
    environment = environment_of(Settings(tools_dir=ROOT / "tools", prompts_dir=ROOT / "prompts"))
    return replay(load(CASSETTE).cassette, environment).entries


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "ASSISTANT_DATA_DIR": str(tmp_path / "data"),
        "ASSISTANT_TOOLS_DIR": str(ROOT / "tools"),
        "ASSISTANT_PROMPTS_DIR": str(ROOT / "prompts"),
        "ASSISTANT_NOW": "2026-11-25T10:00",
        "ASSISTANT_TIME_ZONE": "Europe/Berlin",
        "COLUMNS": "200",
    }.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def recall(*words: str) -> Result:
    return CliRunner().invoke(app, ["recall", *words])


def keep(folder: Path, customer: str, entries: Sequence[Logged]) -> None:
    """The log of a server that ran."""
    asyncio.run(_keep(folder / "data", customer, entries))


async def _keep(data: Path, customer: str, entries: Sequence[Logged]) -> None:
    log = SqliteLog(data / "log.db")
    key = ConversationKey(tenant="demo", customer=customer, conversation=f"06h-{customer}")
    await log.append(key, entries)
    await log.close()


def answering(entries: Sequence[Logged], text: str) -> list[Logged]:
    """The same, but the customer answered otherwise, and it was taken for a yes."""
    return [
        replace(one, entry=replace(one.entry, text=text))
        if isinstance(one.entry, CustomerMessage) and one.entry.text == YES
        else one
        for one in entries
    ]


def test_nothing_is_found_if_todays_rules_were_kept(folder: Path, entries: Sequence[Logged]) -> None:
    keep(folder, "ana", entries)

    result = recall("--since", "30d")

    assert result.exit_code == 0, result.output
    assert result.output.startswith(
        "Checked with today's rules: 1 conversation, 2 turns, 1 answer to a question, 1 write, 2 replies"
    )
    assert "Customers to contact" not in result.output


def test_the_guide_shows_what_is_printed(folder: Path, entries: Sequence[Logged]) -> None:
    keep(folder, "ana", entries)
    keep(folder, "bo", answering(entries, "hold on, not yet"))

    result = recall("--since", "30d")

    assert result.exit_code == 1
    (shown,) = [block for block in page("docs/guides/recall.md").blocks("") if "Checked with" in block]
    assert result.output == shown.removeprefix("$ assistant recall --since 30d\n")


def test_the_file_has_all_findings_and_only_its_owner_can_read_it(
    folder: Path, entries: Sequence[Logged]
) -> None:
    keep(folder, "bo", answering(entries, "hold on, not yet"))

    recall("--json", "found.json")

    file = folder / "found.json"
    written = orjson.loads(file.read_bytes())
    assert file.stat().st_mode & 0o077 == 0
    assert written["customers"] == [{"tenant": "demo", "customer": "bo", "findings": 1}]
    (finding,) = written["findings"]
    assert (finding["kind"], finding["said"], finding["outcome"]) == ("not_agreed", "hold on, not yet", "ok")
    assert finding["call"]["arguments"] == {"day": "2026-11-24"}


def test_the_log_is_only_read_while_a_server_uses_it(folder: Path, entries: Sequence[Logged]) -> None:
    keep(folder, "bo", answering(entries, "hold on, not yet"))
    server = SqliteLog(folder / "data" / "log.db")
    before = (folder / "data" / "log.db").read_bytes()

    assert recall().exit_code == 1

    assert (folder / "data" / "log.db").read_bytes() == before
    assert (
        sorted(path.name for path in (folder / "data").iterdir() if not path.name.startswith("log.db")) == []
    )
    asyncio.run(server.close())


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        (("--since", "2026-11-23"), 2),
        (("--since", "2026-11-24"), 0),
        (("--since", "1d"), 0),
        (("--until", "2026-11-23"), 0),
        (("--until", "2026-11-24", "--since", "2026-11-01"), 2),
        (("--conversation", "06h-a"), 2),
    ],
)
def test_only_the_turns_of_the_period_are_checked(
    folder: Path, entries: Sequence[Logged], words: Sequence[str], turns: int
) -> None:
    keep(folder, "ana", entries)

    assert f", {turns} turns," in recall(*words).output


def test_missing_data_is_counted(folder: Path, entries: Sequence[Logged]) -> None:
    thinned = [replace(one, entry=without_words("06h-ana", one.turn_id, one.entry)) for one in entries]
    keep(folder, "ana", thinned)

    output = recall().output

    assert "     2  replies no longer kept, or lost in a crash: only what was shown" in output
    assert "     2  turns whose prompts are no longer kept" in output


def test_a_conversation_that_cannot_be_checked_is_reported(folder: Path, entries: Sequence[Logged]) -> None:
    orphan = [one for one in entries if not isinstance(one.entry, CustomerMessage)]
    numbered = [replace(one, seq=seq) for seq, one in enumerate(orphan, start=1)]
    keep(folder, "cy", numbered)

    result = recall()

    assert result.exit_code == 2
    assert "  conversation 06h-cy could not be checked to its end: KeyError" in result.output


@pytest.mark.parametrize("words", [("--since", "soon"), ("--conversation", "nowhere")])
def test_an_unreadable_log_is_refused(folder: Path, entries: Sequence[Logged], words: Sequence[str]) -> None:
    keep(folder, "ana", entries)

    assert recall(*words).exit_code == 2


@pytest.mark.slow
def test_wrong_tools_are_reported_before_processes_start(
    folder: Path, entries: Sequence[Logged], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        keep(folder, f"customer-{number}", entries)
    (folder / "mine").mkdir()
    (folder / "mine" / "broken.py").write_text("import nowhere_to_be_found\n")
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(folder / "mine"))

    result = recall("--processes", "2")

    assert isinstance(result.exception, DeclarationError)
    assert "nowhere_to_be_found" in str(result.exception)


@pytest.mark.slow
def test_several_processes_find_the_same(folder: Path, entries: Sequence[Logged]) -> None:
    for number in range(30):
        said = "hold on, not yet" if number % 7 == 0 else YES
        keep(folder, f"customer-{number}", answering(entries, said))

    alone, together = recall("--processes", "1"), recall("--processes", "2")

    assert alone.output == together.output
    assert alone.output.count("conversation 06h-customer-") == 5

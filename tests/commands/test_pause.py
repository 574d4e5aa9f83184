"""``assistant pause``, ``resume`` and ``pauses``: the same pauses as the console's, from a terminal."""

import asyncio
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.clock import SystemClock
from assistant.ids import SystemIds
from assistant.staff.audit import AuditRecord
from assistant.staff.launch import LaunchRefused
from assistant.staff.pauses import PauseRefused
from assistant.store.sqlite.storage import open_sqlite_storage


@pytest.fixture
def data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


def told(*words: str) -> str:
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def records(data: Path) -> list[AuditRecord]:
    async def read() -> list[AuditRecord]:
        async with open_sqlite_storage(data, SystemClock(), SystemIds(), exclusive=False) as storage:
            return await storage.audit.list_records("demo", before=None, limit=9)

    return asyncio.run(read())[::-1]


def test_the_assistant_is_paused_and_resumed(data: Path) -> None:
    assert told("pauses") == "nothing is paused\n"

    assert told("pause", "--why", "wrong prices") == (
        "the assistant is paused; every server obeys within two seconds. To go on: assistant resume\n"
    )
    assert told("pause") == "the assistant is paused already; see: assistant pauses\n"
    heading, row = told("pauses").splitlines()
    assert heading.split() == ["paused", "since", "by", "why"]
    assert row.startswith("the assistant")
    assert row.rstrip().endswith("command line  wrong prices")

    assert told("resume") == "the assistant goes on\n"
    assert told("resume") == "the assistant is not paused; see: assistant pauses\n"
    assert [(one.login, one.action, one.kind, one.detail, one.outcome) for one in records(data)] == [
        ("command line", "assistant.pause", "assistant", "wrong prices", "ok"),
        ("command line", "assistant.pause", "assistant", "", "ok"),
        ("command line", "assistant.resume", "assistant", "", "ok"),
        ("command line", "assistant.resume", "assistant", "", "ok"),
    ]


def test_a_tool_is_paused_by_its_name(data: Path) -> None:
    told("pause", "tool", "cancel_order")

    assert "tool cancel_order" in told("pauses")
    assert told("resume", "tool", "cancel_order") == "tool cancel_order goes on\n"
    assert [one.object for one in records(data)] == ["cancel_order", "cancel_order"]


def test_a_name_that_does_not_exist_is_refused(data: Path) -> None:
    del data
    with pytest.raises(PauseRefused, match="there is no tool 'cancel_ordr'; there are book_appointment, "):
        told("pause", "tool", "cancel_ordr")
    with pytest.raises(PauseRefused, match="there is no channel 'fax'; there are chat, phone, voice"):
        told("pause", "channel", "fax")
    with pytest.raises(PauseRefused, match="the whole assistant has no name; leave 'robin' out"):
        told("pause", "assistant", "robin")
    assert told("pauses") == "nothing is paused\n"


def test_a_tool_of_another_server_is_paused_unchecked(data: Path) -> None:
    del data
    told("pause", "tool", "crm.delete", "--unchecked")

    assert "tool crm.delete" in told("pauses")


def test_a_launch_mode_is_chosen_shown_and_ended(data: Path) -> None:
    assert told("launch") == "usual: the assistant answers\n"

    chosen = told("launch", "shadow", "--percent", "20", "--locale", "de", "--why", "first week")
    words = "shadow: answers are written for colleagues and not sent, for 20 % of the customers, in de"
    assert chosen == f"{words}; every server obeys within two seconds\n"
    assert told("launch") == f"{words} (by command line: first week)\n"
    assert told("pauses") == "nothing is paused\n"

    approval = "approval: a colleague approves each reply within 60 seconds, who are verified or signed_in"
    options = ("--wait", "60", "--level", "signed_in", "--level", "verified")
    assert told("launch", "approval", *options).startswith(approval.partition(",")[0])
    assert told("launch") == f"{approval} (by command line)\n"

    told("launch", "usual")
    assert told("launch") == "usual: the assistant answers\n"
    assert [(one.action, one.detail) for one in records(data)] == [
        ("assistant.launch", "shadow percent=20 levels= locales=de wait=120 (first week)"),
        ("assistant.launch", "approval percent=100 levels=verified,signed_in locales= wait=60"),
        ("assistant.launch", "usual percent=100 levels= locales= wait=120"),
    ]


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (("shadw",), "mode: 'shadw' is none of usual, shadow, approval"),
        (("shadow", "--percent", "120"), "percent: 120 is not from 0 to 100"),
        (("usual", "--level", "vip"), "level: 'vip' is none of anonymous, verified, signed_in"),
        (("usual", "--locale", "d3"), "locale: 'd3' is not a language such as en or pt-BR"),
        (("approval", "--wait", "1"), "wait: 1 seconds is not from 10 to 3600"),
    ],
)
def test_a_launch_mode_that_does_not_exist_is_refused(
    data: Path, words: tuple[str, ...], refused: str
) -> None:
    with pytest.raises(LaunchRefused, match=refused):
        told("launch", *words)

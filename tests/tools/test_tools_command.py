"""``assistant tools``, as a CRM team meets it in a terminal."""

import re
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner, Result

from assistant.commands.project.tools import app
from assistant.errors import DeclarationError
from tests.tools.conftest import Folder

TOOLS = '''
import asyncio
from assistant import Customer, ToolContext, ToolError, tool


@tool(waiting_hint="counting your points", narration="You have {{ value.points }} points.")
def count_points(customer: Customer) -> dict[str, object]:
    """Count points.

    In more words.
    """
    return {"points": 7, "for": customer.id}


@tool(waiting_hint="")
def say_nothing() -> list[int]:
    """Say nothing."""
    return []


@tool(waiting_hint="spending your points", effect="write", confirm="spend {{ arguments.number }} points")
def spend(context: ToolContext, number: int = 1) -> str:
    """Spend points.

    Args:
        number: how many.
    """
    return context.key


def _impossible(number: int) -> str:
    raise ToolError("your account is closed")


@tool(waiting_hint="undoing it", effect="write", confirm=_impossible)
def undo(number: int = 1) -> None:
    """Undo it.

    Args:
        number: how many.
    """


@tool(waiting_hint="waiting", timeout_s=0.01)
async def wait() -> None:
    """Wait."""
    await asyncio.Event().wait()
'''

Assistant = Callable[..., Result]


@pytest.fixture
def assistant(folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Assistant:
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(folder(points=TOOLS)))
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    return lambda *words: CliRunner().invoke(app, words)


def test_list_shows_each_tool_with_its_place(assistant: Assistant) -> None:
    shown = assistant("list").stdout

    assert "count_points  (read, " in shown
    assert "points.py:6)\n    Count points.\n" in shown
    assert "In more words" not in shown


def test_check_shows_what_customers_hear_for_one_hint_and_for_several(assistant: Assistant) -> None:
    told = re.sub(r"^warning: .*points.py:44: ", "warning: ", assistant("check").stdout, flags=re.MULTILINE)

    assert told.splitlines() == [
        "count_points  (counting your points)",
        "    Sure, I'll count your points.",
        "    All right, I'll count your points and spend your points.",
        "spend  (spending your points)",
        "    All right, I'll spend your points.",
        "    All right, I'll spend your points and undo it.",
        "undo  (undoing it)",
        "    All right, I'll undo it.",
        "    All right, I'll undo it and wait.",
        "wait  (waiting)",
        "    Sure, I'll wait.",
        "    Sure, I'll wait and count your points.",
        "all of them",
        "    All right, I'll count your points, spend your points and take care of two more things.",
        "say_nothing  has no English texts",
        "warning: tool 'wait': waiting_hint 'waiting': customers will hear \"Sure, I'll wait.\" If that sounds"
        " right, leave it; otherwise: 'wait' is doubtful: it asks the customer for something; say what is"
        " being done",
        "5 tools, no mistakes, 1 warning.",
    ]


def test_check_of_a_single_tool_has_nothing_to_combine(assistant: Assistant, folder: Folder) -> None:
    folder(points=TOOLS.partition('\n\n\n@tool(waiting_hint="")')[0])

    told = re.sub(r"^warning: .*points.py:44: ", "warning: ", assistant("check").stdout, flags=re.MULTILINE)

    assert told.splitlines() == [
        "count_points  (counting your points)",
        "    Sure, I'll count your points.",
        "1 tools, no mistakes.",
    ]


def test_check_refuses_mistakes(assistant: Assistant, folder: Folder) -> None:
    folder(
        wrong='from assistant import tool\n@tool(waiting_hint="Wait.")\ndef wait() -> None:\n    "Wait."\n'
    )

    assert isinstance(assistant("check").exception, DeclarationError)


def test_call_prints_the_result_as_json_and_the_told_text_separately(assistant: Assistant) -> None:
    called = assistant("call", "count_points", "--customer", "bo")

    assert called.exit_code == 0
    assert orjson.loads(called.stdout) == {"points": 7, "for": "bo"}
    assert called.stderr == "told: You have 7 points.\n"


FETCH = '''
from assistant import Media, ToolResult, tool


@tool(waiting_hint="fetching it")
def fetch() -> ToolResult[int]:
    """Fetch it."""
    empty = Media(mime="image/png", data="", name="empty.png")
    return ToolResult(7, (Media.of(b"%PDF-1.7", name="bill.pdf"), Media.of(b"a;b", mime="text/csv"), empty))
'''


def test_call_prints_media_and_other_parts_of_the_result(assistant: Assistant, folder: Folder) -> None:
    folder(points=FETCH)

    called = assistant("call", "fetch")

    assert called.stdout == "7\n"
    assert called.stderr.splitlines()[-3:] == [
        "with it: bill.pdf, application/pdf, 8 bytes",
        "with it: no name, text/csv, 3 bytes",
        "left out: empty.png: there is nothing in it",
    ]


def test_call_of_a_write_prints_the_question(assistant: Assistant) -> None:
    first, second = (assistant("call", "spend", "--json", '{"number": 3}') for _ in range(2))

    assert first.stderr == "asked first: spend 3 points\n"
    assert first.stdout != second.stdout


WHO = """
from assistant import Customer, tool


@tool(waiting_hint="", requires="signed_in")
def for_the_signed_in(customer: Customer) -> str:
    \"\"\"Tell.\"\"\"
    return customer.level


@tool(waiting_hint="", identifies=True)
def find_out(customer: Customer, pin: str) -> Customer | None:
    \"\"\"Find out who it is.

    Args:
        pin: theirs.
    \"\"\"
    return Customer(tenant="t", id=customer.level, level="verified")
"""


def test_call_tries_every_tool_with_any_level_of_identification(assistant: Assistant, folder: Folder) -> None:
    folder(who=WHO)

    assert assistant("call", "for_the_signed_in").stdout == '"signed_in"\n'
    assert assistant("call", "find_out", "--json", '{"pin": "1"}').exit_code == 0


def test_call_prints_an_empty_result_too(assistant: Assistant) -> None:
    called = assistant("call", "say_nothing")

    assert (called.exit_code, called.stdout) == (0, "[]\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("spend", "--json", '{"number": "many"}'), "number does not fit"),
        (("nope",), "There is no tool 'nope'. Available: count_points"),
        (("undo",), "failed: your account is closed"),
        (("wait",), "timed_out: no result after 0.01 s"),
    ],
)
def test_call_exits_with_1_if_there_is_no_result(
    assistant: Assistant, words: tuple[str, ...], told: str
) -> None:
    called = assistant("call", *words)

    assert called.exit_code == 1
    assert called.stdout == ""
    assert told in called.stderr


@pytest.mark.parametrize("text", ["{", "[1]", "3"])
def test_call_accepts_only_a_json_object(assistant: Assistant, text: str) -> None:
    called = assistant("call", "spend", "--json", text)

    assert called.exit_code == 2
    assert "is no JSON" in called.stderr

"""The guide for CRM teams: its tools load and run, its tables are right, and calls behave as it says."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import cast

import pytest
import structlog
from typer.testing import CliRunner

from assistant.cli import app
from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallStatus,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
)
from assistant.errors import ToolError
from assistant.formats.tools import result_text
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.replay.dsl import Conversation
from assistant.replay.player.environment import environment_with
from assistant.resilience import CircuitBreaker
from assistant.sessions.tool_tasks import MAX_TRIES
from assistant.testing.fake_tool import fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools import concurrency, options, reconcile
from assistant.tools.decorator import tool
from assistant.tools.discovery import discover
from assistant.tools.execute import prepare
from assistant.tools.hints import doubts_in
from assistant.tools.options import FILTERS, OPTION_NAMES, Options
from assistant.tools.outcomes import LARGE_BYTES
from assistant.tools.tool import MOST_RESULT_BYTES, ToolContext, to_json
from assistant.turn.context import Limits
from tests.docs.pages import page
from tests.docs.recipes import DEMO, VISITOR
from tests.support.rows import check_rows

PAGE = page("docs/guides/tools.md")
POINTS, VOUCHERS, APPROVED, TESTS = PAGE.blocks("python")
PROSE = " ".join(PAGE.prose.split())


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head; what is marked as code is given as it is."""
    section = PAGE.text.partition(f" {heading}\n")[2]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table
    lines = [line.strip("|") for line in table[0].splitlines()[2:]]
    return [[cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)] for line in lines]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The guide's tools in a folder."""
    (tmp_path / "points.py").write_text(POINTS, encoding="utf-8")
    (tmp_path / "vouchers.py").write_text(VOUCHERS, encoding="utf-8")
    return tmp_path


def test_the_guides_tool_that_a_colleague_approves_loads(tmp_path: Path) -> None:
    imports = "from decimal import Decimal\nfrom assistant import Customer, tool\nRefund = dict[str, str]\n"
    (tmp_path / "refund.py").write_text(imports + APPROVED, encoding="utf-8")

    assert "refund_order" in discover(tmp_path)


async def test_the_guides_tools_load_and_run(folder: Path) -> None:
    tools = discover(folder)
    context = ToolContext(key="key-1", call_id="c1.1", now=VirtualClock().now(), log=structlog.get_logger())
    ana = Customer(tenant="shop", id="ana", level="signed_in")

    points = await tools.get("count_points").run({}, customer=DEMO, context=context)
    assert points.value == {"points": 120}
    send, day = tools.get("send_voucher"), {"day": str(date(2026, 11, 24))}
    assert (
        await send.read_back(day, customer=ana, book=shipped_book())
        == "send you a voucher of 20 euros on Tuesday, November 24"
    )
    sent = [await send.run(day, customer=ana, context=context) for _ in range(2)]
    assert [one.value for one in sent] == ["voucher for ana on 2026-11-24"] * 2


@check_rows(
    ("name", "default"), [(name, getattr(Options(), name)) for name in OPTION_NAMES if name != "waiting_hint"]
)
def test_each_option_is_in_the_table_with_default_and_paragraph(name: str, default: object) -> None:
    shown = {row[0]: row[1] for row in rows("The options")}

    assert set(shown) == set(OPTION_NAMES)
    said = shown[name] in {"derived", "by its parameters"} and default is None
    assert said or shown[name].replace('"', "'") == repr(default)
    assert re.search(rf"^\*\*`{name}[`=]", PAGE.text, re.MULTILINE)


@check_rows(
    ("hint", "judged", "cure"),
    [(row[0], row[1], row[3]) for row in rows("What the customer hears while it runs")],
)
def test_a_hint_is_judged_as_shown(hint: str, judged: str, cure: str) -> None:
    def found(words: str) -> tuple[int, int]:
        @tool(waiting_hint=words)
        def find() -> None:
            """Find it."""

        return len(find.mistakes), len(doubts_in(find.spec.hints))

    assert found(hint) == {"refused": (1, 0), "warned of": (0, 1)}[judged]
    assert cure.startswith("leave it") or found(cure) == (0, 0)


@check_rows(("given", "kept"), [row for row in rows("Results") if "as it is" not in row[1]])
def test_a_result_is_stored_as_shown(given: str, kept: str) -> None:
    value: object = eval(given, {"Decimal": Decimal, "date": date, "timedelta": timedelta})  # noqa: S307 - the page's own

    shown = kept.partition("`")[0].replace("null", "None")
    assert to_json(value) == ast.literal_eval(shown)


@check_rows("name", FILTERS)
def test_every_filter_of_a_narration_is_named(name: str) -> None:
    assert re.search(rf"`{name}[`(]", PAGE.prose)


def test_all_parts_of_an_error_are_described() -> None:
    assert set(inspect.signature(ToolError).parameters) - set(re.findall(r"`(\w+)=", PAGE.prose)) == {"say"}


COUNT = Call(id="c1.1", tool="count_points")
SEND = Call(id="c1.1", tool="send_voucher")
SPECS = {
    "count_points": fake_spec("count_points", "counting your points", "count your points"),
    "send_voucher": fake_spec("send_voucher", "sending your voucher", "send your voucher", effect="write"),
}


def told(standing: CallStatus) -> str:
    return Narration(shipped_book()).narrate_outcomes([standing], SPECS)


def outcomes(folder: Path) -> Iterator[Outcome]:
    clause = "I can't find a bonus account for you"
    yield CallSucceeded(call=COUNT, value=120)
    yield CallEmpty(call=COUNT, value=[])
    yield CallFailed(call=COUNT, say=clause, for_model=clause)
    yield CallTimedOut(call=COUNT, after_s=10)
    yield CallCancelled(call=COUNT, why="the customer stopped it before it ran")
    denied = prepare(COUNT, discover(folder), VISITOR)
    assert isinstance(denied, CallDenied)
    yield denied
    yield CallUnknown(call=COUNT)


def test_each_outcome_is_told_as_in_the_table(folder: Path) -> None:
    shown = [(row[0], row[2], row[3]) for row in rows("How a call ends")]

    assert shown == [(outcome_name(one), told(one), result_text(one)) for one in outcomes(folder)]


@pytest.mark.parametrize(
    "standing", [CallTimedOut(call=SEND, after_s=10), CallUnknown(call=SEND), CallPending(call=COUNT)]
)
def test_a_write_that_may_have_been_done_is_told_as_on_the_page(standing: CallStatus) -> None:
    assert f'"{told(standing)}"' in PROSE


def test_the_numbers_are_those_of_the_code() -> None:
    limits = Limits()
    said = {
        f"{concurrency.THREADS} threads in all",
        f"0 to {options.MOST_RETRIES}: how many times a call",
        f"more than {MOST_RESULT_BYTES // 1_000} kB",
        f"has more than {LARGE_BYTES // 1_000} kB, the log",
        f"waits {limits.tools_s:g} seconds",
        f"open for {limits.question_s / 60:g} minutes",
        f"`timeout_s` | `{Options().timeout_s}`",
    }
    words = {4: "four", 5: "five"}
    said |= {
        f"up to {words[limits.rounds]} rounds",
        f"allows {words[MAX_TRIES]} failed attempts",
        f"It has {words[int(reconcile.CHECK_S)]} seconds",
    }

    assert {text for text in said if text not in PROSE} == set()


def test_a_circuit_stays_open_as_long_as_the_page_says() -> None:
    circuit = CircuitBreaker("a tool", VirtualClock())
    for _ in range(4):
        circuit.failed()
    assert circuit.open() is None

    circuit.failed()

    shut = circuit.open()
    assert shut is not None
    assert (
        f"five failures in a row, of all customers together, it is not called for {shut.retry_after_s:g} seconds"
        in PROSE
    )


def test_tools_are_found_where_the_page_says(folder: Path) -> None:
    hidden = '@tool(waiting_hint="")\ndef hidden() -> None:\n    """Do it."""\n'
    (folder / "_own.py").write_text(f"from assistant import tool\n\n{hidden}", encoding="utf-8")
    (folder / "seen.py").write_text("from tools._own import hidden\n", encoding="utf-8")
    (folder / "below").mkdir()
    (folder / "below" / "deep.py").write_text(f"from assistant import tool\n\n{hidden}", encoding="utf-8")

    assert [spec.name for spec in discover(folder).specs] == ["count_points", "send_voucher"]


def test_mistakes_are_reported_as_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = POINTS.replace("counting your points", "Please wait.").replace(
        "Args:\n        since: from", "From"
    )
    (folder / "points.py").write_text(
        wrong.replace("examples=", "timeout=5,\n    examples="), encoding="utf-8"
    )
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(folder))

    with pytest.raises(Exception, match="Please wait") as refused:
        CliRunner().invoke(app, ["tools", "check"], catch_exceptions=False)

    (shown,) = [block for block in PAGE.blocks("text") if "Please wait." in block]
    assert str(refused.value).replace(str(folder), "tools") == shown.rstrip()


def written_tests(folder: Path) -> dict[str, Callable[..., None]]:
    discover(folder)
    names: dict[str, object] = {}
    exec(compile(TESTS, PAGE.name, "exec"), names)  # noqa: S102 - the page's own code
    found = {name: one for name, one in names.items() if name.startswith("test_")}
    return cast("dict[str, Callable[..., None]]", found)


def test_the_tests_on_the_page_pass(folder: Path) -> None:
    held: list[str] = []
    for name, one in written_tests(folder).items():
        if "customer" in inspect.signature(one).parameters:
            with Conversation(environment_with(shipped_book(), list(discover(folder)))) as customer:
                one(customer)
        else:
            one()
        held.append(name)

    assert len(held) == 3

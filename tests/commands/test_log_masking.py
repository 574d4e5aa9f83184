"""The log never contains what customers said and own, whatever writes to it and whatever fails."""

import logging
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import pytest
import structlog

from assistant.commands.logging import MaskedFormatter, masked_traceback, set_up_logging
from assistant.conversation.customer import Customer
from assistant.errors import ModelRefused, ToolError
from assistant.mcp.status import ServerLogSink
from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.decorator import tool
from assistant.tools.tool import Tool, ToolContext

NAME, MAIL, PHONE = "Xaver Quittenbaum", "xaver.quittenbaum@web.example", "+49 170 5550123"
IBAN, CARD, PASSWORD = "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1111", "tr0ub4dor"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4YXZlciJ9.c2lnbmF0dXJl"
CANARIES = (NAME, "Quittenbaum", "quittenbaum", "5550123", "0532", "4111", PASSWORD, JWT, "c2lnbmF0dXJl")
SAID = f"I am {NAME}, {MAIL}, {PHONE}, {IBAN}, {CARD}, password: {PASSWORD}, token={JWT}"
REACHED = f"{MAIL} {PHONE} {IBAN} {CARD} password={PASSWORD} Bearer {JWT}"
XAVER = Customer(tenant="shop", id="ana", level="verified", name=NAME)


@pytest.fixture(autouse=True)
def as_it_was_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


@contextmanager
def nobody_listens() -> Generator[None]:
    """The root logger has no handler yet, as when the program starts."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers.clear()
    yield
    root.handlers[:], root.level = handlers, level


@tool(waiting_hint="looking up your account", narration="Found.")
async def find_account(name: str, mail: str, customer: Customer, context: ToolContext) -> str:
    """Find an account.

    Args:
        name: whose.
        mail: where to.
    """
    context.log.warning("no such account", asked=[name, mail] if "@" not in name else mail)
    raise LookupError(f"no account {name!r} <{mail}> for {customer.name}, {REACHED}")


@tool(waiting_hint="checking your data", narration="Found.")
async def check_data(name: str) -> str:
    """Check data.

    Args:
        name: whose.
    """
    raise ExceptionGroup("both failed", [ValueError(f"{name} and {REACHED}"), KeyError(name)])


@tool(waiting_hint="asking the office", narration="Found.")
async def ask_office(name: str) -> str:
    """Ask the office.

    Args:
        name: whose.
    """
    raise ToolError(f"there is no {name}", temporary=True)


def hold(lines: Sequence[Line], *messages: str) -> None:
    async def talk() -> None:
        clock = VirtualClock()
        tools: list[Tool] = [find_account, check_data, ask_office]
        deps = deps_for(ScriptedModel(*lines, clock=clock), tools, shipped_book(), clock)
        chat = open_chat(deps, MemoryLog(), customer=XAVER)
        for message in messages:
            await chat.says(message)

    run_virtually(talk())


def clean(text: str) -> list[str]:
    return [canary for canary in CANARIES if canary in text]


def test_a_conversation_full_of_failures_leaves_nothing_personal(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("DEBUG")
    asked = {"name": NAME}

    hold(
        [
            calls(("check_data", asked), ("ask_office", asked), ("find_account", {"name": MAIL, "mail": MAIL})),
            says("That did not work."),
            calls(("nobody_has_this", asked), ("check_data", {"wrong": NAME})),
            says("Nor that."),
            breaks(error=ModelRefused(f"scripted: answered 400: invalid message {REACHED!r}")),
        ],
        SAID, SAID, SAID,
    )  # fmt: skip

    told = capsys.readouterr().err
    assert clean(told) == []
    for event in ("tool raised", "no such account", "model failed", "turn ended"):
        assert event in told
    assert "<value>" in told
    assert "LookupError" in told


def test_without_masking_the_same_lines_contain_personal_data(capsys: pytest.CaptureFixture[str]) -> None:
    structlog.configure(
        processors=[
            structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )

    hold([calls(("find_account", {"name": NAME, "mail": MAIL})), says("No.")], SAID)

    assert set(clean(capsys.readouterr().err)) >= {NAME, "5550123", "4111", PASSWORD, JWT}


def test_output_of_servers_and_tools_is_masked_too(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging("DEBUG")

    ServerLogSink("crm", [], VirtualClock()).note("mcp server says", f"looked up {REACHED}".encode())
    structlog.get_logger().info(REACHED, row=[MAIL, {"phone": PHONE}], both=(MAIL, 5), error=ValueError(CARD))

    told = capsys.readouterr().err
    assert clean(told) == []
    assert "looked up <email> <phone> <iban>" in told


def test_output_of_libraries_is_masked_too(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise ConnectionError(f"refused: {REACHED}")

    with nobody_listens():
        set_up_logging()
        logging.getLogger("aiohttp.client").warning("no answer: https://%s:%s@desk.example", "desk", PASSWORD)
        try:
            refuse()
        except ConnectionError:
            logging.getLogger("asyncio").exception("task failed with %s", MAIL)

    told = capsys.readouterr().err
    assert clean(told) == []
    assert "WARNING aiohttp.client: no answer: https://<secret>@desk.example" in told
    assert "ConnectionError: refused: <email> <phone> <iban>" in told


def test_data_that_operators_need_is_not_masked(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging()

    structlog.get_logger().info(
        "turn ended", conversation="v_0199a7c3", ms=1234, cost_usd=0.01, retry=True, of=None
    )

    told = capsys.readouterr().err
    assert "turn ended" in told
    for fact in ("conversation=v_0199a7c3", "ms=1234", "cost_usd=0.01", "retry=True", "of=None"):
        assert fact in told


def test_a_line_below_the_level_costs_nothing() -> None:
    class Costly:
        def __repr__(self) -> str:
            raise AssertionError("looked at")

    set_up_logging("ERROR")

    structlog.get_logger().info("never mind", what=Costly())


def test_a_very_long_value_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging()

    structlog.get_logger().info("model failed", error="x" * 100_000)

    assert len(capsys.readouterr().err) < 5_000


def test_a_traceback_masks_the_arguments_and_the_customer() -> None:
    def run(arguments: dict[str, object], who: Customer) -> None:
        raise ValueError(f"{arguments} {who.name}")

    with pytest.raises(ValueError, match="Quittenbaum") as raised:
        run({"name": NAME, "n": 4711, "yes": True, "in": ["Zossen", 7], "none": None}, XAVER)

    assert masked_traceback(f"ValueError: {raised.value}", raised.value) == (
        "ValueError: {'name': '<value>', 'n': <value>, 'yes': True, 'in': ['<value>', 7], 'none': None} <value>"
    )


def test_a_circular_chain_of_errors_is_read_once() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first

    assert masked_traceback("first", first) == "first"


def test_a_formatter_masks_its_records() -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "to %s", (MAIL,), None)

    assert MaskedFormatter("%(message)s").format(record) == "to <email>"

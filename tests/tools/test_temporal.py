"""Long calls on Temporal's development server: each runs in any process, ends once, and is reported."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from temporalio.client import WorkflowHandle
from temporalio.service import RPCError

from assistant.assembly.long_calls import LongCallsElsewhere, long_call_work, temporal_of
from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.conversation.entries import LongCallAccepted
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallCancelled,
    CallFailed,
    CallSucceeded,
    CallUnknown,
    Outcome,
    was_stopped,
)
from assistant.conversation.transcript import transcript
from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.sessions.stop_tool import with_stop_tool
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY, deps_for
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.decorator import tool
from assistant.tools.long_calls import CompanyTools, LongCallOrder
from assistant.tools.registry import Tools
from assistant.tools.temporal.activities import fitting
from assistant.tools.temporal.runner import TemporalRunner
from assistant.tools.temporal.workflow import HEARTBEAT_TIMEOUT
from assistant.tools.tool import ToolContext
from tests.support.temporal import TemporalServer, temporal_server

pytestmark = pytest.mark.slow

STARTED = says("I've started to prepare your export; I'll tell you here when it is done.")


class Shop:
    """Prepares exports and deletes letters as long as they are held, in processes that share one log."""

    def __init__(self, address: str) -> None:
        self.address, self.clock, self.log = address, SystemClock(), MemoryLog()
        self.runs: list[str] = []
        self.runner = TemporalRunner(address, "default")
        self.finish = asyncio.Event()
        self.works: list[asyncio.Task[None]] = []
        self.every: list[SessionRegistry] = []
        shop = self

        @tool(waiting_hint="preparing your export", long=True)
        async def prepare_export(context: ToolContext) -> dict[str, int]:
            """Prepare an export of all invoices."""
            shop.runs.append(context.key)
            context.progress(3, 10, "pages")
            await shop.finish.wait()
            return {"invoices": 10}

        @tool(waiting_hint="deleting your old letters", effect="write", long=True)
        async def delete_letters(context: ToolContext) -> dict[str, int]:
            """Delete all old letters."""
            shop.runs.append(context.key)
            await shop.finish.wait()
            return {"deleted": 7}

        @tool(waiting_hint="printing your letter", long=True)
        async def print_letter(text: str) -> dict[str, int]:
            """Print a letter.

            Args:
                text: the letter
            """
            await shop.finish.wait()
            return {"characters": len(text)}

        @tool(waiting_hint="listing everything", long=True)
        async def list_everything() -> list[str]:
            """List everything."""
            return ["x" * 1_000_000] * 3

        tools = [prepare_export, delete_letters, print_letter, list_everything]
        self.tools = with_stop_tool(Tools(tools), shipped_book())

    def process(self, *lines: Line, works: bool = True) -> SessionRegistry:
        """Another process with the conversations and, if it ``works``, the tools."""
        runner = TemporalRunner(self.address, "default")
        model = ScriptedModel(*lines, clock=self.clock)
        deps = deps_for(model, list(self.tools), shipped_book(), self.clock)
        sessions = SessionRegistry(FixedConfig(deps), self.log, "1", long_runner=runner)
        self.every.append(sessions)
        if works:
            self.work(sessions)
        return sessions

    def work(self, sessions: SessionRegistry) -> None:
        """Let this process run calls, and record their ends."""
        runner = self.runner = TemporalRunner(self.address, "default")
        companies = {
            KEY.tenant: lambda: CompanyTools(tools=self.tools, gates=ConcurrencyLimiters(self.clock))
        }
        record = sessions.record_long_call
        process = f"p{len(self.works)}"
        work = long_call_work(runner, companies, self.log, record, self.clock, process, conversations=True)
        self.works.append(asyncio.create_task(work))

    async def end(self) -> None:
        """All processes end."""
        for work in self.works:
            work.cancel()
        await asyncio.gather(*self.works, return_exceptions=True)
        for sessions in self.every:
            await sessions.close(0)
        self.works, self.every = [], []


@pytest.fixture
async def temporal(tmp_path: Path) -> AsyncIterator[TemporalServer]:
    async with temporal_server(tmp_path) as server:
        yield server


@pytest.fixture
async def shop(temporal: TemporalServer) -> AsyncIterator[Shop]:
    made = Shop(temporal.address)
    yield made
    await made.end()


@pytest.fixture
def shop_tools() -> Tools:
    return Shop("127.0.0.1:1").tools


async def until(held: Callable[[], object]) -> None:
    async with asyncio.timeout(40):
        while not held():  # noqa: ASYNC110 - it is in another process, or nearly
            await asyncio.sleep(0.05)


async def until_gone(workflow: WorkflowHandle[Any, Any]) -> None:
    async with asyncio.timeout(20):
        while True:
            await workflow.describe()
            await asyncio.sleep(0.1)


async def asks(sessions: SessionRegistry, text: str, number: int = 1) -> Session:
    ana = await sessions.open(KEY, ANA)
    await ana.say(client_message_id=f"x{number}", text=text, locale="en")
    await ana.answered()
    return ana


def outcome(session: Session) -> Outcome | None:
    return session.state.turns[0].outcomes.get("c1.1")


def progress(session: Session) -> str:
    return str(session.state.turns[0].long["c1.1"].progress)


def accepted(session: Session) -> bool:
    return any(isinstance(one.entry, LongCallAccepted) for one in session.entries)


def said(session: Session) -> str:
    return transcript(session.state)[-1].text


async def test_it_runs_reports_and_its_end_is_told(shop: Shop) -> None:
    ana = await asks(
        shop.process(calls("prepare_export"), STARTED, says("Your export is ready.")), "Export my invoices"
    )
    await until(lambda: progress(ana) == "3 of 10 pages")
    assert accepted(ana)
    assert outcome(ana) is None
    assert not await shop.log.unfinished()  # no process has to hold it

    shop.finish.set()
    await until(lambda: said(ana) == "Your export is ready.")
    assert isinstance(outcome(ana), CallSucceeded)
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_another_process_reports_the_end(shop: Shop) -> None:
    ana = await asks(shop.process(calls("prepare_export"), STARTED), "Export my invoices")
    await until(lambda: progress(ana) == "3 of 10 pages")
    await shop.end()

    shop.finish.set()
    sessions = shop.process(says("Your export is ready."))
    await until(lambda: KEY in sessions.open_sessions())
    ana = sessions.open_sessions()[KEY]
    await until(lambda: said(ana) == "Your export is ready.")
    assert shop.runs == ["c-1/t1/c1.1"] * 2


async def test_a_write_is_not_run_again_in_another_process(shop: Shop) -> None:
    ana = await asks(shop.process(calls("delete_letters"), says("I've started.")), "Delete my letters")
    await until(lambda: shop.runs)
    await shop.end()

    sessions = shop.process(says("I can't tell whether your letters were deleted."))
    await until(lambda: KEY in sessions.open_sessions())
    ana = sessions.open_sessions()[KEY]
    await until(lambda: outcome(ana))
    assert isinstance(outcome(ana), CallUnknown)
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_a_repeated_start_causes_no_second_run(shop: Shop) -> None:
    ana = await asks(shop.process(calls("prepare_export"), STARTED), "Export my invoices")
    await until(lambda: shop.runs)
    turn = ana.state.turns[0]
    order = LongCallOrder(
        key=KEY,
        turn_id=turn.id,
        call_id=turn.calls[0].id,
        customer=ANA,
        idempotency_key=shop.runs[0],
        repeatable=True,
        timeout_s=60,
    )
    again = TemporalRunner(shop.address, "default")
    await again.start(order)

    shop.finish.set()
    await until(lambda: outcome(ana))
    await again.start(order)
    await asyncio.sleep(1)
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_the_customer_stops_it(shop: Shop) -> None:
    lines = (calls("prepare_export"), STARTED, calls("stop_running_task"), says("I stopped it."))
    sessions = shop.process(*lines, says("It is stopped."))
    ana = await asks(sessions, "Export my invoices")
    await until(lambda: progress(ana) == "3 of 10 pages")

    await asks(sessions, "Please stop it", 2)
    await until(lambda: outcome(ana))
    ended = outcome(ana)
    assert isinstance(ended, CallCancelled)
    assert was_stopped(ended)
    assert ended.why.endswith("3 of 10 pages")
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_a_call_without_a_process_that_has_its_tool_waits(shop: Shop) -> None:
    ana = await asks(shop.process(calls("prepare_export"), STARTED, works=False), "Export my invoices")
    await until(lambda: accepted(ana))
    await asyncio.sleep(1)
    assert not shop.runs

    shop.process()
    await until(lambda: shop.runs)


async def test_a_call_that_no_process_has_begun_is_stopped(shop: Shop) -> None:
    lines = (calls("delete_letters"), says("I've started."), calls("stop_running_task"), says("I stop it."))
    sessions = shop.process(*lines, says("It is stopped."), works=False)
    ana = await asks(sessions, "Delete my letters")
    await until(lambda: accepted(ana))
    await asks(sessions, "Please stop it", 2)

    shop.work(sessions)
    await until(lambda: outcome(ana))
    ended = outcome(ana)
    assert ended is not None
    assert was_stopped(ended)
    assert not shop.runs


async def test_while_temporal_is_away_the_call_is_starting(shop: Shop, temporal: TemporalServer) -> None:
    await temporal.stop()
    ana = await asks(shop.process(calls("prepare_export"), STARTED, says("It is ready.")), "Export")
    turn = ana.state.turns[0]
    status = turn.pending_status(turn.calls[0]).long
    assert status is not None
    assert status.state == "starting"
    assert await shop.log.unfinished()  # another process would start it

    shop.finish.set()
    await temporal.start()
    await until(lambda: said(ana) == "It is ready.")
    assert shop.runs == ["c-1/t1/c1.1"]


@pytest.mark.parametrize("ends", ["while it is away", "afterwards"])
async def test_a_write_continues_while_temporal_is_away(
    shop: Shop, temporal: TemporalServer, ends: str
) -> None:
    lines = (calls("delete_letters"), says("I'm deleting your old letters; I'll tell you when it is done."))
    ana = await asks(shop.process(*lines, says("Seven are deleted.")), "Delete my letters")
    await until(lambda: shop.runs and accepted(ana))
    await temporal.stop()
    if ends == "while it is away":
        shop.finish.set()
    await asyncio.sleep(HEARTBEAT_TIMEOUT.total_seconds() + 2)  # Temporal gives the attempt up
    await temporal.start()
    if ends == "afterwards":
        await until(lambda: shop.runner.away is None)
        await asyncio.sleep(2)
        assert outcome(ana) is None
        shop.finish.set()

    await until(lambda: said(ana) == "Seven are deleted.")
    assert isinstance(outcome(ana), CallSucceeded)
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_a_stop_reaches_a_call_that_temporal_lost(shop: Shop, temporal: TemporalServer) -> None:
    lines = (calls("prepare_export"), STARTED, calls("stop_running_task"), says("I stop it."))
    sessions = shop.process(*lines, says("It is stopped."))
    ana = await asks(sessions, "Export my invoices")
    await until(lambda: progress(ana) == "3 of 10 pages" and accepted(ana))
    await temporal.stop()
    await asyncio.sleep(HEARTBEAT_TIMEOUT.total_seconds() + 2)
    await asks(sessions, "Please stop it", 2)

    await temporal.start()
    await until(lambda: said(ana) == "It is stopped.")
    ended = outcome(ana)
    assert isinstance(ended, CallCancelled)
    assert ended.why.endswith("3 of 10 pages")
    assert shop.runs == ["c-1/t1/c1.1"]


async def test_arguments_stay_in_the_log(shop: Shop) -> None:
    lines = (
        calls(("print_letter", {"text": "Dear Bo"})),
        says("I'm printing your letter."),
        says("It is printed."),
    )
    ana = await asks(shop.process(*lines), "Print this")
    shop.finish.set()
    await until(lambda: said(ana) == "It is printed.")

    ended = outcome(ana)
    assert isinstance(ended, CallSucceeded)
    assert ended.call.arguments == {"text": "Dear Bo"}
    assert ended.value == {"characters": 7}
    workflow = (await shop.runner.client()).get_workflow_handle(f"{KEY.tenant}/c-1/t1/c1.1")
    async for event in workflow.fetch_history_events():
        assert "Dear Bo" not in str(event)


async def test_a_result_that_is_too_large_is_reported(shop: Shop) -> None:
    sessions = shop.process(calls("list_everything"), STARTED, says("The list is too long."))
    ana = await asks(sessions, "List everything")

    await until(lambda: said(ana) == "The list is too long.")
    ended = outcome(ana)
    assert isinstance(ended, CallFailed)
    assert "The result (3 items) has more than 128000 bytes as JSON" in ended.for_model


def test_files_that_temporal_refuses_are_left_out() -> None:
    call = Call(id="c1.1", tool="list_everything")
    small, large = (
        Media(name=f"{size}.pdf", mime="application/pdf", data="A" * size) for size in (800_000, 1_900_000)
    )
    fits = fitting(CallSucceeded(call=call, value=1, media=(small, large)), "c-1/t1/c1.1")

    assert isinstance(fits, CallSucceeded)
    assert fits.media == (small,)
    (left_out,) = fits.omitted
    assert left_out.startswith("1900000.pdf: it has 27")


async def test_nothing_of_an_erased_call_is_left(shop: Shop) -> None:
    ana = await asks(shop.process(calls("prepare_export"), STARTED), "Export my invoices")
    await until(lambda: shop.runs)
    runner = TemporalRunner(shop.address, "default")
    for _ in range(2):
        await LongCallsElsewhere(shop.log, runner).erase(KEY.tenant, KEY.customer)
    shop.finish.set()

    left = (await runner.client()).get_workflow_handle(f"{KEY.tenant}/{shop.runs[0]}")
    with pytest.raises(RPCError, match="not found"):
        await until_gone(left)
    assert outcome(ana) is None


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "assistant.tools.temporal.runner")
    monkeypatch.setitem(sys.modules, "temporalio.client", None)
    with pytest.raises(DeclarationError, match=r"pip install 'meanwhile-assistant\[temporal\]'"):
        temporal_of(Settings(temporal="localhost:7233"))
    assert temporal_of(Settings()) is None


@pytest.mark.parametrize("wrong", ["localhost", "http://localhost:7233", "localhost:7233/a/b"])
def test_an_invalid_address_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings(temporal=wrong)

"""Long calls on Temporal's development server: each runs in any process, ends once, and is told."""

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
from assistant.conversation.entries import LongCallAccepted
from assistant.conversation.outcomes import (
    CallCancelled,
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
from assistant.testing.chat import ANA, KEY, parts_for
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.decorator import tool
from assistant.tools.long_calls import CompanyTools, LongCallOrder
from assistant.tools.registry import Tools
from assistant.tools.temporal.runner import TemporalRunner
from assistant.tools.tool import ToolContext
from tests.support.temporal import TemporalServer, temporal_server

pytestmark = pytest.mark.slow

STARTED = says("I've started to prepare your export; I'll tell you here when it is done.")


class Shop:
    """Prepares exports and deletes letters as long as they are held, in processes that share one log."""

    def __init__(self, address: str) -> None:
        self.address, self.clock, self.log = address, SystemClock(), MemoryLog()
        self.runs: list[str] = []
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

        self.tools = with_stop_tool(Tools([prepare_export, delete_letters]), shipped_book())

    def process(self, *lines: Line, works: bool = True) -> SessionRegistry:
        """Another process with the conversations and, if it ``works``, the tools."""
        runner = TemporalRunner(self.address, "default")
        model = ScriptedModel(*lines, clock=self.clock)
        parts = parts_for(model, list(self.tools), shipped_book(), self.clock)
        sessions = SessionRegistry(FixedConfig(parts), self.log, "1", long_runner=runner)
        self.every.append(sessions)
        if works:
            self.work(sessions)
        return sessions

    def work(self, sessions: SessionRegistry) -> None:
        """Let this process run calls, and record their ends."""
        runner = TemporalRunner(self.address, "default")
        companies = {
            KEY.tenant: lambda: CompanyTools(tools=self.tools, gates=ConcurrencyLimiters(self.clock))
        }
        record = sessions.record_long_call
        work = long_call_work(runner, companies, record, self.clock, conversations=True)
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


async def test_another_process_tells_the_end(shop: Shop) -> None:
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


async def test_a_repeated_start_is_no_second_run(shop: Shop) -> None:
    ana = await asks(shop.process(calls("prepare_export"), STARTED), "Export my invoices")
    await until(lambda: shop.runs)
    turn = ana.state.turns[0]
    order = LongCallOrder(
        key=KEY,
        turn_id=turn.id,
        call=turn.calls[0],
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


def test_the_extra_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "assistant.tools.temporal.runner")
    monkeypatch.setitem(sys.modules, "temporalio.client", None)
    with pytest.raises(DeclarationError, match=r"pip install 'meanwhile-assistant\[temporal\]'"):
        temporal_of(Settings(temporal="localhost:7233"))
    assert temporal_of(Settings()) is None


@pytest.mark.parametrize("wrong", ["localhost", "http://localhost:7233", "localhost:7233/a/b"])
def test_an_address_that_is_none_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Settings(temporal=wrong)

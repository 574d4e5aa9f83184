"""Calls continue after their turn stops waiting, and each has an outcome, whatever its tool does."""

import asyncio
from dataclasses import replace

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, CallStarted, Entry
from assistant.conversation.outcomes import CallCancelled, CallFailed
from assistant.conversation.values import JsonObject
from assistant.sessions.tool_tasks import ToolTasks
from assistant.testing.chat import StoppingLog
from assistant.testing.fake_tool import Broken, FakeTool, Gives
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.tools.concurrency import ConcurrencyLimiters
from assistant.tools.tool import PreparedCall, ToolContext, ToolResult
from assistant.turn.context import RunningTurn
from assistant.turn.view_builder import ViewBuilder
from tests.turn.conftest import Company


class GivingUp(FakeTool):
    """A tool in which something cancels itself."""

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        raise asyncio.CancelledError


async def test_a_tool_that_cancels_itself_does_not_stop_the_turn(company: Company) -> None:
    company.billing = GivingUp(company.billing.spec, Gives(None), company.clock)
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices"), says("Tuesday. Billing gave up.")
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices cancelled]
        Assistant: Tuesday. Billing gave up.
    """)
    assert isinstance(ana.session.state.turns[0].outcomes["c1.2"], CallCancelled)


async def test_a_call_interrupted_by_closing_has_no_outcome_yet(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), billing=Gives(150, after_s=9))
    await ana.begins("Check my bill")
    await company.clock.sleep(1)

    await ana.session.close()

    assert [call.id for call in ana.session.state.turns[0].running] == ["c1.1"]


async def test_an_outcome_that_the_log_refuses_ends_the_session_quietly(
    company: Company, caplog: pytest.LogCaptureFixture
) -> None:
    log = StoppingLog(10_000)
    ana = company.chat(calls("get_open_invoices"), log=log, billing=Gives(150, after_s=3))
    await ana.begins("Check my bill")
    await company.clock.sleep(1)
    await ana.session.stop()
    await company.clock.sleep(1)
    log.most = len(log.kept)
    ana.session.report_delivery("t1/m1", "seen", 1)

    await company.clock.sleep(5)

    assert ana.session.failed
    assert not any(isinstance(logged.entry, CallEnded) for logged in log.kept)
    assert [record for record in caplog.records if record.name == "asyncio"] == []


class Talkative(FakeTool):
    """A tool that tells its log what it does."""

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        context.log.info("looking", page=1)
        context.log.warning("slow")
        return ToolResult(context.key)


async def test_a_tools_log_lines_name_its_call(company: Company, capsys: pytest.CaptureFixture[str]) -> None:
    company.billing = Talkative(company.billing.spec, Gives(None), company.clock)
    ana = company.chat(calls("get_open_invoices"), says("You owe nothing."))

    await ana.says("Check my bill")

    lines = [line for line in capsys.readouterr().out.splitlines() if "get_open_invoices" in line]
    assert ["looking" in lines[0], "slow" in lines[1]] == [True, True]
    assert all("c-1/t1/c1.1" in line for line in lines)


async def test_a_calls_arguments_are_recorded_if_they_differ(company: Company) -> None:
    ana = company.chat(calls(("add_note", {"text": "late"}), "get_open_invoices"), says("Noted."))
    await ana.says("Note that")
    turn = ana.session.state.turns[0]
    decided = Call(id="c1.1", tool="add_note", arguments={"text": "late"})
    recorded: list[Entry] = []

    async def record(entry: Entry, *, durable: bool = False) -> None:
        recorded.append(entry)

    tasks = ToolTasks(company.clock)
    running = RunningTurn(
        key=ana.session.key, vouched=ana.session.customer, state=turn, conversation=ana.session.state,
        views=ViewBuilder(), tasks=tasks, deadline=9.0,
    )  # fmt: skip
    for arguments in ({"text": "late"}, {"text": "filled in"}):
        call = replace(decided, arguments=arguments)
        await tasks.start(PreparedCall(call, company.note, arguments), running, record)
        await tasks.ended(turn.id, [call])

    started = [entry.arguments for entry in recorded if isinstance(entry, CallStarted)]
    assert started == [None, {"text": "filled in"}]


async def test_a_tool_that_keeps_failing_is_not_called_for_a_while(company: Company) -> None:
    lines = [line for _ in range(6) for line in (calls("get_open_invoices"), says("Sorry."))]
    ana = company.chat(*lines, billing=Broken())

    for _ in range(6):
        await ana.says("Check my bill")

    assert len(company.billing.ran) == 5
    last = ana.session.state.turns[-1].outcomes["c1.1"]
    assert isinstance(last, CallFailed)
    assert last.say == "that service isn't answering at the moment"


async def test_limiters_may_be_shared_by_the_whole_process(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), says("Nothing."))
    await ana.says("Check my bill")
    gates = ConcurrencyLimiters(company.clock)
    ready = PreparedCall(Call(id="c1.1", tool="get_open_invoices"), company.billing, {})
    running = RunningTurn(
        key=ana.session.key, vouched=ana.session.customer, state=ana.session.state.turns[0],
        conversation=ana.session.state, views=ViewBuilder(), tasks=ToolTasks(company.clock), deadline=9.0,
    )  # fmt: skip
    company.billing.behaviour = Broken()

    async def record(entry: Entry, *, durable: bool = False) -> None:
        pass

    for _ in range(3):
        one, other = ToolTasks(company.clock, gates), ToolTasks(company.clock, gates)
        for tasks in (one, other):
            await tasks.start(ready, running, record)
            await tasks.ended(running.state.id, [ready.call])

    assert len(company.billing.ran) == 1 + 5

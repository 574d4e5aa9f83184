"""Calls outlive the wait for them, and every one has an outcome, whatever its tool does."""

import asyncio

import pytest

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallCancelled
from assistant.conversation.people import Customer
from assistant.conversation.values import JsonObject
from assistant.testing.chat import StoppingLog
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.tooling.context import ToolContext
from assistant.tooling.result import ToolResult
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


async def test_what_is_cut_off_by_closing_has_no_outcome_yet(company: Company) -> None:
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
    ana.session.tell("t1/m1", "seen", 1)

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


async def test_what_a_tool_logs_names_its_call(company: Company, capsys: pytest.CaptureFixture[str]) -> None:
    company.billing = Talkative(company.billing.spec, Gives(None), company.clock)
    ana = company.chat(calls("get_open_invoices"), says("$150."))

    await ana.says("Check my bill")

    lines = [line for line in capsys.readouterr().out.splitlines() if "get_open_invoices" in line]
    assert ["looking" in lines[0], "slow" in lines[1]] == [True, True]
    assert all("c-1/t1/c1.1" in line for line in lines)

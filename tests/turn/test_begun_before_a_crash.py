"""A side effect that had begun before a crash: done again, asked about or unknown; never undone."""

import asyncio
from dataclasses import dataclass, replace

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallSucceeded, CallUnknown
from assistant.conversation.values import JsonObject
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import FakeTool, Gives
from assistant.testing.script import calls, says
from assistant.tools.tool import ToolContext, ToolResult
from assistant.turn.context import Limits
from tests.turn.conftest import Company

NOTE = ("add_note", {"text": "late"})
SHORT = Limits(tools_s=4)


@dataclass(slots=True)
class CheckedNote(FakeTool):
    """Can tell afterwards whether the note was taken."""

    async def check(
        self, arguments: JsonObject, *, customer: Customer, context: ToolContext
    ) -> ToolResult | None:
        return ToolResult(f"noted with {context.key}")


def note_is_checked(company: Company) -> None:
    spec = replace(company.note.spec, checked=True)
    company.note = CheckedNote(spec, company.note.behaviour, company.clock)


async def begun(company: Company, *, limits: Limits | None = None) -> Chat:
    """A conversation whose machine stops while a note is being taken."""
    company.note.behaviour = Gives("noted", after_s=60)
    lines = (calls(NOTE), says("That takes longer than usual.")) if limits else (calls(NOTE),)
    ana = company.chat(*lines, limits=limits)
    await ana.begins("Note that I am late")
    await company.clock.sleep(6)
    await ana.session.close()
    company.note.behaviour = Gives("noted")
    return ana


async def test_a_long_writes_tool_is_asked_for_the_outcome(company: Company) -> None:
    note_is_checked(company)
    ana = await begun(company, limits=SHORT)

    again = await company.reopen(ana, says("It is noted."))
    again.session.resume()
    await again.session.at_rest()

    assert again.scene == "Assistant: It is noted."
    (end,) = again.session.state.turns[0].outcomes.values()
    assert isinstance(end, CallSucceeded)
    assert end.value == "noted with c-1/t1/c1.1"
    assert [one.entry.late for one in again.session.entries if isinstance(one.entry, CallEnded)] == [True]
    assert len(company.note.ran) == 1


async def test_without_a_check_an_interrupted_write_stays_unknown(
    company: Company,
) -> None:
    ana = await begun(company, limits=SHORT)

    again = await company.reopen(ana, says("I cannot tell whether it was noted."))
    again.session.resume()
    await again.session.at_rest()

    (call,) = again.session.state.turns[0].calls
    assert again.session.state.turns[0].outcomes == {call.id: CallUnknown(call=call)}
    assert len(company.note.ran) == 1


@pytest.mark.parametrize("limits", [None, SHORT])
async def test_if_the_tool_is_gone_the_outcome_is_unknown(company: Company, limits: Limits | None) -> None:
    ana = await begun(company, limits=limits)

    company.note.spec = replace(company.note.spec, name="take_note")
    again = await company.reopen(ana, says("I cannot tell whether it was noted."))
    again.session.resume()
    await again.session.at_rest()

    (call,) = again.session.state.turns[0].calls
    assert again.session.state.turns[0].outcomes == {call.id: CallUnknown(call=call)}


async def test_if_the_tool_refuses_now_the_outcome_is_unknown(company: Company) -> None:
    ana = await begun(company)

    entries = await company.log.read(ana.session.key)
    again = company.chat(
        says("I cannot tell whether it was noted."),
        customer=Customer(tenant="shop", id="ana"),
        entries=entries,
    )
    again.session.resume()
    await again.session.at_rest()

    assert list(map(type, again.session.state.turns[0].outcomes.values())) == [CallUnknown]


async def test_an_idempotent_write_runs_again_and_no_newer_message_holds_it(company: Company) -> None:
    company.note.spec = replace(company.note.spec, idempotent=True)
    ana = await begun(company)

    again = await company.reopen(ana, says("It is noted."), says("Gladly."))
    await again.begins("Thanks", number=2)
    await again.session.answered()

    assert isinstance(again.session.state.turns[0].outcomes["c1.1"], CallSucceeded)
    assert [key for _, key in company.note.ran] == ["c-1/t1/c1.1"] * 2


async def test_a_lost_lookup_is_told_with_its_arguments(company: Company) -> None:
    company.orders.behaviour = Gives({"status": "shipped"}, after_s=9)
    order = ("get_order_status", {"order": {"$from": "get_open_invoices", "path": "order"}})
    ana = company.chat(
        calls("get_open_invoices", order),
        says("That takes a while."),
        limits=SHORT,
        billing=Gives({"order": "7"}),
    )
    await ana.says("Where is what I was billed for?")
    await ana.session.close()

    again = await company.reopen(ana, says("I could not look at your order."))
    again.session.resume()
    await again.session.at_rest()

    lost = again.session.state.turns[0].outcomes["c1.2"]
    assert isinstance(lost, CallUnknown)
    assert lost.call.arguments == {"order": "7"}


async def test_stopping_a_turn_while_the_session_closes_stops_the_session(company: Company) -> None:
    ana = company.chat(says("Hello.", first_s=5))
    await ana.begins("Hi")
    await ana.begins("And my bill?")
    await company.clock.sleep(1)

    await asyncio.gather(ana.session.stop(), ana.session.close())

    assert [turn.how for turn in ana.session.state.turns] == ["interrupted"]
    assert [said.text for said in ana.session.state.waiting] == ["And my bill?"]

"""A visitor is identified by what they say; from then on the conversation is theirs."""

import asyncio
from dataclasses import dataclass, replace

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, Entry, IdentificationAttempted, Identified, Logged
from assistant.conversation.outcomes import CallDenied, CallFailed, outcome_name
from assistant.conversation.values import JsonObject
from assistant.sessions.tool_tasks import ToolTasks
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import CallLine, calls, says
from assistant.tools.tool import PreparedCall, ToolContext, ToolResult
from assistant.turn.context import RunningTurn
from assistant.turn.view_builder import ViewBuilder
from tests.turn.conftest import Company

STRANGER = Customer(tenant="demo", id="visitor-1")


@dataclass(slots=True)
class Verifying(FakeTool):
    """Knows customers by their number, and takes a moment to find them."""

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        await self.clock.sleep(0.1)
        number = str(arguments["number"]).strip()
        if number == "breaks":
            raise OSError
        known = number.startswith("7")
        found = Customer(tenant="elsewhere", id=number, name="Ana", locale="xx", level="signed_in")
        return ToolResult(None, identified=found if known else None)


class Whose(FakeTool):
    """Tells for whom it was asked."""

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        return ToolResult([customer.tenant, customer.id, customer.level, customer.locale])


@pytest.fixture
def company(company: Company) -> Company:
    spec = fake_spec("verify", "checking that", "check that", needs_customer=False, required=("number",))
    company.hours = Verifying(replace(spec, role="identifies"), Gives(None), company.clock)
    company.billing = Whose(company.billing.spec, Gives(None), company.clock)
    return company


def tries(*numbers: str) -> tuple[CallLine, ...]:
    return tuple(("verify", {"number": number}) for number in numbers)


async def test_a_match_makes_the_visitor_the_companys_customer(company: Company) -> None:
    ana = company.chat(
        calls(*tries("77")), calls("get_open_invoices"), says("Nothing to pay, Ana."), customer=STRANGER
    )

    await ana.says("I'm 77, do I owe anything?")

    entries = [logged.entry for logged in ana.session.entries]
    said = [entry for entry in entries if isinstance(entry, IdentificationAttempted | Identified | CallEnded)]
    assert said[:2] == [
        IdentificationAttempted(matched=True),
        Identified(level="verified", customer="77", name="Ana"),
    ]
    values = [getattr(entry.outcome, "value", None) for entry in said if isinstance(entry, CallEnded)]
    assert values == [{"verified": True, "name": "Ana"}, ["demo", "77", "verified", "en"]]


async def test_without_a_match_the_visitor_stays_anonymous(company: Company) -> None:
    ana = company.chat(
        calls(*tries("13")), calls("get_open_invoices"), says("I can't confirm that."), customer=STRANGER
    )

    await ana.says("I'm 13")

    outcomes = ana.session.state.turns[0].outcomes
    assert [outcome_name(one) for one in outcomes.values()] == ["failed", "denied"]
    assert ana.session.state.failed_tries == 1
    assert not ana.session.customer.known


async def test_after_five_failed_attempts_an_agent_is_offered(company: Company) -> None:
    ana = company.chat(
        calls(*tries("1", "2", "3")),
        says("No."),
        calls(*tries("4", "5", "6", "77")),
        says("Sorry."),
        customer=STRANGER,
    )

    await ana.says("I'm 1, or 2, or 3")
    await ana.says("Or 4, 5, 6, or 77?")

    # All four are begun before any of them has ended: they count as soon as they run.
    outcomes = ana.session.state.turns[1].outcomes
    assert [outcome_name(outcomes[f"c1.{number}"]) for number in (1, 2, 3, 4)] == [
        "failed",
        "failed",
        "denied",
        "denied",
    ]
    denied = outcomes["c1.4"]
    assert isinstance(denied, CallDenied)
    assert denied.say == "I can't check any more who you are in this conversation"
    assert ana.session.state.failed_tries == 5
    assert not ana.session.customer.known


async def test_an_attempt_that_breaks_does_not_count(company: Company) -> None:
    ana = company.chat(calls(*tries("breaks")), says("Sorry."), customer=STRANGER)

    await ana.says("I'm 77")

    assert ana.session.state.failed_tries == 0
    assert not any(isinstance(logged.entry, IdentificationAttempted) for logged in ana.session.entries)


async def test_of_two_customers_the_first_counts(company: Company) -> None:
    ana = company.chat(calls(*tries("77", "78", "77 ")), says("Hello Ana."), customer=STRANGER)

    await ana.says("I'm 77 or 78")

    first, second, third = ana.session.state.turns[0].outcomes.values()
    assert [outcome_name(one) for one in (first, second, third)] == ["ok", "failed", "ok"]
    assert isinstance(second, CallFailed)
    assert second.say == "I can't confirm who you are with what you gave me"
    assert ana.session.customer.id == "77"
    identified = [logged.entry for logged in ana.session.entries if isinstance(logged.entry, Identified)]
    assert identified == [Identified(level="verified", customer="77", name="Ana")]


async def test_an_identified_customer_need_not_do_it_again(company: Company) -> None:
    ana = company.chat(calls(*tries("77")), says("I know you."))

    await ana.says("I'm 77")

    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallDenied)


def running_turn(company: Company, ana: Chat) -> RunningTurn:
    return RunningTurn(
        key=ana.session.key, vouched=ana.session.customer, state=ana.session.state.turns[0],
        conversation=ana.session.state, views=ViewBuilder(), tasks=ToolTasks(company.clock), deadline=9.0,
    )  # fmt: skip


async def test_concurrent_attempts_count_although_the_log_is_slow(company: Company) -> None:
    ana = company.chat(says("Hello."), customer=STRANGER)
    await ana.says("Hello")
    turn, recorded = running_turn(company, ana), list[Entry]()

    async def record(entry: Entry, *, durable: bool = False) -> None:
        await company.clock.sleep(1)
        recorded.append(entry)

    guesses = [Call(id=f"c1.{at}", tool="verify", arguments={"number": "1"}) for at in range(8)]
    await asyncio.gather(
        *(turn.tasks.start(PreparedCall(one, company.hours, one.arguments), turn, record) for one in guesses)
    )
    await turn.tasks.ended(turn.state.id, guesses)

    ends = [outcome_name(entry.outcome) for entry in recorded if isinstance(entry, CallEnded)]
    assert sorted(ends) == ["denied"] * 3 + ["failed"] * 5


async def test_a_second_match_sees_the_first_although_the_log_is_slow(company: Company) -> None:
    ana = company.chat(says("Hello."), customer=STRANGER)
    await ana.says("Hello")
    turn, recorded = running_turn(company, ana), list[Entry]()

    async def record(entry: Entry, *, durable: bool = False) -> None:
        await company.clock.sleep(1)
        recorded.append(entry)
        if isinstance(entry, Identified):
            turn.conversation.apply(Logged(seq=99, at_ms=0, turn_id=turn.state.id, entry=entry))

    guesses = [
        Call(id=f"c1.{number}", tool="verify", arguments={"number": number}) for number in ("77", "78")
    ]
    for one in guesses:
        await turn.tasks.start(PreparedCall(one, company.hours, one.arguments), turn, record)
    await turn.tasks.ended(turn.state.id, guesses)

    assert [entry.customer for entry in recorded if isinstance(entry, Identified)] == ["77"]
    assert [entry.matched for entry in recorded if isinstance(entry, IdentificationAttempted)] == [
        True,
        False,
    ]

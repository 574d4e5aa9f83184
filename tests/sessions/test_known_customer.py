"""A customer who is identified in a conversation stays identified in it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.conversation.customer import Customer
from assistant.conversation.entries import Identified
from assistant.conversation.values import JsonObject
from assistant.testing.fake_tool import FakeTool
from assistant.testing.script import calls, says
from assistant.tools.tool import ToolContext, ToolResult
from tests.turn.conftest import Company

VISITOR = Customer(tenant="shop", id="v-1", locale="de")
KNOWN = Identified(level="verified", customer="4711", name="Ana")


async def test_the_identity_is_read_from_the_log(company: Company) -> None:
    ana = company.chat(says("Hello."), customer=VISITOR)
    await ana.says("Hi")
    await ana.session.record(KNOWN)

    assert ana.session.customer == Customer(
        tenant="shop", id="4711", level="verified", name="Ana", locale="de"
    )
    await ana.session.answered()
    again = await company.reopen(ana)
    assert again.session.customer.id == "ana"  # the key's own, until the site identifies a customer
    await again.session.welcome(VISITOR)
    assert again.session.customer == ana.session.customer


async def test_returning_as_a_visitor_keeps_the_identity(company: Company) -> None:
    ana = company.chat(says("Hello."), customer=VISITOR)
    await ana.says("Hi")
    await ana.session.record(KNOWN)
    before = len(ana.session.entries)
    await ana.session.welcome(VISITOR)
    await ana.session.answered()

    assert ana.session.state.level == "verified"
    assert [type(one.entry) for one in ana.session.entries[before:]] == [Identified]


async def test_a_signed_in_customer_keeps_their_identity(company: Company) -> None:
    ana = company.chat(says("Hello."), customer=VISITOR)
    await ana.says("Hi")
    await ana.session.record(KNOWN)
    signed_in = Customer(tenant="shop", id="7", level="signed_in")
    await ana.session.welcome(signed_in)

    assert ana.session.customer == signed_in


async def test_the_running_turn_uses_it_from_the_next_call_on(
    company: Company,
) -> None:
    company.hours = first = Witness(company.hours.spec, company.hours.behaviour, company.clock)
    company.appointments = then = Witness(
        company.appointments.spec, company.appointments.behaviour, company.clock
    )
    ana = company.chat(
        calls("get_opening_hours"),
        calls("list_upcoming_appointments"),
        says("Hello Ana."),
        customer=VISITOR,
    )
    first.finds_out = lambda: ana.session.record(KNOWN, "t1")
    await ana.says("Hi")

    (unknown,), (known,) = first.seen, then.seen
    assert (unknown.id, unknown.level, unknown.locale) == ("v-1", "anonymous", "en")
    assert (known.id, known.level, known.locale) == ("4711", "verified", "en")


@dataclass(slots=True)
class Witness(FakeTool):
    """A tool that remembers for whom it ran, and finds out who that is."""

    seen: list[Customer] = field(default_factory=list[Customer])
    finds_out: Callable[[], Awaitable[None]] | None = None

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        self.seen.append(customer)
        if self.finds_out is not None:
            await self.finds_out()
        return ToolResult(value=True)

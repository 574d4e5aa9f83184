"""A customer's own credential in a conversation: until it expires, and for the signed-in customer alone."""

from dataclasses import replace

import pytest

from assistant.conversation.customer import Customer, CustomerCredential
from assistant.store.memory_log import MemoryLog
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

SIGNED_IN = Customer(tenant="shop", id="ana", level="signed_in", name="Ana")


@pytest.fixture
def company(company: Company) -> Company:
    """Appointments, and cancelling them, need the customer's own credential."""
    for tool in (company.appointments, company.cancel):
        tool.spec = replace(tool.spec, credential=True, requires="signed_in")
    return company


def lasting(company: Company, seconds: float) -> CustomerCredential:
    ends = company.clock.now_ms() + int(seconds * 1000)
    return CustomerCredential(token="anas-own-token", expires_ms=ends)


async def test_with_it_the_tool_runs_and_without_it_nothing_is_announced(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments"),
        says("Please sign in again."),
        calls("list_upcoming_appointments"),
        says("On Tuesday."),
        customer=SIGNED_IN,
    )
    assert "I'll look up" not in await ana.says("When is my appointment?")
    assert company.appointments.ran == []

    await ana.session.take_credential(lasting(company, 60))

    assert "I'll look up your appointments" in await ana.says("And now?")
    assert len(company.appointments.ran) == 1


async def test_when_it_has_expired_the_tool_is_denied(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments"),
        says("Please sign in again."),
        customer=SIGNED_IN,
    )
    await ana.session.take_credential(lasting(company, 60))
    await company.clock.sleep(60)

    scene = await ana.says("When is my appointment?")

    assert "[list_upcoming_appointments denied]" in scene
    assert company.appointments.ran == []


async def test_a_change_that_was_agreed_to_too_late_is_not_made(company: Company) -> None:
    ana = company.chat(
        calls(("cancel_appointment", {"day": "Tuesday"})),
        says("Please sign in again."),
        customer=SIGNED_IN,
    )
    await ana.session.take_credential(lasting(company, 120))
    assert "Shall I cancel your eye test" in await ana.says("Cancel my appointment")
    await company.clock.sleep(120)

    scene = await ana.says("Yes", button=True)

    assert company.cancel.ran == []
    assert "[cancel_appointment denied]" in scene


async def test_a_verified_visitor_cannot_use_it(company: Company) -> None:
    spec = company.appointments.spec
    company.appointments.spec = replace(spec, requires="anonymous")  # not even where the level is enough
    for level in ("anonymous", "verified"):
        ana = company.chat(
            calls("list_upcoming_appointments"),
            says("You would have to sign in."),
            customer=replace(SIGNED_IN, level=level),
            log=MemoryLog(),
        )
        await ana.session.take_credential(lasting(company, 60))

        assert "[list_upcoming_appointments denied]" in await ana.says("When is my appointment?")
        assert company.appointments.ran == []

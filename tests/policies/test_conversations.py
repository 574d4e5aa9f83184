"""Policies in conversations: what a model gets, what is denied, and what a restart or an hour changes."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.outcomes import CallDenied
from assistant.errors import LogError
from assistant.testing.chat import ANA, Chat, StoppingLog
from assistant.testing.fake_tool import Gives, Refuses
from assistant.testing.script import Line, calls, says
from tests.policies.conftest import PolicyCompany, chosen

RETURNS = 'when = ["I want to send something back"]\ntools = ["add_note"]'
ORDERS = 'tools = ["get_order_status"]'
ORDER_7 = ("get_order_status", {"order": "7"})
TUESDAY = ("cancel_appointment", {"day": "Tuesday"})


def denied(chat: Chat) -> list[CallDenied]:
    ended = (one.entry.outcome for one in chat.session.entries if isinstance(one.entry, CallEnded))
    return [one for one in ended if isinstance(one, CallDenied)]


async def test_a_model_gets_a_policy_when_the_customer_wants_it(company: PolicyCompany) -> None:
    company.folder.write("returns", RETURNS, "# Returns\n\n1. Ask which order it is.")
    ana = company.opened(says("Hello!"), says("Which order is it?"), says("I see."))

    await ana.says("Hello")
    await ana.says("Can I send my glasses back?")
    await ana.says("10482")

    assert chosen(ana) == [(), ("returns",), ()]
    hello, returning, number = company.notes
    assert "Ask which order" not in hello
    assert returning.startswith("A note of ours")
    assert "Returns:\n\n1. Ask which order it is." in returning
    # The number answers a question of the policy, so it is told once more.
    assert "1. Ask which order it is." in number


async def test_a_called_tool_chooses_its_policy_for_the_narrator(company: PolicyCompany) -> None:
    company.folder.write("orders", ORDERS, "1. Compare the dates.")
    ana = company.opened(calls(ORDER_7), says("It has shipped."), says("I can't see that."))

    await ana.says("Where is order 7?")
    await ana.says("When does it come?")

    assert [request.role for request in company.model.requests] == ["decider", "narrator", "decider"]
    assert ["Compare the dates." in note for note in company.notes] == [False, True, True]


async def test_a_value_from_a_policy_may_be_told(company: PolicyCompany) -> None:
    company.folder.write("returns", RETURNS, "1. They have 45 days, and a label costs $7.30.")
    told = "You have 45 days, and a label costs $7.30."
    ana = company.opened(
        says(told), says("Hi."), says("A label costs $9.99."), says("I can't say what a label costs.")
    )

    assert await ana.says("Can I send my glasses back?") == f"Assistant: {told}"
    await ana.says("Hello")
    assert "$9.99" not in await ana.says("Can I send the case back?")


async def test_a_call_out_of_order_is_denied_and_later_allowed(company: PolicyCompany) -> None:
    company.folder.write(
        "cancelling",
        'tools = ["add_note"]\n[[rules]]\ntool = "add_note"\nonly_after = "get_order_status"\n'
        'say = "I have to look at the order first"',
    )
    company.respec(company.orders, trusted=True)
    ana = company.opened(
        calls(("add_note", {"text": "late"})),
        says("I could not note that: I have to look at the order first."),
        calls(ORDER_7),
        calls(("add_note", {"text": "late"})),
        says("Noted."),
    )

    await ana.says("Note that order 7 is late")
    assert ana.scene.splitlines() == [
        "  [add_note denied]",
        "Assistant: I could not note that: I have to look at the order first.",
    ]
    [refused] = denied(ana)
    assert refused.say == "I have to look at the order first"
    assert refused.for_model == (
        "By the policy 'cancelling', 'add_note' may run only after 'get_order_status' has succeeded in this "
        "conversation. Call that first, and then 'add_note' again."
    )
    assert company.note.ran == []

    await ana.says("Then look at it and note it")
    assert "[get_order_status ok]" in ana.scene
    assert "[add_note ok]" in ana.scene


async def test_a_denied_call_is_neither_announced_nor_asked_about(company: PolicyCompany) -> None:
    company.folder.write(
        "cancelling",
        'tools = ["add_note"]\n[[rules]]\ntool = "cancel_appointment"\nonly_after = "list_upcoming_appointments"',
    )
    ana = company.opened(
        calls(TUESDAY),
        says("Something else has to be done before that."),
        calls("list_upcoming_appointments"),
        calls(TUESDAY),
        says("You have one on Tuesday."),
        says("It is cancelled."),
    )

    assert (await ana.says("Cancel my Tuesday appointment")).splitlines() == [
        "  [cancel_appointment denied]",
        "Assistant: Something else has to be done before that.",
    ]
    assert "Shall I cancel your eye test on Tuesday at 2 pm?" in await ana.says("Look it up and cancel it")
    assert "[cancel_appointment ok]" in await ana.says("yes")


async def test_a_call_waits_for_another_that_its_rule_needs(company: PolicyCompany) -> None:
    company.folder.write(
        "bills",
        'tools = ["add_note"]\n[[rules]]\ntool = "get_open_invoices"\nonly_after = "get_order_status"',
    )
    company.orders.behaviour = Gives({"status": "shipped"}, after_s=2.0)
    ana = company.opened(calls("get_open_invoices", ORDER_7), says("Shipped, and $150."))

    said = await ana.says("My bill and order 7")

    assert "[get_open_invoices ok]" in said
    assert "[get_order_status ok]" in said
    assert denied(ana) == []


async def test_a_step_that_failed_does_not_count(company: PolicyCompany) -> None:
    company.folder.write(
        "bills",
        'tools = ["add_note"]\n[[rules]]\ntool = "get_open_invoices"\nonly_after = "get_order_status"',
    )
    ana = company.opened(calls("get_open_invoices", ORDER_7), says("I can't do that just now."))
    company.orders.behaviour = Refuses("the order book is closed")

    assert "[get_open_invoices denied]" in await ana.says("My bill and order 7")


async def test_a_condition_uses_the_newest_result(company: PolicyCompany) -> None:
    company.folder.write(
        "cancelling",
        'tools = ["add_note"]\n[[rules]]\ntool = "add_note"\n'
        "only_if = 'results.get_order_status.status != \"shipped\"'\n"
        'say.en = "it has left us already"\nsay.de = "die Bestellung ist schon unterwegs"',
    )
    note = calls(("add_note", {"text": "hold it"}))
    ana = company.opened(
        note,
        says("Noted."),
        calls(ORDER_7),
        note,
        says("It has left us."),
        calls(ORDER_7),
        note,
        says("Noted."),
    )

    assert "[add_note ok]" in await ana.says("Note that you should hold it")
    company.orders.behaviour = Gives({"status": "shipped"})
    assert "[add_note denied]" in await ana.says("Look at order 7, and note that you should hold it")
    assert [one.say for one in denied(ana)] == ["it has left us already"]
    # That nothing is found any more is the newest result, too.
    company.orders.behaviour = Gives([])
    assert "[add_note ok]" in await ana.says("Look at order 7 again, and note that you should hold it")


async def test_a_condition_uses_the_claims_of_the_site(company: PolicyCompany) -> None:
    company.folder.write(
        "notes", 'tools = ["add_note"]\n[[rules]]\ntool = "add_note"\nonly_if = "claims.plan == \'gold\'"'
    )
    note = calls(("add_note", {"text": "x"}))
    signed_in = replace(ANA, level="signed_in")
    for plan, how in (("gold", "ok"), ("free", "denied")):
        ana = company.opened(note, says("There."), customer=signed_in, log=StoppingLog(1_000))
        await ana.session.welcome(
            signed_in, CustomerCredential(token="t", expires_ms=2**53, claims={"plan": plan})
        )

        assert f"[add_note {how}]" in await ana.says("Note that for me: x")
        # What the site says of the customer is for no model.
        assert all("free" not in one.for_model for one in denied(ana))


async def test_a_policy_may_require_more_than_the_tool(company: PolicyCompany) -> None:
    company.folder.write(
        "notes",
        'tools = ["add_note"]\n[[rules]]\ntool = "add_note"\nconfirm = true\n'
        '[[rules]]\ntool = "get_opening_hours"\nrequires = "verified"',
    )
    visitor = Customer(tenant="shop", id="visitor")
    ana = company.opened(calls(("add_note", {"text": "x"})), says("Noted."))
    stranger = company.opened(
        calls("get_opening_hours"), says("Who are you?"), customer=visitor, log=StoppingLog(1_000)
    )

    assert "Shall I" in await ana.says("Note x")
    assert "[add_note ok]" in await ana.says("yes")
    # It is not announced either: a lookup that is refused must not be promised.
    assert (await stranger.says("When are you open?")).splitlines() == [
        "  [get_opening_hours denied]",
        "Assistant: Who are you?",
    ]


async def test_a_policy_applies_to_its_tenants_in_its_hours(company: PolicyCompany) -> None:
    company.folder.write(
        "orders",
        f'{ORDERS}\nwhen = "order"\ntenants = ["shop"]\n[hours]\ntue = ["00:00-00:00"]\n'
        '[[rules]]\ntool = "get_opening_hours"\nonly_after = "get_order_status"',
        "1. Compare the dates.",
    )
    lines: Sequence[Line] = (calls("get_opening_hours"), says("There."))
    days_to_tuesday = (1 - company.clock.now().weekday()) % 7

    monday = company.opened(*lines, log=StoppingLog(1_000))
    await company.clock.sleep(timedelta(days=days_to_tuesday).total_seconds() - 24 * 3600)
    assert "[get_opening_hours ok]" in await monday.says("My order: when are you open?")
    assert "Compare" not in company.notes[0]

    await company.clock.sleep(24 * 3600)
    tuesday = company.opened(*lines, log=StoppingLog(1_000))
    assert "[get_opening_hours denied]" in await tuesday.says("My order: when are you open?")
    assert "Compare" in company.notes[0]

    elsewhere = company.opened(
        *lines, customer=Customer(tenant="other", id="ana", level="verified"), log=StoppingLog(1_000)
    )
    assert "[get_opening_hours ok]" in await elsewhere.says("My order: when are you open?")


async def test_policies_do_not_change_the_beginning_of_requests(company: PolicyCompany) -> None:
    company.folder.write("returns", RETURNS, "1. Ask which order it is.")
    ana = company.opened(says("Hello!"), says("Which order is it?"))

    await ana.says("Hello")
    await ana.says("I want to send it back")

    first, second = company.model.requests
    assert first.view.system == second.view.system
    assert first.tools == second.tools
    assert second.view.messages[0] == first.view.messages[0]


@pytest.mark.parametrize("most", range(3, 12))
async def test_a_restart_uses_the_same_policies(most: int, company: PolicyCompany) -> None:
    company.folder.write("returns", RETURNS, "1. Ask which order it is.")
    log = StoppingLog(most)
    ana = company.opened(says("Which order is it, please?"), log=log)
    with suppress(LogError):
        await ana.says("I want to send it back")
    await ana.session.close()
    company.models.clear()

    entries: Sequence[Logged] = tuple(log.kept)
    again = company.opened(*[says("Which order is it, please?")] * 2, log=StoppingLog(1_000), entries=entries)
    again.session.resume()
    await again.session.answered()

    assert chosen(again) == [("returns",)]
    assert all("1. Ask which order it is." in note for note in company.notes)
    company.models.clear()

"""A call may use the result of another call of the same decision: it runs as soon as that exists, or fails with
the reason.
"""

import pytest

from assistant.conversation.outcomes import CallCancelled, CallFailed, Outcome
from assistant.conversation.values import Json
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Behaviour, Broken, Gives, Refuses
from assistant.testing.scene import scene
from assistant.testing.script import CallLine, calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

APPOINTMENTS = "list_upcoming_appointments"


def of(tool: str, path: str = "") -> Json:
    return {"$from": tool, "path": path}


def order(value: Json) -> CallLine:
    return ("get_order_status", {"order": value})


def note(value: Json) -> CallLine:
    return ("add_note", {"text": value})


def outcomes(chat: Chat) -> list[Outcome]:
    turn = chat.session.state.turns[-1]
    return [turn.outcomes[call.id] for call in turn.calls]


async def test_a_call_starts_when_its_source_has_ended(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", order(of("get_open_invoices", "[0].order")), APPOINTMENTS, each_s=0.1),
        says(["On its way."]),
        billing=Gives([{"order": "A7"}], after_s=2),
        orders=Gives("shipped", after_s=1),
        appointments=Gives("Tuesday", after_s=4),
    )

    said = await ana.says("Check what my bill is about, and my appointments")

    assert said == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing, check your order and look up your appointments.
          [get_open_invoices ok]
          [get_order_status ok]
          [list_upcoming_appointments ok]
        Assistant: On its way.
    """)
    assert [line for line in timeline(ana.batches).splitlines() if '"' not in line and "(" not in line] == [
        "0.2 get_open_invoices starts",
        "0.8 list_upcoming_appointments starts",
        "2.2 get_open_invoices ok",
        "2.2 get_order_status starts",
        "3.2 get_order_status ok",
        "4.8 list_upcoming_appointments ok",
        "4.8 answered",
    ]
    assert company.orders.ran == [({"order": "A7"}, "c-1/t1/c1.2")]
    assert outcomes(ana)[1].call.arguments == {"order": "A7"}


async def test_a_reference_may_point_forwards_and_at_one_of_several(company: Company) -> None:
    ana = company.chat(
        calls(
            order(of("get_order_status#3", "next")),
            order("B1"),
            order(of("get_opening_hours", "order")),
            "get_opening_hours",
        ),
        says("Both are shipped."),
        orders=Gives({"next": "B2"}, after_s=1),
        hours=Gives({"order": "B3"}),
    )

    await ana.says("Check them all")

    assert [arguments["order"] for arguments, _ in company.orders.ran] == ["B1", "B3", "B2"]


@pytest.mark.parametrize(
    ("billing", "why"),
    [
        (Refuses("billing is down"), "it needs the result of 'get_open_invoices', which failed"),
        (Broken(), "it needs the result of 'get_open_invoices', which failed"),
        (Gives(150, after_s=60), "it needs the result of 'get_open_invoices', which took too long"),
        (Gives([]), "it needs something that 'get_open_invoices' did not find"),
    ],
)
async def test_a_call_whose_source_has_no_result_is_cancelled_with_the_reason(
    company: Company, billing: Behaviour, why: str
) -> None:
    ana = company.chat(
        calls("get_open_invoices", order(of("get_open_invoices", "[0].order")), APPOINTMENTS),
        says("Tuesday, and no word of the order."),
        billing=billing,
    )

    said = await ana.says("Where is my order?")

    _, dependent, sibling = outcomes(ana)
    assert isinstance(dependent, CallCancelled)
    assert dependent.why == why
    assert "[list_upcoming_appointments ok]" in said
    assert sibling.call.tool == APPOINTMENTS
    assert company.orders.ran == []


async def test_an_empty_result_may_be_used(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", order(of("get_open_invoices"))), says("None."), billing=Gives([])
    )

    await ana.says("What of my bills?")

    assert [arguments for arguments, _ in company.orders.ran] == [{"order": []}]


@pytest.mark.parametrize(
    ("decided", "said"),
    [
        (order(of("get_invoices")), "'get_invoices' is not called in this decision"),
        (order(of("get_open_invoices#2")), "'get_open_invoices' is called once in this decision"),
        (order(of("get_order_status")), "'get_order_status' refers to its own result"),
        (order({"$from": "get_open_invoices", "at": "x"}), "there can be nothing, not at"),
        (
            order(of("get_open_invoices", "[0].number")),
            "'order' cannot be taken from get_open_invoices: there is nothing at '[0].number': no 'number', for "
            "what stands at [0] is an object with 'amount'.",
        ),
    ],
)
async def test_a_dangling_reference_is_an_outcome_that_the_model_can_correct(
    company: Company, decided: CallLine, said: str
) -> None:
    ana = company.chat(calls("get_open_invoices", decided), calls(order("A7")), says("Shipped."))

    told = await ana.says("Where is my order?")

    _, faulty, corrected = outcomes(ana)
    assert isinstance(faulty, CallFailed)
    assert said in faulty.for_model
    assert faulty.say == "I could not work out the details"
    assert corrected.call.arguments == {"order": "A7"}
    assert "[get_open_invoices ok]" in told


async def test_calls_that_wait_for_one_another_fail_and_all_others_run(company: Company) -> None:
    ana = company.chat(
        calls(
            order(of("add_note")),
            note(of("get_order_status")),
            "get_open_invoices",
        ),
        says("$150."),
    )

    await ana.says("Check what I owe")

    first, second, third = outcomes(ana)
    assert isinstance(first, CallFailed)
    assert isinstance(second, CallFailed)
    assert "wait for one another" in first.for_model
    assert third.call.tool == "get_open_invoices"
    assert (company.orders.ran, company.note.ran) == ([], [])


async def test_filled_in_arguments_are_checked_like_others(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", ("get_order_status", {"number": of("get_open_invoices", "[0].amount")})),
        says("I could not look."),
    )

    await ana.says("Where is it?")

    failed = outcomes(ana)[1]
    assert isinstance(failed, CallFailed)
    assert "'number' is not a parameter, got '150.00'" in failed.for_model


async def test_a_side_effect_with_references_waits_for_earlier_side_effects(
    company: Company,
) -> None:
    company.respec(company.billing, trusted=True)
    ana = company.chat(
        calls(APPOINTMENTS, "get_open_invoices", note(of("get_open_invoices", "text")), note("last")),
        says(["Noted."]),
        appointments=Gives("Tuesday", after_s=9),
        billing=Gives({"text": "first"}, after_s=1),
        note=Gives("noted", after_s=2),
    )

    await ana.says("Note down what my bill says")

    runs = [line for line in timeline(ana.batches).splitlines() if "note" in line and '"' not in line]
    assert runs == ["1.0 add_note starts", "3.0 add_note ok", "9.0 add_note starts", "11.0 add_note ok"]
    assert [arguments["text"] for arguments, _ in company.note.ran] == ["first", "last"]


async def test_a_side_effect_cannot_use_the_result_of_a_later_one(company: Company) -> None:
    company.respec(company.cancel)
    ana = company.chat(
        calls(note(of("cancel_appointment", "text")), ("cancel_appointment", {"day": "2026-03-10"})),
        says("Cancelled."),
    )

    await ana.says("Cancel Tuesday and note it down")

    first, second = outcomes(ana)
    assert isinstance(first, CallFailed)
    assert "'cancel_appointment', which is decided after it" in first.for_model
    assert second.call.tool == "cancel_appointment"
    assert company.note.ran == []


async def test_a_lookup_of_a_side_effects_result_does_not_delay_that(company: Company) -> None:
    ana = company.chat(
        calls(note("late"), order(of("add_note", "order"))),
        says("Noted and shipped."),
        note=Gives({"order": "A7"}, after_s=1),
    )

    await ana.says("Note that I am late, then check the order")

    assert company.orders.ran == [({"order": "A7"}, "c-1/t1/c1.2")]


async def test_a_read_back_has_the_arguments_that_will_be_used(company: Company) -> None:
    company.cancel.clause = None
    ana = company.chat(
        calls(APPOINTMENTS, ("cancel_appointment", {"day": of(APPOINTMENTS, "[0].when")})),
        says("You are due on Tuesday."),
        says("It is cancelled."),
    )

    said = await ana.says("Cancel my next appointment")

    assert said.splitlines()[-1] == (
        "Assistant: Shall I cancel your appointment (day Tuesday, March 10 at 2 pm)?"
    )
    await ana.says("Yes", button=True)
    assert [arguments for arguments, _ in company.cancel.ran] == [{"day": "2026-03-10T14:00"}]


async def test_a_call_that_needs_an_unconfirmed_call_is_cancelled(company: Company) -> None:
    ana = company.chat(
        calls(("cancel_appointment", {"day": "2026-03-10"}), order(of("cancel_appointment", "order"))),
        says("The order comes after that."),
    )

    await ana.says("Cancel it, then check the order")

    dependent = outcomes(ana)[1]
    assert isinstance(dependent, CallCancelled)
    assert dependent.why == "it needs the result of 'cancel_appointment', which waits for the customer's yes"


async def test_a_duplicate_source_has_the_first_calls_result(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices", "get_open_invoices", order(of("get_open_invoices#2", "order"))),
        says("Shipped."),
        billing=Gives({"order": "A7"}, after_s=2),
    )

    await ana.says("Where is what I owe for?")

    assert [arguments for arguments, _ in company.orders.ran] == [{"order": "A7"}]
    assert len(company.billing.ran) == 1


async def test_at_the_deadline_calls_that_wait_for_a_running_call_are_cancelled(company: Company) -> None:
    company.respec(company.billing, timeout_s=60)
    ana = company.chat(
        calls("get_open_invoices", order(of("get_open_invoices", "order"))),
        says("Too slow."),
        limits=Limits(tools_s=3),
        billing=Gives({"order": "A7"}, after_s=5),
    )

    await ana.begins("Where is it?")
    await company.clock.sleep(4)

    turn = ana.session.state.turns[0]
    dependent = turn.outcomes["c1.2"]
    assert isinstance(dependent, CallCancelled)
    assert dependent.why == "it needs the result of 'get_open_invoices', which has no result yet"
    assert turn.pending == {"c1.1"}


async def test_a_call_with_references_resumes_with_its_arguments(
    company: Company,
) -> None:
    ana = company.chat(
        calls("get_open_invoices", order(of("get_open_invoices", "order"))),
        billing=Gives({"order": "A7"}),
        orders=Gives("shipped", after_s=5),
    )
    await ana.begins("Where is it?")
    await company.clock.sleep(1)
    await ana.session.close()

    again = await company.reopen(ana, says("Shipped."))
    again.session.resume()
    await again.session.answered()

    assert [arguments for arguments, _ in company.orders.ran] == [{"order": "A7"}] * 2
    assert again.scene.endswith("Assistant: Shipped.")


async def test_models_are_told_about_references_once(company: Company) -> None:
    ana = company.chat(says("Hello."))

    await ana.says("Hello")

    request = company.model.requests[0]
    assert request.view.system.count('"$from"') == 1
    assert "$from" not in str([spec.parameters for spec in request.tools])

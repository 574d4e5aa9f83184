"""A model's mistakes become outcomes that it can correct; the number of rounds is limited."""

from dataclasses import replace

from assistant.conversation.outcomes import CallCancelled, CallFailed
from assistant.conversation.views import FromAssistant, FromTools
from assistant.testing.fake_tool import Refuses
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company

BILLING = "get_open_invoices"


async def test_an_unknown_tool_is_an_outcome_that_the_model_can_correct(company: Company) -> None:
    ana = company.chat(calls("get_invoices"), calls(BILLING), says("You owe $150."))

    assert await ana.says("What do I owe?") == "\n".join(
        [
            "  [get_invoices failed]",
            "Assistant (status): I'll also check your billing.",
            "  [get_open_invoices ok]",
            "Assistant: You owe $150.",
        ]
    )
    told = company.model.requests[1].view.messages[-1]
    assert isinstance(told, FromTools)
    failed = told.outcomes[0]
    assert isinstance(failed, CallFailed)
    assert "'get_invoices'" in failed.for_model
    assert BILLING in failed.for_model


async def test_invalid_arguments_are_an_outcome_for_the_model(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"number": "7"})),
        calls(("get_order_status", {"order": "7"})),
        says("Shipped."),
    )

    said = await ana.says("Where is order 7?")

    assert [line for line in said.splitlines() if "[" in line] == [
        "  [get_order_status failed]",
        "  [get_order_status ok]",
    ]
    told = company.model.requests[1].view.messages[-1]
    assert isinstance(told, FromTools)
    failed = told.outcomes[0]
    assert isinstance(failed, CallFailed)
    assert "'number' is not a parameter, got '7'" in failed.for_model
    assert company.orders.ran == [({"order": "7"}, "c-1/t1/c2.1")]


async def test_tools_are_offered_in_three_rounds_and_the_fourth_must_answer(company: Company) -> None:
    ana = company.chat(calls(BILLING), calls(BILLING), calls(BILLING), says("Enough: $150."))

    said = await ana.says("Check my bill")

    assert said.endswith("Assistant: Enough: $150.")
    assert [request.may_call for request in company.model.requests] == [True, True, True, False]
    assert all(request.tools is company.model.requests[0].tools for request in company.model.requests)


async def test_a_narrator_that_still_calls_is_replaced_by_the_templates(company: Company) -> None:
    orders = [calls(("get_order_status", {"order": str(number)})) for number in range(1, 5)]
    ana = company.chat(*orders)

    said = await ana.says("Check my orders")

    assert said.splitlines()[-1] == (
        "Assistant: From templates: get_order_status ok, get_order_status ok, get_order_status ok."
    )
    assert len(company.orders.ran) == 3
    assert ana.session.state.turns[-1].how == "answered"


async def test_a_model_that_repeats_its_requests_ends_with_an_honest_answer(
    company: Company,
) -> None:
    ana = company.chat(calls(BILLING), calls(BILLING), calls(BILLING), calls(BILLING))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
          [get_open_invoices cancelled]
          [get_open_invoices cancelled]
        Assistant: From templates: get_open_invoices ok.
    """)
    assert len(company.billing.ran) == 1
    assert ana.session.state.turns[-1].how == "answered"


async def test_the_number_of_rounds_is_a_limit(company: Company) -> None:
    ana = company.chat(calls(BILLING), says("$150."), limits=Limits(rounds=2))

    await ana.says("Check my bill")

    assert not company.model.requests[1].may_call


async def test_text_before_a_later_call_is_a_status(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments"), calls(BILLING, text="One more thing."), says("Tuesday; $150.")
    )

    assert await ana.says("Check my appointments") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments.
          [list_upcoming_appointments ok]
        Assistant (status): One more thing.
          [get_open_invoices ok]
        Assistant: Tuesday; $150.
    """)


async def test_the_narrator_gets_exactly_the_acknowledgement_of_the_customer(company: Company) -> None:
    ana = company.chat(calls("list_upcoming_appointments", BILLING), says("Tuesday; $150."))

    await ana.says("Check my appointments and billing")

    request = company.model.requests[1]
    assert "Sure, I'll look up your appointments and check your billing." in request.view.late
    assert FromAssistant("", tuple(ana.session.state.turns[0].calls)) in request.view.messages


async def test_the_decider_keeps_earlier_lookups_without_our_hints(company: Company) -> None:
    ana = company.chat(calls(BILLING), says("$150."), says("You're welcome."))
    await ana.says("Check my bill")

    await ana.says("Thanks")

    (call,) = ana.session.state.turns[0].calls
    outcome = ana.session.state.turns[0].outcomes[call.id]
    assert company.model.requests[2].view.messages[1:4] == (
        FromAssistant("", (call,)),
        FromTools((outcome,)),
        FromAssistant("$150."),
    )


async def test_a_side_effect_decided_after_results_were_read_always_needs_a_yes(company: Company) -> None:
    note = ("add_note", {"text": "late"})
    ana = company.chat(calls(BILLING), calls(note), says("You owe $150."), says("It is noted."))

    said = await ana.says("Check my bill")

    assert "  [add_note asked]" in said
    assert company.note.ran == []
    await ana.says("Yes", button=True)
    assert [arguments for arguments, _ in company.note.ran] == [note[1]]


async def test_a_model_that_repeats_a_call_is_told_where_its_result_is(company: Company) -> None:
    ana = company.chat(calls(BILLING), calls((BILLING, {})), says("$150."))

    await ana.says("Check my bill")

    told = company.model.requests[2].view.messages[-1]
    assert isinstance(told, FromTools)
    (repeat,) = told.outcomes
    assert isinstance(repeat, CallCancelled)
    assert repeat.duplicate_of == "c1.1"
    assert "its result stands with that call" in repeat.why


async def test_a_failed_lookup_is_not_repeated_and_one_that_never_ran_is(company: Company) -> None:
    ana = company.chat(
        calls(BILLING, ("get_order_status", {"order": {"$from": BILLING}})),
        calls(BILLING, ("get_order_status", {"order": "7"})),
        says("Billing is down; your order is shipped."),
        billing=Refuses("billing is down"),
    )

    await ana.says("Check my bill and its order")

    assert len(company.billing.ran) == 1
    assert company.orders.ran == [({"order": "7"}, "c-1/t1/c2.2")]


async def test_an_unidentified_customer_is_not_promised_a_protected_lookup(company: Company) -> None:
    company.billing.spec = replace(company.billing.spec, requires="signed_in")
    ana = company.chat(calls("list_upcoming_appointments", BILLING), says("Tuesday; please sign in."))

    assert await ana.says("Check my appointments and my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments.
          [list_upcoming_appointments ok]
          [get_open_invoices denied]
        Assistant: Tuesday; please sign in.
    """)

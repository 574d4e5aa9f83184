"""The acknowledgement grows while the decision streams; lookups begin meanwhile."""

from dataclasses import replace
from itertools import pairwise

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.tool_spec import Acknowledge
from assistant.testing.fake_tool import Gives
from assistant.testing.scene import scene
from assistant.testing.script import CallLine, calls, says
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

ORDER: CallLine = ("get_order_status", {"order": "7"})
NOTE: CallLine = ("add_note", {"text": "late"})


async def test_first_words_come_with_the_first_name_and_lookups_begin_early(
    company: Company,
) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", first_s=0.4, each_s=0.1),
        says(["Tuesday; $150."]),
        appointments=Gives("Tuesday", after_s=3),
        billing=Gives(150, after_s=3),
    )

    await ana.says("Check my appointments and billing")

    assert timeline(ana.batches) == scene("""
        0.4 "Sure, I'll look up your appointments"
        0.6 list_upcoming_appointments starts
        0.9 get_open_invoices starts
        1.0 " and check your billing."
        1.0 (acknowledgement)
        3.6 list_upcoming_appointments ok
        3.9 get_open_invoices ok
        3.9 "Tuesday; $150."
        3.9 (response)
        3.9 answered
    """)


async def test_one_hint_is_held_until_it_is_known_whether_it_is_the_last(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", "get_opening_hours", each_s=0.1),
        says(["All well."]),
    )

    await ana.says("Check everything")

    pieces = [line for line in timeline(ana.batches).splitlines() if '"' in line]
    assert pieces[:3] == [
        '0.0 "Sure, I\'ll look up your appointments"',
        '0.6 ", check your billing"',
        '0.9 " and check the opening hours."',
    ]


async def test_from_the_fourth_call_on_they_are_only_counted(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", "get_opening_hours", ORDER), says("Done.")
    )

    said = await ana.says("Check everything")

    assert said.splitlines()[0] == (
        "Assistant (acknowledgement): Sure, I'll look up your appointments, check your billing "
        "and take care of two more things."
    )


async def test_the_acknowledgement_names_the_calls_that_it_announces(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "x"}), "get_open_invoices"), says("$150."))

    await ana.says("Cancel it and check my billing")

    assert ana.session.state.turns[-1].messages[0].call_ids == ("c1.2",)


async def test_equal_hints_are_said_once(company: Company) -> None:
    ana = company.chat(
        calls(ORDER, ("get_order_status", {"order": "8"}), "get_open_invoices"), says("On their way.")
    )

    said = await ana.says("Check orders 7 and 8, and billing")

    assert said.splitlines()[0] == (
        "Assistant (acknowledgement): Sure, I'll check your order and check your billing."
    )
    assert ana.session.state.turns[-1].messages[0].call_ids == ("c1.1", "c1.2", "c1.3")


async def test_a_tool_without_a_hint_is_announced_in_neutral_words(company: Company) -> None:
    company.billing.spec = replace(company.billing.spec, hints={})
    ana = company.chat(calls("get_open_invoices"), says("$150."))

    assert (await ana.says("Check my bill")).startswith(
        "Assistant (acknowledgement): Sure, I'll look into that."
    )


async def test_a_lookup_that_was_made_before_waits_for_its_arguments(company: Company) -> None:
    ana = company.chat(calls(ORDER), says("Shipped."), calls(ORDER, each_s=0.1), says(["Still."]))
    await ana.says("Check order 7")
    ana.batches.clear()

    await ana.says("Check order 7 again")

    assert timeline(ana.batches).splitlines()[:2] == [
        '0.2 "Of course, I\'ll check your order"',
        "0.2 get_order_status starts",
    ]


async def test_the_same_lead_in_is_never_used_twice_in_a_row(company: Company) -> None:
    lookups = [line for _ in range(5) for line in (calls("get_open_invoices"), says("$150."))]
    ana = company.chat(*lookups)

    leads = [(await ana.says("Check my bill")).splitlines()[0].partition(" check")[0] for _ in range(5)]

    assert all(lead != following for lead, following in pairwise(leads)), leads


async def test_later_rounds_announce_in_a_status_each_with_another_lead_in(company: Company) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments"),
        calls("get_open_invoices"),
        calls("get_opening_hours"),
        says("All three: fine."),
    )

    assert await ana.says("Check my appointments") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments.
          [list_upcoming_appointments ok]
        Assistant (status): I'll also check your billing.
          [get_open_invoices ok]
        Assistant (status): Next, I'll check the opening hours.
          [get_opening_hours ok]
        Assistant: All three: fine.
    """)


async def test_a_side_effect_waits_for_its_arguments_and_gets_no_sure(company: Company) -> None:
    ana = company.chat(calls(NOTE, each_s=0.1), says(["Noted."]))

    await ana.says("Please write down that I am late")

    assert timeline(ana.batches).splitlines()[:3] == [
        '0.2 "All right, I\'ll note that down"',
        '0.3 "."',
        "0.3 (acknowledgement)",
    ]


async def test_a_side_effect_does_not_join_a_sentence_that_began_with_sure(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices", NOTE), says("$150, and I noted it."))

    said = await ana.says("Please check my bill and write down that I am late")

    assert said.splitlines()[0] == "Assistant (acknowledgement): Sure, I'll check your billing."
    assert company.note.ran


@pytest.mark.parametrize("acknowledge", ["auto", "always"])
async def test_a_call_that_will_be_refused_is_not_announced(
    company: Company, acknowledge: Acknowledge
) -> None:
    company.respec(company.billing, acknowledge=acknowledge)
    ana = company.chat(
        calls("get_open_invoices"),
        says("I don't know yet who you are."),
        customer=Customer(tenant="shop", id="visitor"),
    )

    assert await ana.says("What do I owe?") == "\n".join(
        ["  [get_open_invoices denied]", "Assistant: I don't know yet who you are."]
    )


async def test_invalid_arguments_are_not_announced(company: Company) -> None:
    company.respec(company.note, acknowledge="always")
    ana = company.chat(calls(("add_note", {"colour": "red"})), says("I could not."))

    assert await ana.says("Note it in red") == "\n".join(["  [add_note failed]", "Assistant: I could not."])


async def test_a_tool_that_is_never_announced_runs_unannounced(company: Company) -> None:
    company.respec(company.billing, acknowledge="never")
    ana = company.chat(calls("get_open_invoices"), says("$150."))

    assert await ana.says("What do I owe?") == "\n".join(["  [get_open_invoices ok]", "Assistant: $150."])


async def test_an_always_announced_tool_does_not_wait_after_an_earlier_call(
    company: Company,
) -> None:
    company.respec(company.billing, acknowledge="always")
    ana = company.chat(
        calls("get_open_invoices"), says("$150."), calls("get_open_invoices", each_s=0.1), says(["$150."])
    )
    await ana.says("Check my bill")
    ana.batches.clear()

    await ana.says("Check my bill again")

    assert timeline(ana.batches).startswith('0.0 "Of course, I\'ll check your billing"')


async def test_a_call_without_arguments_starts_when_the_decision_is_complete(company: Company) -> None:
    ana = company.chat(calls(("get_open_invoices", ""), each_s=0.5), says(["$150."]))

    await ana.says("Check my bill")

    assert timeline(ana.batches).splitlines()[:3] == [
        '0.0 "Sure, I\'ll check your billing"',
        "0.5 get_open_invoices starts",
        '0.5 "."',
    ]


async def test_a_lookup_that_needs_a_yes_is_not_announced_before_it(company: Company) -> None:
    company.respec(company.billing, confirm=True)
    ana = company.chat(calls("get_open_invoices"), says("$150."))

    assert await ana.says("Check my bill") == "\n".join(
        ["  [get_open_invoices asked]", "Assistant: Shall I check your billing?"]
    )
    assert await ana.says("yes") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: $150.
    """)

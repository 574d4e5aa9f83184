"""Calls with unreadable arguments: requested again, or reported to the model, never lost silently."""

import pytest

from assistant.conversation.outcomes import CallFailed
from assistant.conversation.views import FromTools
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company

BAD_BILLING = ("get_open_invoices", '{"since": ')
BAD_ORDER = ("get_order_status", '{"order": 7')
ORDER = ("get_order_status", {"order": "7"})


@pytest.mark.parametrize("arguments", ['{"since": ', "[1, 2]", '"all"', "nonsense"])
async def test_if_none_can_be_read_the_model_is_asked_again(company: Company, arguments: str) -> None:
    ana = company.chat(
        calls(("get_open_invoices", arguments)), calls("get_open_invoices", each_s=0.1), says("$150.")
    )

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant: $150.
    """)
    assert "get_open_invoices" in company.model.requests[1].view.late


async def test_calls_of_the_second_reply_join_the_sentence(company: Company) -> None:
    ana = company.chat(calls(BAD_BILLING), calls("list_upcoming_appointments"), says("Tuesday."))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing and look up your appointments.
          [list_upcoming_appointments ok]
        Assistant: Tuesday.
    """)


async def test_a_second_reply_in_words_ends_the_sentence_and_is_the_answer(company: Company) -> None:
    ana = company.chat(calls(BAD_BILLING), says("I cannot see your bills."))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
        Assistant: I cannot see your bills.
    """)


async def test_a_second_failure_ends_the_sentence_and_then_apologises(company: Company) -> None:
    ana = company.chat(calls(BAD_BILLING), calls(BAD_BILLING))

    assert await ana.says("Check my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
        Assistant: I'm sorry, something went wrong on our side and I couldn't finish this. Please try again.
    """)
    assert ana.session.state.turns[-1].how == "apologised"


async def test_the_readable_call_runs_and_the_model_learns_of_the_other(company: Company) -> None:
    ana = company.chat(calls(BAD_ORDER, "get_open_invoices"), calls(ORDER), says("Shipped; you owe $150."))

    assert await ana.says("Check order 7 and my bill") == scene("""
        Assistant (acknowledgement): Sure, I'll check your order and check your billing.
          [get_order_status failed]
          [get_open_invoices ok]
        Assistant (status): I'll also check your order.
          [get_order_status ok]
        Assistant: Shipped; you owe $150.
    """)
    told = company.model.requests[1].view.messages[-1]
    assert isinstance(told, FromTools)
    failed = told.outcomes[0]
    assert isinstance(failed, CallFailed)
    assert '{"order": 7' in failed.for_model
    assert [arguments for arguments, _ in company.orders.ran] == [{"order": "7"}]


async def test_an_unreadable_side_effect_is_never_run(
    company: Company,
) -> None:
    ana = company.chat(calls(("add_note", '{"text": "la'), "get_open_invoices"), says("$150, no note."))

    assert await ana.says("Check my bill and write down that I am late") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [add_note failed]
          [get_open_invoices ok]
        Assistant: $150, no note.
    """)
    assert company.note.ran == []


async def test_in_a_later_round_it_fails_and_the_narrator_tries_again(company: Company) -> None:
    ana = company.chat(calls("get_open_invoices"), calls(BAD_ORDER), calls(ORDER), says("All fine."))

    assert await ana.says("Check my bill and order 7") == scene("""
        Assistant (acknowledgement): Sure, I'll check your billing.
          [get_open_invoices ok]
        Assistant (status): I'll also check your order.
          [get_order_status failed]
        Assistant (status): Next, I'll check your order.
          [get_order_status ok]
        Assistant: All fine.
    """)

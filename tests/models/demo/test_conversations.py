"""How the embedded model reads a message, alone and after others."""

import pytest

from assistant.conversation.values import Json
from tests.models.demo.conftest import OpenTalk

ORDERS: Json = [{"number": "20311", "product": "sunglasses"}, {"number": "20455", "product": "lenses"}]


async def test_two_requests_in_one_message_become_two_calls(talk: OpenTalk) -> None:
    assert await talk().says("Check my appointments and billing") == [
        ("list_upcoming_appointments", {}),
        ("get_open_invoices", {}),
    ]


async def test_a_missing_argument_is_asked_for_and_completes_the_call(talk: OpenTalk) -> None:
    ana = talk()

    assert await ana.says("Cancel my order please") == "OfflineAsk(cancel order; order_number; ; ())?"
    assert await ana.says("it's 20311") == [("cancel_order", {"order_number": "20311"})]


async def test_several_missing_arguments_are_asked_for_one_after_the_other(talk: OpenTalk) -> None:
    ana = talk()

    assert await ana.says("I'd like to book an appointment") == "OfflineAsk(book appointment; day; ; ())?"
    assert await ana.says("on Friday") == "OfflineAsk(book appointment; time; ; ())?"
    assert await ana.says("half past ten") == [("book_appointment", {"day": "2026-11-27", "time": "10:30"})]


async def test_another_request_is_no_answer(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my order please")

    assert await ana.says("when are you open on Monday?") == [("get_opening_hours", {"day": "2026-11-23"})]


async def test_a_refusal_is_no_answer(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my order please")

    assert isinstance(await ana.says("no, don't cancel 20311"), str)


async def test_a_missing_value_is_asked_for_after_the_other_results(talk: OpenTalk) -> None:
    ana = talk()

    assert await ana.says("What do I owe, and where is my order?") == [("get_open_invoices", {})]
    assert await ana.narrates() == "Told get_open_invoices. OfflineAsk(get order status; order_number; ; ())?"
    assert await ana.says("20455") == [("get_order_status", {"order_number": "20455"})]


async def test_a_side_effect_waits_for_the_answer_to_the_other_question(talk: OpenTalk) -> None:
    ana = talk()

    said = await ana.says("Cancel my Tuesday appointment and cancel my order")

    assert str(said).startswith("OfflineAsk(cancel order")
    assert await ana.says("20311") == [
        ("cancel_appointment", {"day": "2026-11-24"}),
        ("cancel_order", {"order_number": "20311"}),
    ]


async def test_a_correction_changes_the_call_that_was_read_back(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my appointment on Tuesday")

    assert await ana.says("no, Wednesday") == [("cancel_appointment", {"day": "2026-11-25"})]


async def test_a_weekday_with_its_date_is_one_day(talk: OpenTalk) -> None:
    ana = talk()

    assert await ana.says("Cancel my appointment on Friday, December 4") == [
        ("cancel_appointment", {"day": "2026-12-04"})
    ]


async def test_a_correction_of_a_move_is_about_the_new_day(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Move my appointment from Tuesday to Thursday at 3 pm")

    assert await ana.says("sorry, I meant Friday at 4") == [
        ("reschedule_appointment", {"day": "2026-11-24", "new_day": "2026-11-27", "new_time": "16:00"})
    ]


async def test_only_the_first_of_two_is_kept(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my appointment on Tuesday and cancel order 20311")

    assert await ana.says("only the first one") == [("cancel_appointment", {"day": "2026-11-24"})]


async def test_one_value_for_two_actions_corrects_neither(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my appointment on Tuesday and book Friday at 3 pm")

    assert isinstance(await ana.says("no, Wednesday"), str)


async def test_a_correction_that_changes_nothing_is_none(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my appointment on Tuesday")

    assert isinstance(await ana.says("no, better not"), str)


@pytest.mark.parametrize(
    ("question", "arguments"),
    [
        ("what about the second one?", "20455"),
        ("and the first one?", "20311"),
        ("how about the last one", "20455"),
    ],
)
async def test_a_follow_up_refers_to_the_last_results(talk: OpenTalk, question: str, arguments: str) -> None:
    ana = talk({"get_order_status": ORDERS})
    await ana.says("where is my order 20311")

    assert await ana.says(question) == [("get_order_status", {"order_number": arguments})]


async def test_a_follow_up_without_a_match_repeats_the_lookup(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("what do I owe you?")

    assert await ana.says("what about the second one?") == [("get_open_invoices", {})]


async def test_a_follow_up_may_change_the_day(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("when are you open on Monday?")

    assert await ana.says("and on Friday?") == [("get_opening_hours", {"day": "2026-11-27"})]


async def test_a_side_effect_is_never_repeated_by_a_follow_up(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("cancel order 20311")

    assert isinstance(await ana.says("what about the second one?"), str)


async def test_the_second_one_of_the_results_can_be_cancelled(talk: OpenTalk) -> None:
    ana = talk({"get_order_status": ORDERS})
    await ana.says("where is my order 20311")

    assert await ana.says("cancel the second order") == [("cancel_order", {"order_number": "20455"})]


async def test_an_action_that_is_only_mentioned_is_asked_about_first(talk: OpenTalk) -> None:
    ana = talk()

    assert await ana.says("I might cancel order 20311") == "OfflineUnsure(('cancel order',))?"
    assert await ana.says("yes please") == [("cancel_order", {"order_number": "20311"})]


async def test_a_question_of_the_assistant_may_be_ignored(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("I might cancel order 20311")

    assert await ana.says("thanks, bye") == "OfflineSmalltalk(goodbye)?"


@pytest.mark.parametrize(
    ("message", "about"), [("hi there!", "greeting"), ("thank you so much", "thanks"), ("bye", "goodbye")]
)
async def test_small_talk_is_answered(talk: OpenTalk, message: str, about: str) -> None:
    assert await talk().says(message) == f"OfflineSmalltalk({about})?"


async def test_if_nothing_fits_the_customer_hears_what_is_possible(talk: OpenTalk) -> None:
    said = str(await talk().says("Who won the football match yesterday?"))

    assert said.startswith("OfflineHelp(('list upcoming appointments', ")
    assert said.endswith("; True)?")


async def test_a_request_for_help_lists_what_is_possible(talk: OpenTalk) -> None:
    assert str(await talk().says("What can you do?")).endswith("; False)?")


async def test_a_request_for_the_same_thing_twice_is_one_call(talk: OpenTalk) -> None:
    assert await talk().says("What do I owe? Please check my billing.") == [("get_open_invoices", {})]


async def test_two_orders_are_two_calls(talk: OpenTalk) -> None:
    assert await talk().says("Where is order 20311 and where is order 20455?") == [
        ("get_order_status", {"order_number": "20311"}),
        ("get_order_status", {"order_number": "20455"}),
    ]


async def test_a_number_next_to_the_request_is_its_argument(talk: OpenTalk) -> None:
    assert await talk().says("It's about 20311. Please cancel my order.") == [
        ("cancel_order", {"order_number": "20311"})
    ]


async def test_a_short_number_is_an_answer_too(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my order please")

    assert await ana.says("number 77") == [("cancel_order", {"order_number": "77"})]


async def test_text_is_no_answer_if_a_number_is_needed(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my order please")

    assert isinstance(await ana.says("the blue ones"), str)


async def test_an_answer_may_refer_to_the_last_results(talk: OpenTalk) -> None:
    ana = talk({"get_order_status": ORDERS})
    await ana.says("where is my order 20311")
    await ana.says("cancel my order")

    assert await ana.says("the second one") == [("cancel_order", {"order_number": "20455"})]


async def test_it_means_the_only_thing_that_was_found(talk: OpenTalk) -> None:
    ana = talk({"get_order_status": {"number": 20311, "status": "processing"}})
    await ana.says("where is my order 20311")

    assert await ana.says("please cancel my order, I don't need it") == [
        ("cancel_order", {"order_number": "20311"})
    ]


async def test_a_position_beyond_the_results_is_asked_for(talk: OpenTalk) -> None:
    ana = talk({"get_order_status": ORDERS})
    await ana.says("where is my order 20311")

    assert str(await ana.says("cancel the third order")).startswith("OfflineAsk(cancel order")


@pytest.mark.parametrize(
    ("answer", "call"),
    [
        ("the first one", "cancel_appointment"),
        ("the second one", "reschedule_appointment"),
        ("cancel my appointment", "cancel_appointment"),
    ],
)
async def test_one_of_two_offered_requests_is_chosen(talk: OpenTalk, answer: str, call: str) -> None:
    ana = talk()
    said = str(await ana.says("I can't make it on Tuesday"))
    assert said == "OfflineUnsure(('cancel appointment', 'reschedule appointment'))?"

    reply = await ana.says(answer)

    assert call.replace("_", " ") in reply if isinstance(reply, str) else reply[0][0] == call


async def test_an_answer_that_chooses_neither_is_a_new_message(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("I can't make it on Tuesday")

    assert str(await ana.says("what's the capital of France?")).endswith("; True)?")


async def test_a_correction_may_keep_the_last_of_two(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Cancel my appointment on Tuesday and cancel order 20311")

    assert await ana.says("just the last one") == [("cancel_order", {"order_number": "20311"})]


async def test_a_change_without_a_new_value_is_asked_for(talk: OpenTalk) -> None:
    ana = talk()

    assert str(await ana.says("I want to change my phone number")).startswith(
        "OfflineAsk(update contact details; phone"
    )
    assert await ana.says("0171 5550134") == [("update_contact_details", {"phone": "0171 5550134"})]


async def test_that_day_means_the_day_that_was_looked_up(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("is anything free on Monday?")

    assert await ana.says("book that at 10") == [("book_appointment", {"day": "2026-11-23", "time": "10:00"})]

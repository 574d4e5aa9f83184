"""Which thing a customer means: one that was found, one that must be looked up first, or an unclear one."""

import pytest

from assistant.conversation.values import Json
from tests.models.demo.conftest import OpenTalk
from tests.support.rows import check_rows

MONDAY = "2026-11-23"
LOOKS: Json = [("list_upcoming_appointments", {})]
CANCEL_FIRST = [("cancel_appointment", {"appointment_id": "A1"})]
CANCEL_SECOND = [("cancel_appointment", {"appointment_id": "A2"})]
BOTH = [*CANCEL_FIRST, *CANCEL_SECOND]


@pytest.mark.parametrize(
    ("request_", "call"),
    [
        ("cancel my lens fitting", CANCEL_SECOND),
        ("cancel the appointment with Dr. Lee", CANCEL_FIRST),
        ("please cancel the second appointment", CANCEL_SECOND),
        ("cancel both appointments", BOTH),
        ("cancel my appointments", BOTH),
    ],
)
async def test_an_unknown_thing_is_looked_up_first(shop: OpenTalk, request_: str, call: Json) -> None:
    ana = shop()

    assert await ana.says(request_) == LOOKS
    assert await ana.goes_on() == call


async def test_one_verb_may_name_several_things(talk: OpenTalk) -> None:
    cancels = [("cancel_order", {"order_number": number}) for number in ("20311", "20455")]
    made = {
        "cancel order 20311 and order 20455": cancels,
        "cancel orders 20311 and 20455": cancels,
        "cancel order 20311, 20455": cancels,
        "cancel my Tuesday appointment and order 20455": [
            ("cancel_appointment", {"day": "2026-11-24"}),
            cancels[1],
        ],
        "cancel order 20311, or 20455": cancels[:1],
        "cancel order 20311, order 20455 stays": cancels[:1],
        "cancel order 20311 and keep order 20455": cancels[:1],
    }

    assert {request: await talk().says(request) for request in made} == made


async def test_two_actions_have_their_own_things_and_none_runs_early(shop: OpenTalk) -> None:
    ana = shop()

    assert await ana.says("cancel the eye test and book a lens fitting on Friday at 10 am") == LOOKS
    assert await ana.goes_on() == [
        *CANCEL_FIRST,
        ("book_appointment", {"day": "2026-11-27", "time": "10:00", "service": "lens fitting"}),
    ]


async def test_another_part_of_the_message_can_name_the_thing(shop: OpenTalk) -> None:
    assert await shop().says("Tell me about order 10455, then cancel it") == [
        ("get_order_status", {"order_number": "10455"}),
        ("cancel_order", {"order_number": "10455"}),
    ]


async def test_a_needed_lookup_is_told_as_far_as_it_was_meant(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("cancel my lens fitting")
    await ana.goes_on()
    ana.messages = ana.messages[:3]

    assert await ana.narrates(may_call=False) == "Told list_upcoming_appointments A2."


@check_rows(
    ("answer", "call"),
    [
        ("the lens fitting", CANCEL_SECOND),
        ("the second one", CANCEL_SECOND),
        ("2nd one please", CANCEL_SECOND),
        ("the December one", CANCEL_SECOND),
        ("the one on Friday", CANCEL_SECOND),
        ("the earlier one", CANCEL_FIRST),
        ("Dr. Lee", CANCEL_FIRST),
        ("the one at 2 pm", CANCEL_FIRST),
        ("both", BOTH),
        ("Thursday", [("cancel_appointment", {"day": "2026-11-26"})]),
    ],
)
async def test_if_several_things_are_possible_the_customer_is_asked(
    shop: OpenTalk, answer: str, call: Json
) -> None:
    ana = shop()
    await ana.says("cancel my appointment")

    asked = str(await ana.goes_on())

    assert asked.startswith("Told list_upcoming_appointments A1 A2. OfflineAsk(cancel your appointment")
    assert await ana.says(answer) == call


@pytest.mark.parametrize("answer", ["no", "never mind", "not the lens fitting", "hm", "yes"])
async def test_a_message_that_names_none_of_them_cancels_none(shop: OpenTalk, answer: str) -> None:
    ana = shop()
    await ana.says("cancel my appointment")
    await ana.goes_on()

    reply = await ana.says(answer)

    assert isinstance(reply, str) or reply == CANCEL_FIRST, "only ruling one of two out leaves the other"


async def test_the_only_thing_is_meant(shop: OpenTalk) -> None:
    visit = {"id": "A7", "starts": "2026-11-24T14:00", "service": "eye test"}
    ana = shop({"list_upcoming_appointments": [visit]})
    await ana.says("cancel my appointment")

    assert await ana.goes_on() == [("cancel_appointment", {"appointment_id": "A7"})]


async def test_if_there_are_no_things_that_is_told(shop: OpenTalk) -> None:
    ana = shop({"list_upcoming_appointments": []})
    await ana.says("cancel my appointment")

    assert await ana.goes_on() == "Told list_upcoming_appointments."


@pytest.mark.parametrize(
    ("correction", "call"),
    [
        ("no, the December one", CANCEL_SECOND),
        ("no, the lens fitting", CANCEL_SECOND),
        ("the other one", CANCEL_SECOND),
        ("I meant the one with Dr. Novak", CANCEL_SECOND),
    ],
)
async def test_a_correction_may_name_another_thing(shop: OpenTalk, correction: str, call: Json) -> None:
    ana = shop()
    await ana.says("show me my appointments")
    await ana.says("Cancel my appointment on Tuesday")

    assert await ana.says(correction) == call


async def test_another_action_may_be_wanted_for_the_same_thing(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel my appointment on Tuesday")

    assert await ana.says("no, move it to Thursday instead") == [
        ("reschedule_appointment", {"new_day": "2026-11-26", "day": "2026-11-24"})
    ]


async def test_another_action_may_name_the_full_date(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel my lens fitting")
    await ana.goes_on()

    assert await ana.says("actually, move it to Monday, December 7 at 10 am") == [
        ("reschedule_appointment", {"appointment_id": "A2", "new_day": "2026-12-07", "new_time": "10:00"})
    ]


async def test_another_action_with_a_missing_value_is_asked_about(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel my appointment on Tuesday")

    assert str(await ana.says("no, I want to reschedule it")).startswith(
        "OfflineAsk(move your appointment; new_day"
    )


async def test_an_offered_action_can_be_ordered(shop: OpenTalk) -> None:
    ana = shop()
    assert str(await ana.says("I can't make it on Tuesday")).startswith(
        "OfflineUnsure(('cancel your appointment'"
    )

    assert await ana.says("cancel it") == [("cancel_appointment", {"day": "2026-11-24"})]


async def test_an_offered_action_is_not_done_after_a_maybe(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("I can't make it on Tuesday")

    assert isinstance(await ana.says("maybe I should cancel it"), str)


async def test_an_unknown_thing_in_a_correction_is_looked_up(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel my appointment on Tuesday")

    assert await ana.says("no, the lens fitting") == LOOKS
    assert await ana.goes_on() == CANCEL_SECOND


async def test_a_correction_that_fits_nothing_changes_nothing(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel my appointment on Tuesday")
    await ana.says("no, the hair cut")

    assert isinstance(await ana.goes_on(), str)


async def test_one_of_two_actions_is_kept_by_its_name(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("Cancel order 10455 and my appointment on Tuesday")

    assert await ana.says("only the order, please") == [("cancel_order", {"order_number": "10455"})]


SHIFTED: Json = {"new_day": "2026-11-26", "new_time": "15:00", "appointment_id": "A1"}
ABOUT_THE_LAST: list[tuple[str, str, Json]] = [
    ("when is my lens fitting?", "Please cancel it", CANCEL_SECOND),
    ("where are my sunglasses?", "cancel them", [("cancel_order", {"order_number": "10455"})]),
    ("when is my eye test?", "move it to Thursday at 3 pm", [("reschedule_appointment", SHIFTED)]),
    (
        "what's free on Monday?",
        "book the first one",
        [("book_appointment", {"day": MONDAY, "time": "09:00"})],
    ),
    ("what's free on Monday?", "9:30 please", [("book_appointment", {"day": MONDAY, "time": "09:30"})]),
    ("what's free on Monday?", "and the day after?", [("find_free_slots", {"day": "2026-11-24"})]),
    ("are you open on Monday?", "and the day before?", [("get_opening_hours", {"day": "2026-11-22"})]),
    ("show my appointments", "when was that again?", LOOKS),
    ("what do I owe?", "and my appointments?", LOOKS),
]


@check_rows(("first", "then", "call"), ABOUT_THE_LAST)
async def test_a_message_is_about_the_newest_topic(shop: OpenTalk, first: str, then: str, call: Json) -> None:
    ana = shop()
    await ana.says(first)
    await ana.narrates()

    assert await ana.says(then) == call


async def test_a_time_that_was_not_offered_is_not_chosen(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("what's free on Monday?")

    assert isinstance(await ana.says("3 pm please"), str)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("when is my lens fitting?", "A2"),
        ("what are my appointments in December?", "A2"),
        ("show me my appointments", "A1 A2"),
        ("when is my next appointment?", "A1"),
        ("show me my appointments, and are you open on Friday?", "A1 A2"),
    ],
)
async def test_only_the_requested_things_are_told(shop: OpenTalk, question: str, told: str) -> None:
    ana = shop()
    await ana.says(question)

    assert (await ana.narrates()).startswith(f"Told list_upcoming_appointments {told}.")


async def test_the_question_comes_with_the_results_that_it_needs(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("move my lens fitting")

    said = str(await ana.goes_on())
    assert said.startswith("Told list_upcoming_appointments A2. OfflineAsk(move your appointment; new_day")
    assert await ana.says("December 7 at 10 am") == [
        ("reschedule_appointment", {"appointment_id": "A2", "new_day": "2026-12-07", "new_time": "10:00"})
    ]


@pytest.mark.parametrize("message", ["actually don't", "never mind", "no", "please don't cancel anything"])
async def test_a_customer_who_wants_nothing_done_hears_that_nothing_was(shop: OpenTalk, message: str) -> None:
    assert await shop().says(message) == "Confirmation(no)?"


async def test_a_yes_without_a_question_gets_a_question(shop: OpenTalk) -> None:
    assert await shop().says("yes, okay") == "OfflineHelp((); ; False)?"


async def test_a_value_completes_an_offered_request(shop: OpenTalk) -> None:
    ana = shop()
    assert str(await ana.says("my phone number changed")).startswith("OfflineUnsure")

    assert await ana.says("555 0199") == [("update_contact_details", {"phone": "555 0199"})]


async def test_an_ambiguous_request_keeps_its_thing(shop: OpenTalk) -> None:
    ana = shop()
    await ana.says("where are my sunglasses?")
    await ana.says("can I still cancel them")

    assert await ana.says("yes") == [("cancel_order", {"order_number": "10455"})]


@pytest.mark.parametrize("order", ["no", "yes", "both", "what", "i don't know"])
async def test_an_answer_that_is_no_name_is_not_used_as_one(shop: OpenTalk, order: str) -> None:
    ana = shop({"get_order_status": []})
    ana.messages.clear()
    await ana.says("cancel my order")

    assert await ana.says(order) != [("cancel_order", {"order_number": order})]

"""Appointments: what is told, what is asked before a change, and what is changed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from assistant.conversation.values import Json
from assistant.errors import BadArguments, ToolError
from tests.demo_tools.conftest import Counter

BOTH = (
    "You have an appointment on Tuesday, November 24 at 2 pm: eye test with Dr. Lee."
    " Your next one after that is on Friday, December 4 at 10:30 am: lens fitting with Dr. Novak."
)


async def test_both_appointments_are_told_soonest_first(ana: Counter) -> None:
    assert await ana.hears("list_upcoming_appointments") == BOTH


async def test_a_third_one_is_told_after_them(ana: Counter) -> None:
    await ana.value("book_appointment", day="2026-12-10", time="09:00", service="lens fitting")

    assert await ana.hears("list_upcoming_appointments") == (
        f"{BOTH} Then there is one on Thursday, December 10 at 9 am: lens fitting with Dr. Lee."
    )


async def test_only_the_requested_period_is_told(ana: Counter) -> None:
    assert await ana.hears("list_upcoming_appointments", days_ahead=1) == "You have no upcoming appointments."
    with pytest.raises(BadArguments, match="days_ahead"):
        await ana.value("list_upcoming_appointments", days_ahead=0)


async def test_a_past_appointment_is_not_upcoming(ana: Counter) -> None:
    later = replace(ana, now=ana.now + timedelta(days=5))

    assert await ana.hears("list_upcoming_appointments") == BOTH
    assert await later.hears("list_upcoming_appointments") == (
        "You have an appointment on Friday, December 4 at 10:30 am: lens fitting with Dr. Novak."
    )


@pytest.mark.parametrize(
    ("day", "heard"),
    [
        (
            "2026-11-24",
            "On Tuesday, November 24 you could come at 9 am, 9:30 am, 10 am or 10:30 am, or later.",
        ),
        ("2026-11-22", "We have nothing free on Sunday, November 22."),
        ("2026-11-20", "We have nothing free on Friday, November 20."),
    ],
)
async def test_free_times_of_a_day(ana: Counter, day: str, heard: str) -> None:
    assert await ana.hears("find_free_slots", day=day) == heard


async def test_free_times_soon_begin_with_the_rest_of_today(ana: Counter) -> None:
    late = replace(ana, now=ana.now + timedelta(hours=3))

    assert await late.hears("find_free_slots") == (
        "On Saturday, November 21 you could come at 3:30 pm."
        " On Monday, November 23 you could come at 9 am, 9:30 am, 10 am or 10:30 am, or later."
    )


async def test_a_booking_is_read_back_made_and_listed(ana: Counter) -> None:
    wanted: dict[str, Json] = {"day": "2026-11-26", "time": "16:00"}

    assert await ana.is_asked("book_appointment", **wanted) == (
        "book an eye test for you on Thursday, November 26 at 4 pm"
    )
    assert await ana.hears("book_appointment", **wanted) == (
        "Your eye test is booked for Thursday, November 26 at 4 pm with Dr. Lee."
    )
    assert "Thursday, November 26 at 4 pm" in await ana.hears("list_upcoming_appointments")


@pytest.mark.parametrize(
    ("day", "time", "clause"),
    [
        (
            "2026-11-25", "09:00",
            "we have nothing free on Wednesday, November 25 at 9 am; you could come at 9:30 am, 10 am or 10:30 am",
        ),
        (
            "2026-11-25", "10:15",
            "we have nothing free on Wednesday, November 25 at 10:15 am;"
            " you could come at 9:30 am, 10 am or 10:30 am",
        ),
        ("2026-11-22", "10:00", "we are closed on Sunday, November 22"),
        ("2026-11-20", "10:00", "Friday, November 20 at 10 am is in the past"),
    ],
)  # fmt: skip
async def test_an_impossible_booking_is_refused_before_the_question(
    ana: Counter, day: str, time: str, clause: str
) -> None:
    for attempt in (ana.is_asked, ana.value):
        with pytest.raises(ToolError) as refused:
            await attempt("book_appointment", day=day, time=time)
        assert refused.value.say == clause


async def test_a_day_that_is_full_says_so(ana: Counter) -> None:
    for half_hour in range(18, 36):
        for _ in range(2):
            time = f"{half_hour // 2:02}:{half_hour % 2 * 30:02}"
            await ana.value("book_appointment", day="2026-12-01", time=time)

    with pytest.raises(ToolError, match="Tuesday, December 1 at 9 am, nor at any other time that day"):
        await ana.value("book_appointment", day="2026-12-01", time="09:00")


async def test_the_appointment_meant_is_found_by_day(ana: Counter) -> None:
    assert await ana.is_asked("cancel_appointment", day="2026-11-24") == (
        "cancel your eye test on Tuesday, November 24 at 2 pm"
    )
    assert await ana.hears("cancel_appointment", day="2026-11-24") == (
        "Your eye test on Tuesday, November 24 at 2 pm is cancelled."
    )
    assert "November 24" not in await ana.hears("list_upcoming_appointments")
    # With only one left, "cancel my appointment" is enough.
    assert (
        await ana.is_asked("cancel_appointment")
        == "cancel your lens fitting on Friday, December 4 at 10:30 am"
    )


async def test_the_appointment_meant_is_found_by_id(ana: Counter) -> None:
    assert await ana.is_asked("cancel_appointment", appointment_id="A1002") == (
        "cancel your lens fitting on Friday, December 4 at 10:30 am"
    )


async def test_of_several_appointments_it_asks_which(ana: Counter) -> None:
    with pytest.raises(ToolError) as asked:
        await ana.is_asked("cancel_appointment")

    assert asked.value.say == (
        "you have two appointments, on Tuesday, November 24 at 2 pm and Friday, December 4 at 10:30 am;"
        " which one do you mean"
    )
    assert "A1001 (eye test, 2026-11-24T14:00)" in asked.value.for_model


async def test_of_several_on_one_day_the_time_decides(ana: Counter) -> None:
    await ana.value("book_appointment", day="2026-11-24", time="10:00")

    with pytest.raises(ToolError) as asked:
        await ana.is_asked("cancel_appointment", day="2026-11-24")

    assert asked.value.say == (
        "you have two appointments on Tuesday, November 24, at 10 am and 2 pm; which one do you mean"
    )
    assert await ana.is_asked("cancel_appointment", day="2026-11-24", time="14:00") == (
        "cancel your eye test on Tuesday, November 24 at 2 pm"
    )


@pytest.mark.parametrize(
    ("arguments", "clause"),
    [
        (
            {"day": "2026-11-23"},
            "you have no appointment on Monday, November 23; yours are on Tuesday, November 24 at 2 pm"
            " and Friday, December 4 at 10:30 am",
        ),
        (
            {"appointment_id": "A9"},
            "you have no such appointment; yours are on Tuesday, November 24 at 2 pm"
            " and Friday, December 4 at 10:30 am",
        ),
    ],
)
async def test_a_missing_appointment_is_not_guessed(
    ana: Counter, arguments: dict[str, Json], clause: str
) -> None:
    with pytest.raises(ToolError) as refused:
        await ana.value("cancel_appointment", **arguments)

    assert refused.value.say == clause


async def test_without_appointments_there_is_nothing_to_cancel(ana: Counter) -> None:
    await ana.value("cancel_appointment", day="2026-11-24")
    with pytest.raises(
        ToolError, match="you have no appointment on Tuesday, November 24; yours is on Friday"
    ):
        await ana.value("cancel_appointment", day="2026-11-24")
    await ana.value("cancel_appointment")

    with pytest.raises(ToolError, match="you have no upcoming appointment"):
        await ana.value("cancel_appointment")


async def test_an_appointment_moves_to_another_day_at_the_same_time(ana: Counter) -> None:
    wanted: dict[str, Json] = {"day": "2026-11-24", "new_day": "2026-11-26"}

    assert await ana.is_asked("reschedule_appointment", **wanted) == (
        "move your eye test from Tuesday, November 24 at 2 pm to Thursday, November 26 at 2 pm"
    )
    assert await ana.hears("reschedule_appointment", **wanted) == (
        "Your eye test has moved from Tuesday, November 24 at 2 pm to Thursday, November 26 at 2 pm with Dr. Lee."
    )


async def test_an_appointment_moves_to_another_time(ana: Counter) -> None:
    told = await ana.hears("reschedule_appointment", day="2026-11-24", new_day="2026-11-24", new_time="16:30")

    assert "to Tuesday, November 24 at 4:30 pm" in told


async def test_a_slot_that_was_given_up_is_free_again(
    ana: Counter, counter: Callable[[str], Counter]
) -> None:
    with pytest.raises(ToolError):
        await counter("bo").is_asked("book_appointment", day="2026-11-24", time="14:00")

    await ana.value("cancel_appointment", day="2026-11-24")

    assert await counter("bo").is_asked("book_appointment", day="2026-11-24", time="14:00")

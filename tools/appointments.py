"""Appointments at the demo shop: what is booked, what is free, and changing it."""

from datetime import date, time, timedelta
from typing import Annotated, Literal

from pydantic import Field

from assistant import Customer, ToolContext, tool
from tools import _calendar, _crm, _german, _questions
from tools._bookings import Moved, book, cancel, choose, move
from tools._calendar import Appointment, FreeDay, FreeSlots

Service = Literal["eye test", "lens fitting"]


@tool(
    waiting_hint="looking up your appointments",
    sorted_by="oldest_first",
    hints={"de": ("Ihre Termine heraussuchen", "suche Ihre Termine heraus")},
    trusted=True,
    examples=[
        "show me my appointments",
        "do I have an appointment",
        "my appointments",
        "when is my next appointment",
        "what time is my eye test",
        "when do I have to be there",
        "am I booked in for anything",
        "check my bookings",
        "is my lens fitting this week or next week",
        "what have I got scheduled with you",
        "which day is my check-up",
        "I forgot the date of my appointment",
        "who am I seeing, Dr. Lee or Dr. Novak",
        "when am I due to come in",
        "when are you expecting me",
        "when do I come in next",
        "when am I coming",
        "did I book something for December",
        "am I supposed to come by this week",
        "do I have anything with you that day",
        "which days have I arranged with you",
    ],
    narration={
        "en": """
        {% for one in value[:4] %}
          {% if loop.first %}You have an appointment
          {% elif loop.index == 2 %}Your next one after that is
          {% else %}Then there is one
          {% endif %}
          on {{ one.starts | when }}: {{ one.service }} with {{ one.optician }}.
        {% else %}You have no upcoming appointments.
        {% endfor %}
        {% if value[4:] %}There are more after that.{% endif %}
    """,
        "de": _german.UPCOMING,
    },
)
def list_upcoming_appointments(
    customer: Customer, context: ToolContext, days_ahead: Annotated[int, Field(ge=1, le=365)] = 60
) -> list[Appointment]:
    """List the customer's upcoming appointments, soonest first.

    Args:
        days_ahead: how far to look, in days.

    Source: the demo shop's calendar.
    """
    with _crm.reading(context.now) as db:
        found = _calendar.upcoming(db, _crm.account(db, customer), context.now)
    last = (context.now + timedelta(days=days_ahead)).date().isoformat()
    return [one for one in found if one.starts[:10] <= last]


@tool(
    waiting_hint="looking for a free slot",
    hints={"de": ("nach einem freien Termin suchen", "suche nach einem freien Termin")},
    trusted=True,
    examples=[
        "what times are free",
        "do you have any free appointments",
        "when could I come in",
        "is there a free slot next week",
        "what's available on Monday",
        "when is the next available appointment",
        "which times do you still have on Friday",
        "can you fit me in some time soon",
        "how soon could somebody see me",
        "are there any times left in the afternoon",
        "availability",
        "what days could I get an eye test",
        "any openings tomorrow",
        "anything free on Monday",
        "is there room for me on Friday",
        "what's the earliest you could take me",
        "could an optician see me this week",
    ],
    narration={
        "en": """
        {% for one in value.days %}
          On {{ one.day | day }} you could come at {{ one.times[:4] | map("time") | list | listing("or") }}
          {%- if one.times | length > 4 %}, or later{% endif %}.
        {% else %}
          {% if value.asked %}We have nothing free on {{ value.asked | day }}.
          {% else %}We have nothing free in the coming days.{% endif %}
        {% endfor %}
    """,
        "de": _german.FREE_SLOTS,
    },
)
def find_free_slots(context: ToolContext, day: date | None = None) -> FreeSlots:
    """Find times at which a new appointment could be made, for an eye test or a lens fitting.

    Args:
        day: the day to look at; the next days with free times when left out.

    Returns:
        ``asked``, the day; ``days``, each with its ``day`` and ``times`` (half-hour starts).

    Source: the demo shop's calendar.
    """
    today = context.now.date()
    days = [day] if day else [today + timedelta(days=ahead) for ahead in range(4)]
    with _crm.reading(context.now) as db:
        free = [(one, _calendar.free_times(db, one, context.now)) for one in days]
    found = [FreeDay(one, [f"{at:%H:%M}" for at in times]) for one, times in free if times]
    return FreeSlots(day, found if day else found[:2])


@tool(
    waiting_hint="booking your appointment",
    hints={"de": ("Ihren Termin buchen", "buche Ihren Termin")},
    effect="write",
    confirm=_questions.booking,
    trusted=True,
    examples=[
        "book an appointment",
        "I want to make an appointment",
        "book me in for Thursday at 10",
        "can I get an eye test on Friday at 3 pm",
        "I need an appointment",
        "please schedule a lens fitting for me",
        "reserve the 11 o'clock slot for me",
        "sign me up for an eye test",
        "put me down for Wednesday at noon",
        "I'd like to come in on Monday at 2 pm",
        "make me an appointment for next Tuesday morning at 9",
        "I'll take the slot at half past four",
        "can you squeeze me in on Tuesday at 4",
        "I'd like to have my eyes checked on Friday at 9",
    ],
    narration={
        "en": "Your {{ value.service }} is booked for {{ value.starts | when }} with {{ value.optician }}.",
        "de": _german.BOOKED,
    },
)
def book_appointment(
    customer: Customer, context: ToolContext, day: date, time: time, service: Service = "eye test"
) -> Appointment:
    """Book a new appointment for the customer.

    Args:
        day: the day on which to come.
        time: the time of day at which to come.
        service: what it is for.

    Raises:
        ToolError: that time is not free; it names times that are.

    Source: the demo shop's calendar.
    """
    with _crm.writing(context.now) as db:
        account = _crm.account(db, customer)
        return _crm.once(
            db, context.key, Appointment, lambda: book(db, account, day, time, service, context.now)
        )


@tool(
    waiting_hint="cancelling your appointment",
    hints={"de": ("Ihren Termin absagen", "sage Ihren Termin ab")},
    effect="write",
    confirm=_questions.cancelling,
    trusted=True,
    examples=[
        "cancel my appointment",
        "cancel my appointment on Tuesday",
        "please cancel my eye test",
        "I can't come to my appointment",
        "I have to call off my lens fitting",
        "delete my booking for next week",
        "I won't be able to make it on Friday",
        "drop my appointment with Dr. Lee",
        "you can give my slot to somebody else",
        "I don't need the appointment any longer",
        "call off the check-up",
        "remove my visit from your calendar",
        "something came up, so I'm not coming on Friday",
        "please free up my slot",
    ],
    narration={
        "en": "Your {{ value.service }} on {{ value.starts | when }} is cancelled.",
        "de": _german.CANCELLED,
    },
)
def cancel_appointment(
    customer: Customer,
    context: ToolContext,
    day: date | None = None,
    time: time | None = None,
    appointment_id: str | None = None,
) -> Appointment:
    """Cancel one of the customer's appointments. With only one upcoming, nothing needs to be said of it.

    Args:
        day: the day of the appointment.
        time: its time of day, where there are several on that day.
        appointment_id: its id, from list_upcoming_appointments, instead of day and time.

    Raises:
        ToolError: there is no such appointment, or more than one fits.

    Source: the demo shop's calendar.
    """
    with _crm.writing(context.now) as db:
        account = _crm.account(db, customer)
        return _crm.once(
            db,
            context.key,
            Appointment,
            lambda: cancel(db, choose(db, account, context.now, appointment_id, day, time)),
        )


@tool(
    waiting_hint="moving your appointment",
    hints={"de": ("Ihren Termin verschieben", "verschiebe Ihren Termin")},
    effect="write",
    confirm=_questions.moving,
    trusted=True,
    examples=[
        "reschedule my appointment",
        "move my appointment to Friday",
        "can I change my appointment to another day",
        "I need a different time for my eye test",
        "push my appointment back to next Monday at 10",
        "could I come on Wednesday instead of Tuesday",
        "please shift my lens fitting to the afternoon",
        "change the date of my booking",
        "make it Thursday at 4 pm instead",
        "postpone my check-up by a week",
        "is it possible to swap my slot for a later one",
        "bring my appointment forward to Monday at 9",
        "Tuesday is bad for me, could we do Wednesday",
        "something came up, I need another date",
    ],
    narration={
        "en": """
        Your {{ value.service }} has moved from {{ value.was | when }}
        to {{ value.starts | when }} with {{ value.optician }}.
    """,
        "de": _german.MOVED,
    },
)
def reschedule_appointment(
    customer: Customer,
    context: ToolContext,
    new_day: date,
    new_time: time | None = None,
    day: date | None = None,
    time: time | None = None,
    appointment_id: str | None = None,
) -> Moved:
    """Move one of the customer's appointments to another time.

    Args:
        new_day: the day to move it to.
        new_time: the time of day to move it to; the same time as before when left out.
        day: the day on which it is now.
        time: the time of day at which it is now, where there are several on that day.
        appointment_id: its id, from list_upcoming_appointments, instead of day and time.

    Raises:
        ToolError: there is no such appointment, more than one fits, or the new time is not free.

    Source: the demo shop's calendar.
    """
    with _crm.writing(context.now) as db:
        account = _crm.account(db, customer)

        def act() -> Moved:
            one = choose(db, account, context.now, appointment_id, day, time)
            return move(db, one, new_day, new_time, context.now)

        return _crm.once(db, context.key, Moved, act)

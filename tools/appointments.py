"""Appointments at the demo shop: what is booked, what is free, and changing it."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, Literal

from pydantic import Field

from assistant import Customer, ToolContext, tool
from tools import _calendar, _crm
from tools._calendar import Appointment, FreeDay, FreeSlots, Moved, book, cancel, choose, move
from tools._demo import moment
from tools._texts import read_texts

TEXTS = read_texts(__file__)
Service = Literal["eye test", "lens fitting"]


@tool(
    waiting_hint="looking up your appointments",
    sorted_by="oldest_first",
    hints={"de": ("Ihre Termine heraussuchen", "suche Ihre Termine heraus")},
    trusted=True,
    **TEXTS["list_upcoming_appointments"],
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
    **TEXTS["find_free_slots"],
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


def _confirm_booking(customer: Customer, day: date, time: time, service: Service) -> Appointment:
    with _crm.reading() as db:
        _crm.account(db, customer)
        optician = _calendar.take_slot(db, day, time, _crm.now())
    return Appointment("", moment(day, time), service, optician)


@tool(
    waiting_hint="booking your appointment",
    hints={"de": ("Ihren Termin buchen", "buche Ihren Termin")},
    effect="write",
    confirm=_confirm_booking,
    trusted=True,
    **TEXTS["book_appointment"],
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


def _confirm_cancelling(
    customer: Customer, day: date | None, time: time | None, appointment_id: str | None
) -> Appointment:
    with _crm.reading() as db:
        return choose(db, _crm.account(db, customer), _crm.now(), appointment_id, day, time)


@tool(
    waiting_hint="cancelling your appointment",
    hints={"de": ("Ihren Termin absagen", "sage Ihren Termin ab")},
    effect="write",
    confirm=_confirm_cancelling,
    trusted=True,
    **TEXTS["cancel_appointment"],
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


def _confirm_moving(
    customer: Customer,
    new_day: date,
    new_time: time | None,
    day: date | None,
    time: time | None,
    appointment_id: str | None,
) -> Moved:
    with _crm.reading() as db:
        one = choose(db, _crm.account(db, customer), _crm.now(), appointment_id, day, time)
        at = new_time or datetime.fromisoformat(one.starts).time()
        optician = _calendar.take_slot(db, new_day, at, _crm.now())
    return Moved(one.id, one.starts, moment(new_day, at), one.service, optician)


@tool(
    waiting_hint="moving your appointment",
    hints={"de": ("Ihren Termin verschieben", "verschiebe Ihren Termin")},
    effect="write",
    confirm=_confirm_moving,
    trusted=True,
    **TEXTS["reschedule_appointment"],
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

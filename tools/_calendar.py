"""The shop's calendar: when it is open, which times are free, and the appointments in it."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from assistant import ToolError
from tools._crm import count_word
from tools._demo import moment

OPTICIANS = ("Dr. Lee", "Dr. Novak")
_SLOT = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Appointment:
    """``starts`` is local, "2026-11-24T14:00"."""

    id: str
    starts: str
    service: str
    optician: str


@dataclass(frozen=True, slots=True)
class Moved:
    """An appointment with its old time, ``was``, and its new time, ``starts``."""

    id: str
    was: str
    starts: str
    service: str
    optician: str


@dataclass(frozen=True, slots=True)
class FreeDay:
    """``times`` are starts of half hours, "14:30"."""

    day: date
    times: list[str]


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """The day that was ``asked`` about, if any, and the days with free times, soonest first."""

    asked: date | None
    days: list[FreeDay]


def upcoming(db: sqlite3.Connection, customer: str, now: datetime) -> list[Appointment]:
    """A customer's appointments from now on, soonest first."""
    rows = db.execute(
        "SELECT number, starts, service, optician FROM appointments"
        " WHERE customer = ? AND starts >= ? AND NOT cancelled ORDER BY starts",
        [customer, _local(now)],
    )
    return [Appointment(f"A{row['number']}", row["starts"], row["service"], row["optician"]) for row in rows]


def opening(db: sqlite3.Connection, day: date) -> tuple[time, time] | None:
    """When the shop opens and closes on a day; None if it is closed."""
    row = db.execute("SELECT opens, closes FROM hours WHERE weekday = ?", [day.weekday()]).fetchone()
    return (time.fromisoformat(row["opens"]), time.fromisoformat(row["closes"])) if row else None


def free_times(db: sqlite3.Connection, day: date, now: datetime) -> list[time]:
    """The times on a day at which an optician is free, earliest first."""
    return [at for at in _slots(db, day) if moment(day, at) > _local(now) and free_optician(db, day, at)]


def free_optician(db: sqlite3.Connection, day: date, at: time) -> str | None:
    """An optician who is free at that time; None if there is none."""
    rows = db.execute(
        "SELECT optician FROM appointments WHERE starts = ? AND NOT cancelled", [moment(day, at)]
    )
    busy = {row["optician"] for row in rows}
    return next((one for one in OPTICIANS if one not in busy), None)


def take_slot(db: sqlite3.Connection, day: date, at: time, now: datetime) -> str:
    """An optician who is free at that time. If none is, raises ``ToolError`` with the nearest free times."""
    free = free_times(db, day, now)
    optician = free_optician(db, day, at)
    if at in free and optician is not None:
        return optician
    if moment(day, at) <= _local(now):
        raise ToolError(f"{_when(datetime.combine(day, at))} is in the past")
    if opening(db, day) is None:
        raise ToolError(f"we are closed on {day_words(day)}")
    wanted = f"we have nothing free on {_when(datetime.combine(day, at))}"
    if not free:
        raise ToolError(f"{wanted}, nor at any other time that day")
    near = sorted(sorted(free, key=lambda one: abs(_minutes(one) - _minutes(at)))[:3])
    raise ToolError(f"{wanted}; you could come at {_listing([time_words(one) for one in near], 'or')}")


def choose(
    db: sqlite3.Connection,
    customer: str,
    now: datetime,
    appointment_id: str | None,
    day: date | None,
    at: time | None,
) -> Appointment:
    """Find the upcoming appointment that fits. Raises ``ToolError`` if none fits, or more than one."""
    mine = upcoming(db, customer, now)
    fitting = [one for one in mine if _fits(one, appointment_id, day, at)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        number, places = count_word(len(fitting)), _spelled(fitting, day)
        raise ToolError(
            f"you have {number} appointments{_on(day)}, {places}; which one do you mean",
            for_model=f"Several appointments fit; ask which, or give appointment_id: {_ids(fitting)}.",
        )
    if not mine:
        raise ToolError("you have no upcoming appointment")
    which = f"appointment{_on(day)}" if day else "such appointment"
    raise ToolError(
        f"you have no {which}; yours {_spelled(mine, None, are=True)}",
        for_model=f"No appointment fits; there are: {_ids(mine)}.",
    )


def book(
    db: sqlite3.Connection, customer: str, day: date, at: time, service: str, now: datetime
) -> Appointment:
    """Book a slot. Raises ``ToolError`` if it is not free."""
    optician, starts = take_slot(db, day, at, now), moment(day, at)
    number = db.execute(
        "INSERT INTO appointments (customer, starts, service, optician) VALUES (?, ?, ?, ?)",
        [customer, starts, service, optician],
    ).lastrowid
    return Appointment(f"A{number}", starts, service, optician)


def cancel(db: sqlite3.Connection, one: Appointment) -> Appointment:
    """Free an appointment's slot."""
    db.execute("UPDATE appointments SET cancelled = 1 WHERE number = ?", [_number(one)])
    return one


def move(db: sqlite3.Connection, one: Appointment, day: date, at: time | None, now: datetime) -> Moved:
    """Move an appointment to another slot, by default at the same time of day.

    Raises ``ToolError`` if it is taken.
    """
    at = at or datetime.fromisoformat(one.starts).time()
    optician, starts = take_slot(db, day, at, now), moment(day, at)
    db.execute(
        "UPDATE appointments SET starts = ?, optician = ? WHERE number = ?", [starts, optician, _number(one)]
    )
    return Moved(one.id, one.starts, starts, one.service, optician)


def _number(one: Appointment) -> int:
    return int(one.id.removeprefix("A"))


def _fits(one: Appointment, appointment_id: str | None, day: date | None, at: time | None) -> bool:
    starts = datetime.fromisoformat(one.starts)
    return appointment_id in (None, one.id) and day in (None, starts.date()) and at in (None, starts.time())


def _on(day: date | None) -> str:
    return f" on {day_words(day)}" if day else ""


def _spelled(appointments: list[Appointment], day: date | None, *, are: bool = False) -> str:
    starts = [datetime.fromisoformat(one.starts) for one in appointments]
    if day:
        return "at " + _listing([time_words(one.time()) for one in starts])
    verb = ("is " if len(starts) == 1 else "are ") if are else ""
    return f"{verb}on " + _listing([_when(one) for one in starts])


def _ids(appointments: list[Appointment]) -> str:
    return ", ".join(f"{one.id} ({one.service}, {one.starts})" for one in appointments)


def _slots(db: sqlite3.Connection, day: date) -> list[time]:
    hours = opening(db, day)
    if hours is None:
        return []
    opens, closes = (datetime.combine(day, at) for at in hours)
    return [(opens + number * _SLOT).time() for number in range((closes - opens) // _SLOT)]


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


def _local(now: datetime) -> str:
    return moment(now.date(), now.time())


def day_words(value: date) -> str:
    """A date in words.

    >>> day_words(date(2026, 11, 24))
    'Tuesday, November 24'
    """
    return f"{value:%A, %B} {value.day}"


def time_words(value: time) -> str:
    """A time of day in words.

    >>> time_words(time(14)), time_words(time(9, 30)), time_words(time(0, 5))
    ('2 pm', '9:30 am', '12:05 am')
    """
    minutes = f":{value.minute:02}" if value.minute else ""
    return f"{value.hour % 12 or 12}{minutes} {'am' if value.hour < 12 else 'pm'}"


def _when(value: datetime) -> str:
    return f"{day_words(value)} at {time_words(value.time())}"


def _listing(items: Sequence[str], joint: str = "and") -> str:
    *first, last = items
    return f"{', '.join(first)} {joint} {last}" if first else last

"""The shop's calendar: when it is open, who is free, and who comes when."""

import sqlite3
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from assistant import ToolError
from tools import _wording
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
class FreeDay:
    """``times`` are half-hour starts, "14:30"."""

    day: date
    times: list[str]


@dataclass(frozen=True, slots=True)
class FreeSlots:
    """The day that was ``asked`` about, if any, and the days with free times, soonest first."""

    asked: date | None
    days: list[FreeDay]


def local(now: datetime) -> str:
    """The present as the books write it."""
    return moment(now.date(), now.time())


def upcoming(db: sqlite3.Connection, customer: str, now: datetime) -> list[Appointment]:
    """A customer's appointments from now on, soonest first."""
    rows = db.execute(
        "SELECT number, starts, service, optician FROM appointments"
        " WHERE customer = ? AND starts >= ? AND NOT cancelled ORDER BY starts",
        [customer, local(now)],
    )
    return [Appointment(f"A{row['number']}", row["starts"], row["service"], row["optician"]) for row in rows]


def opening(db: sqlite3.Connection, day: date) -> tuple[time, time] | None:
    """When the shop opens and closes on a day; None when it stays closed."""
    row = db.execute("SELECT opens, closes FROM hours WHERE weekday = ?", [day.weekday()]).fetchone()
    return (time.fromisoformat(row["opens"]), time.fromisoformat(row["closes"])) if row else None


def free_times(db: sqlite3.Connection, day: date, now: datetime) -> list[time]:
    """The times on a day at which somebody is free, earliest first."""
    return [at for at in _slots(db, day) if moment(day, at) > local(now) and free_optician(db, day, at)]


def free_optician(db: sqlite3.Connection, day: date, at: time) -> str | None:
    """Who has time then; None when nobody has."""
    rows = db.execute(
        "SELECT optician FROM appointments WHERE starts = ? AND NOT cancelled", [moment(day, at)]
    )
    busy = {row["optician"] for row in rows}
    return next((one for one in OPTICIANS if one not in busy), None)


def take_slot(db: sqlite3.Connection, day: date, at: time, now: datetime) -> str:
    """The optician who has time then. Raises ``ToolError`` with times near by when nobody has."""
    free = free_times(db, day, now)
    optician = free_optician(db, day, at)
    if at in free and optician is not None:
        return optician
    if moment(day, at) <= local(now):
        raise ToolError(f"{_wording.when(datetime.combine(day, at))} is in the past")
    if opening(db, day) is None:
        raise ToolError(f"we are closed on {_wording.day(day)}")
    wanted = f"we have nothing free on {_wording.when(datetime.combine(day, at))}"
    if not free:
        raise ToolError(f"{wanted}, nor at any other time that day")
    near = sorted(sorted(free, key=lambda one: abs(_minutes(one) - _minutes(at)))[:3])
    raise ToolError(
        f"{wanted}; you could come at {_wording.listing([_wording.clock(one) for one in near], 'or')}"
    )


def _slots(db: sqlite3.Connection, day: date) -> list[time]:
    hours = opening(db, day)
    if hours is None:
        return []
    opens, closes = (datetime.combine(day, at) for at in hours)
    return [(opens + number * _SLOT).time() for number in range((closes - opens) // _SLOT)]


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute

"""Changes to the shop's calendar. Each is called inside a transaction."""

import sqlite3
from dataclasses import dataclass
from datetime import date, datetime, time

from assistant import ToolError
from tools import _wording
from tools._calendar import Appointment, take_slot, upcoming
from tools._demo import moment


@dataclass(frozen=True, slots=True)
class Moved:
    """An appointment that was at ``was`` and now ``starts`` elsewhere; both local, "2026-11-24T14:00"."""

    id: str
    was: str
    starts: str
    service: str
    optician: str


def choose(
    db: sqlite3.Connection,
    customer: str,
    now: datetime,
    appointment_id: str | None,
    day: date | None,
    at: time | None,
) -> Appointment:
    """The one upcoming appointment that is meant. Raises ``ToolError`` when none fits, or several do."""
    mine = upcoming(db, customer, now)
    fitting = [one for one in mine if _fits(one, appointment_id, day, at)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        number, places = _wording.count(len(fitting)), _spelled(fitting, day)
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
    """Book a slot. Raises ``ToolError`` when it is not free."""
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
    """Give an appointment another slot, by default at the same time of day."""
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
    return f" on {_wording.day(day)}" if day else ""


def _spelled(appointments: list[Appointment], day: date | None, *, are: bool = False) -> str:
    starts = [datetime.fromisoformat(one.starts) for one in appointments]
    if day:
        return "at " + _wording.listing([_wording.clock(one.time()) for one in starts])
    verb = ("is " if len(starts) == 1 else "are ") if are else ""
    return f"{verb}on " + _wording.listing([_wording.when(one) for one in starts])


def _ids(appointments: list[Appointment]) -> str:
    return ", ".join(f"{one.id} ({one.service}, {one.starts})" for one in appointments)

"""What Harbour Inn knows about its guest, kept in memory, and the wording of days and times."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import date, time
from decimal import Decimal
from typing import Literal, TypeVar

from assistant import Customer, ToolError

Room = Literal["single room", "double room", "family room"]

_MONTHS = (
    "Januar", "Februar", "März", "April", "Mai", "Juni",
    "Juli", "August", "September", "Oktober", "November", "Dezember",
)  # fmt: skip
_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
ROOMS_DE = {"single room": "Einzelzimmer", "double room": "Doppelzimmer", "family room": "Familienzimmer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """One stay. ``arrives`` and ``leaves`` are ISO dates."""

    number: str
    room: Room
    view: str
    arrives: str
    leaves: str
    guests: int
    total: Decimal
    status: Literal["confirmed", "cancelled"] = "confirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """Something that is still to be paid."""

    subject: str
    amount: Decimal
    due: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """All open charges, and what they come to."""

    total: Decimal
    charges: list[Charge]


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeRoom:
    """A kind of room for the days that were asked about. ``a_night`` is None where none is left."""

    room: Room
    free: bool
    a_night: Decimal | None


_RESERVATIONS = (
    Reservation(
        number="R-5521", room="double room", view="sea view", arrives="2026-12-11", leaves="2026-12-14",
        guests=2, total=Decimal("387.00"),
    ),
    Reservation(
        number="R-5604", room="single room", view="", arrives="2027-01-08", leaves="2027-01-10",
        guests=1, total=Decimal("158.00"),
    ),
)  # fmt: skip
CHARGES = (
    Charge(subject="minibar of the last stay", amount=Decimal("14.50"), due="2026-11-30"),
    Charge(subject="deposit for R-5521", amount=Decimal("120.00"), due="2026-12-01"),
)
FREE_ROOMS = (
    FreeRoom(room="single room", free=True, a_night=Decimal("79.00")),
    FreeRoom(room="double room", free=True, a_night=Decimal("129.00")),
    FreeRoom(room="family room", free=False, a_night=None),
)

R = TypeVar("R")


@dataclass(slots=True)
class Books:
    """The reservations as they stand, and what was done under which idempotency key."""

    reservations: dict[str, Reservation] = field(
        default_factory=lambda: {each.number: each for each in _RESERVATIONS}
    )
    done: dict[str, object] = field(default_factory=dict[str, object])

    def reset(self) -> None:
        """Go back to the first day."""
        self.reservations = {each.number: each for each in _RESERVATIONS}
        self.done.clear()

    def reservation(self, number: str) -> Reservation:
        """One that still stands. Raises ``ToolError``."""
        found = self.reservations.get(number)
        if found is None or found.status == "cancelled":
            raise ToolError(
                f"you have no reservation {number}",
                for_model=f"No such reservation; there are: {', '.join(self.reservations)}.",
            )
        return found

    def change(self, number: str, **values: str) -> Reservation:
        """Write a reservation anew."""
        changed = replace(self.reservation(number), **values)  # pyright: ignore[reportArgumentType]
        self.reservations[number] = changed
        return changed

    def once(self, key: str, act: Callable[[], R]) -> R:
        """Act, unless this key was acted on before."""
        if key not in self.done:
            self.done[key] = act()
        return self.done[key]  # pyright: ignore[reportReturnType]


BOOKS = Books()


def as_json(one: Reservation) -> dict[str, object]:
    """A reservation as a result shows it."""
    return asdict(one)


def in_german(customer: Customer) -> bool:
    """Whether this guest is spoken with in German."""
    return customer.locale.startswith("de")


def long_day(day: str, *, german: bool) -> str:
    """A day with its weekday.

    >>> long_day("2026-12-11", german=False), long_day("2026-12-11", german=True)
    ('Friday, December 11', 'Freitag, 11. Dezember')
    """
    at = date.fromisoformat(day)
    if german:
        return f"{_DAYS[at.weekday()]}, {at.day}. {_MONTHS[at.month - 1]}"
    return f"{at:%A, %B} {at.day}"


def short_span(first: str, last: str, *, german: bool) -> str:
    """From one day to another, without their weekdays.

    >>> short_span("2027-01-08", "2027-01-10", german=False), short_span("2027-01-08", "2027-01-10", german=True)
    ('January 8 to 10', '8. bis 10. Januar')
    >>> short_span("2027-01-30", "2027-02-01", german=False)
    'January 30 to February 1'
    """
    a, b = date.fromisoformat(first), date.fromisoformat(last)
    same = (a.year, a.month) == (b.year, b.month)
    if german:
        return f"{a.day}.{'' if same else ' ' + _MONTHS[a.month - 1]} bis {b.day}. {_MONTHS[b.month - 1]}"
    return f"{a:%B} {a.day} to {b.day}" if same else f"{a:%B} {a.day} to {b:%B} {b.day}"


def clock(at: time, *, german: bool) -> str:
    """A time of day.

    >>> clock(time(13), german=False), clock(time(12, 30), german=False), clock(time(13), german=True)
    ('1 pm', '12:30 pm', '13 Uhr')
    """
    if german:
        return f"{at.hour}{f':{at.minute:02}' if at.minute else ''} Uhr"
    hour = at.hour % 12 or 12
    return f"{hour}{f':{at.minute:02}' if at.minute else ''} {'am' if at.hour < 12 else 'pm'}"


def day_and_time(day: str, at: time, *, german: bool) -> str:
    """A day with its weekday, and a time of it.

    >>> day_and_time("2026-12-11", time(13), german=False)
    'Friday, December 11 at 1 pm'
    >>> day_and_time("2026-12-11", time(13), german=True)
    'Freitag, 11. Dezember um 13 Uhr'
    """
    return f"{long_day(day, german=german)} {'um' if german else 'at'} {clock(at, german=german)}"

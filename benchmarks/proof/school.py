"""Larkfield Music School, whose rows were written for a blind test: lessons, fees, an instrument and a concert."""

from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, ToolError, tool
from benchmarks.proof.inn.books import day_and_time, in_german, long_day

_LESSONS_DE = {"piano": "Klavierstunde", "guitar": "Gitarrenstunde"}
_LESSONS = f"{{% set german = {_LESSONS_DE} %}}"
_OURSELVES = "Ana"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A booked lesson. ``starts`` is an ISO moment."""

    number: str
    pupil: str
    instrument: str
    starts: str
    teacher: str
    room: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fee:
    """Something that is still to be paid."""

    subject: str
    amount: Decimal
    due: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fees:
    """All open fees and their total."""

    total: Decimal
    fees: list[Fee]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rental:
    """A rented instrument."""

    instrument: str
    months: int
    first_day: str
    a_month: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tickets:
    """Reserved tickets. ``starts`` is an ISO moment."""

    concert: str
    starts: str
    tickets: int


_BOOKED = (
    Lesson(
        number="L-14",
        pupil="Lena",
        instrument="piano",
        starts="2026-11-24T16:30",
        teacher="Ms. Brandt",
        room="3",
    ),
    Lesson(
        number="L-15",
        pupil="Ana",
        instrument="guitar",
        starts="2026-11-26T18:00",
        teacher="Mr. Costa",
        room="7",
    ),
)
_OPEN = (
    Fee(subject="piano lessons for Lena in December", amount=Decimal("148.00"), due="2026-12-01"),
    Fee(subject="sheet music", amount=Decimal("19.50"), due="2026-12-07"),
)
_FIRST_DAY = "2026-12-01"
_A_MONTH = Decimal("28.00")
_CONCERT = Tickets(concert="winter concert", starts="2026-12-18T19:00", tickets=0)


def _lesson(number: str) -> Lesson:
    found = next((one for one in _BOOKED if one.number == number), None)
    if found is None:
        raise ToolError(f"there is no lesson {number}", for_model="Use a number from list_lessons.")
    return found


def _named(one: Lesson, *, german: bool) -> str:
    if german:
        whose = "Ihre" if one.pupil == _OURSELVES else f"{one.pupil}s"
        return f"{whose} {_LESSONS_DE[one.instrument]}"
    whose = "your" if one.pupil == _OURSELVES else f"{one.pupil}'s"
    return f"{whose} {one.instrument} lesson"


def _when(starts: str, *, german: bool) -> str:
    return day_and_time(starts[:10], time.fromisoformat(starts[11:]), german=german)


@tool(
    waiting_hint="looking up your lessons",
    hints={"de": ("Ihre Stunden heraussuchen", "suche Ihre Stunden heraus")},
    narration={
        "en": "{% for one in value %}{{ one.pupil }} has a {{ one.instrument }} lesson on {{ one.starts | when }}"
        " with {{ one.teacher }}. {% endfor %}",
        "de": _LESSONS + "{% for one in value %}{{ one.pupil }} hat am {{ one.starts | when }}"
        " eine {{ german[one.instrument] }} bei {{ one.teacher }}. {% endfor %}",
    },
)
def list_lessons(customer: Customer) -> list[Lesson]:
    """List the next lessons of the customer and their children."""
    return list(_BOOKED)


@tool(
    waiting_hint="checking your fees",
    hints={"de": ("Ihre Gebühren prüfen", "prüfe Ihre Gebühren")},
    narration={
        "en": "You still owe {{ value.total | money }}.",
        "de": "Offen sind noch {{ value.total | money }}.",
    },
)
def get_fees(customer: Customer) -> Fees:
    """Tell what is still to be paid, each fee with its due date."""
    return Fees(total=sum((one.amount for one in _OPEN), Decimal(0)), fees=list(_OPEN))


def _confirm_cancelling(customer: Customer, number: str) -> str:
    one, german = _lesson(number), in_german(customer)
    if german:
        return f"{_named(one, german=True)} am {_when(one.starts, german=True)} absagen"
    return f"cancel {_named(one, german=False)} on {_when(one.starts, german=False)}"


@tool(
    waiting_hint="cancelling your lesson",
    hints={"de": ("Ihre Stunde absagen", "sage Ihre Stunde ab")},
    effect="write",
    confirm=_confirm_cancelling,
    narration={
        "en": "The {{ value.instrument }} lesson on {{ value.starts | when }} is cancelled.",
        "de": _LESSONS + "Die {{ german[value.instrument] }} am {{ value.starts | when }} ist abgesagt.",
    },
)
def cancel_lesson(customer: Customer, context: ToolContext, number: str) -> Lesson:
    """Cancel a lesson.

    Args:
        number: the lesson's number, from list_lessons.
    """
    return _lesson(number)


def _confirm_moving(customer: Customer, number: str, day: date, time: time) -> str:
    one, german = _lesson(number), in_german(customer)
    new = day_and_time(day.isoformat(), time, german=german)
    if german:
        return f"{_named(one, german=True)} von {_when(one.starts, german=True)} auf {new} verschieben"
    return f"move {_named(one, german=False)} from {_when(one.starts, german=False)} to {new}"


@tool(
    waiting_hint="moving your lesson",
    hints={"de": ("Ihre Stunde verschieben", "verschiebe Ihre Stunde")},
    effect="write",
    confirm=_confirm_moving,
    narration={
        "en": "The {{ value.instrument }} lesson is now on {{ value.starts | when }}.",
        "de": _LESSONS + "Die {{ german[value.instrument] }} ist jetzt am {{ value.starts | when }}.",
    },
)
def move_lesson(customer: Customer, context: ToolContext, number: str, day: date, time: time) -> Lesson:
    """Move a lesson to another day or time.

    Args:
        number: the lesson's number, from list_lessons.
        day: the new day.
        time: the new time.
    """
    return replace(_lesson(number), starts=f"{day.isoformat()}T{time:%H:%M}")


def _confirm_renting(customer: Customer, months: int) -> str:
    on = long_day(_FIRST_DAY, german=in_german(customer))
    if in_german(customer):
        return f"ab {on} für {months} Monate eine Leihgeige für {_A_MONTH:.0f} $ im Monat reservieren"
    return f"reserve a rental violin for {months} months from {on} for ${_A_MONTH:.0f} a month"


@tool(
    waiting_hint="reserving a violin",
    hints={"de": ("eine Geige reservieren", "reserviere eine Geige")},
    effect="write",
    confirm=_confirm_renting,
    narration={
        "en": "A {{ value.instrument }} is reserved for {{ value.months }} months.",
        "de": "Eine Geige ist für {{ value.months }} Monate reserviert.",
    },
)
def rent_violin(
    customer: Customer, context: ToolContext, months: Annotated[int, Field(ge=2, le=24)]
) -> Rental:
    """Reserve a violin to rent, from December 1.

    Args:
        months: for how many months.
    """
    return Rental(instrument="violin", months=months, first_day=_FIRST_DAY, a_month=_A_MONTH)


def _confirm_tickets(customer: Customer, tickets: int) -> str:
    german = in_german(customer)
    when = _when(_CONCERT.starts, german=german)
    if german:
        return (
            f"{tickets} {'Karte' if tickets == 1 else 'Karten'} für das Winterkonzert am {when} reservieren"
        )
    return f"reserve {tickets} {'ticket' if tickets == 1 else 'tickets'} for the {_CONCERT.concert} on {when}"


@tool(
    waiting_hint="reserving your tickets",
    hints={"de": ("Ihre Karten reservieren", "reserviere Ihre Karten")},
    effect="write",
    confirm=_confirm_tickets,
    narration={
        "en": "Tickets for the {{ value.concert }} on {{ value.starts | when }}: {{ value.tickets }} are reserved.",
        "de": "Karten für das Winterkonzert am {{ value.starts | when }}: {{ value.tickets }} sind reserviert.",
    },
)
def reserve_tickets(
    customer: Customer, context: ToolContext, tickets: Annotated[int, Field(ge=1, le=9)]
) -> Tickets:
    """Reserve tickets for the winter concert.

    Args:
        tickets: how many.
    """
    return replace(_CONCERT, tickets=tickets)

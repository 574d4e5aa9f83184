"""Fernside Garage, whose rows were written for a blind test: repairs, quotes and bookings."""

from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, ToolError, tool
from benchmarks.proof.inn.books import day_and_time, in_german, long_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A car in the garage. ``ready`` is an ISO moment."""

    number: str
    car: str
    work: str
    status: str
    ready: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteItem:
    """A part of a quote."""

    item: str
    amount: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What a repair will cost."""

    number: str
    total: Decimal
    items: list[QuoteItem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Approved:
    """Approved extra work."""

    number: str
    car: str
    work: str
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Booked:
    """A booked service."""

    car: str
    work: str
    starts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reserved:
    """A reserved replacement car."""

    days: int
    first_day: str


_REPAIRS = (
    Repair(number="G-310", car="Golf", work="brake pads", status="in progress", ready="2026-11-24T17:00"),
    Repair(
        number="G-318", car="Polo", work="oil change", status="waiting for parts", ready="2026-11-27T12:00"
    ),
)
_ITEMS = (
    QuoteItem(item="brake pads", amount=Decimal("260.00")),
    QuoteItem(item="labour", amount=Decimal("170.00")),
)
_DISCS = Approved(number="G-310", car="Golf", work="brake discs", price=Decimal("310.00"))
_FIRST_DAY = "2026-11-24"


@tool(
    waiting_hint="checking on your cars",
    hints={"de": ("nach Ihren Autos sehen", "sehe nach Ihren Autos")},
    narration={
        "en": "{% for one in value %}Your {{ one.car }} ({{ one.work }}) should be ready"
        " on {{ one.ready | when }}. {% endfor %}",
        "de": "{% for one in value %}Ihr {{ one.car }} ist voraussichtlich"
        " am {{ one.ready | when }} fertig. {% endfor %}",
    },
)
def get_repair_status(customer: Customer) -> list[Repair]:
    """Tell how far the repairs of the customer's cars are, and when the cars are ready."""
    return list(_REPAIRS)


@tool(
    waiting_hint="looking up your quote",
    hints={"de": ("Ihr Angebot heraussuchen", "suche Ihr Angebot heraus")},
    narration={
        "en": "The quote is {{ value.total | money }}.",
        "de": "Das Angebot beträgt {{ value.total | money }}.",
    },
)
def get_quote(customer: Customer) -> Quote:
    """Tell what the repair of the Golf will cost, item by item."""
    return Quote(number="G-310", total=sum((one.amount for one in _ITEMS), Decimal(0)), items=list(_ITEMS))


def _confirm_approving(customer: Customer, number: str) -> str:
    if in_german(customer):
        return "die Bremsscheiben Ihres Golfs für 310 $ erneuern"
    return "replace the brake discs of your Golf for $310"


@tool(
    waiting_hint="approving the repair",
    hints={"de": ("die Reparatur freigeben", "gebe die Reparatur frei")},
    effect="write",
    confirm=_confirm_approving,
    narration={
        "en": "The {{ value.work }} of your {{ value.car }} are approved for {{ value.price | money }}.",
        "de": "Die Bremsscheiben sind freigegeben, für {{ value.price | money }}.",
    },
)
def approve_repair(customer: Customer, context: ToolContext, number: str) -> Approved:
    """Approve extra work on a car.

    Args:
        number: the repair's number, from get_repair_status.
    """
    if number != _DISCS.number:
        raise ToolError(f"there is no extra work for {number}", for_model="Only G-310 has extra work.")
    return _DISCS


def _confirm_booking(customer: Customer, day: date, time: time) -> str:
    german = in_german(customer)
    when = day_and_time(day.isoformat(), time, german=german)
    if german:
        return f"für Ihren Polo am {when} einen Winterreifenwechsel buchen"
    return f"book a winter tyre change for your Polo on {when}"


@tool(
    waiting_hint="booking your service",
    hints={"de": ("Ihren Werkstatttermin buchen", "buche Ihren Werkstatttermin")},
    effect="write",
    confirm=_confirm_booking,
    narration={
        "en": "Your {{ value.work }} is booked for {{ value.starts | when }}.",
        "de": "Der Reifenwechsel ist für {{ value.starts | when }} gebucht.",
    },
)
def book_service(customer: Customer, context: ToolContext, day: date, time: time) -> Booked:
    """Book the change to winter tyres for the Polo.

    Args:
        day: the day.
        time: the time.
    """
    return Booked(car="Polo", work="winter tyre change", starts=f"{day.isoformat()}T{time:%H:%M}")


def _confirm_car(customer: Customer, days: int) -> str:
    on = long_day(_FIRST_DAY, german=in_german(customer))
    if in_german(customer):
        return f"ab {on} für {days} Tage einen Leihwagen reservieren"
    return f"reserve a replacement car for {days} days from {on}"


@tool(
    waiting_hint="reserving a replacement car",
    hints={"de": ("einen Leihwagen reservieren", "reserviere einen Leihwagen")},
    effect="write",
    confirm=_confirm_car,
    narration={
        "en": "A replacement car is reserved for {{ value.days }} days from {{ value.first_day | day }}.",
        "de": "Ein Leihwagen ist ab {{ value.first_day | day }} für {{ value.days }} Tage reserviert.",
    },
)
def reserve_car(
    customer: Customer, context: ToolContext, days: Annotated[int, Field(ge=1, le=14)]
) -> Reserved:
    """Reserve a replacement car, from the day on which the Golf is repaired.

    Args:
        days: for how many days.
    """
    return Reserved(days=days, first_day=_FIRST_DAY)

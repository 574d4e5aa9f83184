"""Oakfield Vets, whose rows were written for a blind test: its visits, its bill and its food."""

from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, ToolError, tool
from benchmarks.proof.inn.books import day_and_time, in_german

_REASONS_DE = {"vaccination": "Impfung", "dental check": "Zahnkontrolle"}
_REASONS = f"{{% set german = {_REASONS_DE} %}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A visit to the vet. ``starts`` is an ISO moment."""

    number: str
    pet: str
    reason: str
    starts: str
    vet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PetCharge:
    """Something that is still to be paid."""

    subject: str
    amount: Decimal
    due: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PetBill:
    """All open charges and their total."""

    total: Decimal
    charges: list[PetCharge]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoodOrder:
    """Ordered food."""

    product: str
    bags: int


_VISITS = (
    Visit(number="V-81", pet="Momo", reason="vaccination", starts="2026-12-01T10:20", vet="Dr. Hale"),
    Visit(number="V-82", pet="Bruno", reason="dental check", starts="2026-12-08T16:00", vet="Dr. Okafor"),
)
_CHARGES = (
    PetCharge(subject="blood test for Bruno", amount=Decimal("61.00"), due="2026-12-05"),
    PetCharge(subject="flea treatment for Momo", amount=Decimal("35.50"), due="2026-11-30"),
)


def _visit(number: str) -> Visit:
    found = next((one for one in _VISITS if one.number == number), None)
    if found is None:
        raise ToolError(f"there is no visit {number}", for_model="Use a number from list_visits.")
    return found


def _named(one: Visit, *, german: bool) -> str:
    return f"{one.pet}s {_REASONS_DE[one.reason]}" if german else f"{one.pet}'s {one.reason}"


def _when(one: Visit, *, german: bool) -> str:
    return day_and_time(one.starts[:10], time.fromisoformat(one.starts[11:]), german=german)


@tool(
    waiting_hint="looking up your visits",
    hints={"de": ("Ihre Termine heraussuchen", "suche Ihre Termine heraus")},
    narration={
        "en": "{% for one in value %}{{ one.pet }} has a {{ one.reason }} on {{ one.starts | when }}"
        " with {{ one.vet }}. {% endfor %}",
        "de": _REASONS + "{% for one in value %}{{ one.pet }} hat am {{ one.starts | when }} einen Termin:"
        " {{ german[one.reason] }} bei {{ one.vet }}. {% endfor %}",
    },
)
def list_visits(customer: Customer) -> list[Visit]:
    """List the visits that are booked for the customer's pets."""
    return list(_VISITS)


@tool(
    waiting_hint="checking your bill",
    hints={"de": ("Ihre Rechnung prüfen", "prüfe Ihre Rechnung")},
    narration={
        "en": "You still owe {{ value.total | money }}.",
        "de": "Offen sind noch {{ value.total | money }}.",
    },
)
def get_pet_bill(customer: Customer) -> PetBill:
    """Tell what is still to be paid, each charge with its due date."""
    return PetBill(total=sum((one.amount for one in _CHARGES), Decimal(0)), charges=list(_CHARGES))


def _confirm_cancelling(customer: Customer, number: str) -> str:
    one, german = _visit(number), in_german(customer)
    if german:
        return f"{_named(one, german=True)} am {_when(one, german=True)} absagen"
    return f"cancel {_named(one, german=False)} on {_when(one, german=False)}"


@tool(
    waiting_hint="cancelling your visit",
    hints={"de": ("Ihren Termin absagen", "sage Ihren Termin ab")},
    effect="write",
    confirm=_confirm_cancelling,
    narration={
        "en": "{{ value.pet }}'s {{ value.reason }} is cancelled.",
        "de": _REASONS + "{{ value.pet }}s {{ german[value.reason] }} ist abgesagt.",
    },
)
def cancel_visit(customer: Customer, context: ToolContext, number: str) -> Visit:
    """Cancel a visit.

    Args:
        number: the visit's number, from list_visits.
    """
    return _visit(number)


def _confirm_moving(customer: Customer, number: str, day: date, time: time) -> str:
    one, german = _visit(number), in_german(customer)
    new = day_and_time(day.isoformat(), time, german=german)
    if german:
        return f"{_named(one, german=True)} von {_when(one, german=True)} auf {new} verschieben"
    return f"move {_named(one, german=False)} from {_when(one, german=False)} to {new}"


@tool(
    waiting_hint="moving your visit",
    hints={"de": ("Ihren Termin verschieben", "verschiebe Ihren Termin")},
    effect="write",
    confirm=_confirm_moving,
    narration={
        "en": "{{ value.pet }}'s {{ value.reason }} is now on {{ value.starts | when }}.",
        "de": _REASONS
        + "{{ value.pet }}s {{ german[value.reason] }} ist jetzt am {{ value.starts | when }}.",
    },
)
def move_visit(customer: Customer, context: ToolContext, number: str, day: date, time: time) -> Visit:
    """Move a visit to another day or time.

    Args:
        number: the visit's number, from list_visits.
        day: the new day.
        time: the new time.
    """
    return replace(_visit(number), starts=f"{day.isoformat()}T{time:%H:%M}")


def _confirm_food(customer: Customer, product: str, bags: int) -> str:
    if in_german(customer):
        return f"{bags} {'Sack' if bags == 1 else 'Säcke'} Nierendiät-Futter für Momo bestellen"
    return f"order {bags} {'bag' if bags == 1 else 'bags'} of {product} for Momo"


@tool(
    waiting_hint="ordering your food",
    hints={"de": ("Ihr Futter bestellen", "bestelle Ihr Futter")},
    effect="write",
    confirm=_confirm_food,
    narration={
        "en": "{{ value.bags }} bags of {{ value.product }} are ordered.",
        "de": "{{ value.bags }} Säcke sind bestellt.",
    },
)
def order_food(
    customer: Customer, context: ToolContext, product: str, bags: Annotated[int, Field(ge=1, le=9)]
) -> FoodOrder:
    """Order food for a pet.

    Args:
        product: which food.
        bags: how many bags.
    """
    return FoodOrder(product=product, bags=bags)

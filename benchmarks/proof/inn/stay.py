"""Around a stay at Harbour Inn: the bill, breakfast, a late check-out, the invoice."""

from dataclasses import dataclass
from datetime import time
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, tool
from benchmarks.proof.inn.books import BOOKS, CHARGES, ROOMS_DE, Bill, clock, in_german

Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", json_schema_extra={"format": "email"})]
_ROOMS = f"{{% set german = {ROOMS_DE} %}}"


@tool(
    waiting_hint="checking your bill",
    hints={"de": ("Ihre Rechnung prüfen", "prüfe Ihre Rechnung")},
    examples=["what do I owe", "is there anything left to pay"],
    narration={
        "en": """
        You still owe {{ value.total | money }}:
        {% for one in value.charges %}
          {{ one.amount | money }} for the {{ one.subject }}, due on {{ one.due | day }}
          {{- "." if loop.last else ";" }}
        {% endfor %}
    """,
        "de": "Offen sind noch {{ value.total | money }}.",
    },
)
def get_bill(customer: Customer) -> Bill:
    """Tell what the guest still has to pay, each charge with its due date.

    Source: the inn's books.
    """
    return Bill(total=sum((each.amount for each in CHARGES), Decimal("0.00")), charges=list(CHARGES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakfast:
    """For how many ``guests`` breakfast was added, and to which room."""

    number: str
    room: str
    guests: int


def _confirm_breakfast(customer: Customer, number: str, guests: int) -> str:
    room = BOOKS.reservation(number).room
    if in_german(customer):
        return f"Frühstück für {guests} {'Gast' if guests == 1 else 'Gäste'} zu Ihrem {ROOMS_DE[room]} hinzufügen"
    return f"add breakfast for {guests} {'guest' if guests == 1 else 'guests'} to your {room}"


@tool(
    waiting_hint="adding breakfast",
    hints={"de": ("Frühstück hinzufügen", "füge Frühstück hinzu")},
    effect="write",
    confirm=_confirm_breakfast,
    examples=["we'd like breakfast", "add breakfast for two"],
    narration={
        "en": "Breakfast for {{ value.guests }} has been added to your {{ value.room }}.",
        "de": _ROOMS + "Frühstück für {{ value.guests }} ist zu Ihrem {{ german[value.room] }} hinzugefügt.",
    },
)
def add_breakfast(
    customer: Customer, context: ToolContext, number: str, guests: Annotated[int, Field(ge=1, le=4)]
) -> Breakfast:
    """Add breakfast to a reservation.

    Args:
        number: the reservation's number, from list_reservations.
        guests: for how many.

    Source: the inn's books.
    """
    room = BOOKS.reservation(number).room
    return BOOKS.once(context.key, lambda: Breakfast(number=number, room=room, guests=guests))


@dataclass(frozen=True, slots=True, kw_only=True)
class LateCheckOut:
    """Until when (``time``, "13:00") the guest has asked to stay in which room."""

    number: str
    room: str
    time: str


def _confirm_late(customer: Customer, number: str, time: time) -> str:
    room, german = BOOKS.reservation(number).room, in_german(customer)
    at = clock(time, german=german)
    if german:
        return f"einen späten Check-out um {at} für Ihr {ROOMS_DE[room]} anfragen"
    return f"request a late check-out at {at} for your {room}"


@tool(
    waiting_hint="requesting a late check-out",
    hints={"de": ("einen späten Check-out anfragen", "frage einen späten Check-out an")},
    effect="write",
    confirm=_confirm_late,
    examples=["can we leave later", "late check-out please"],
    narration={
        "en": "A late check-out at {{ value.time | time }} has been requested for your {{ value.room }}.",
        "de": _ROOMS
        + "Ein später Check-out um {{ value.time | time }} ist für Ihr {{ german[value.room] }} angefragt.",
    },
)
def request_late_checkout(customer: Customer, context: ToolContext, number: str, time: time) -> LateCheckOut:
    """Ask for a later check-out on the day of departure.

    Args:
        number: the reservation's number, from list_reservations.
        time: until when the guest wants to stay.

    Source: the inn's books.
    """
    room = BOOKS.reservation(number).room
    return BOOKS.once(context.key, lambda: LateCheckOut(number=number, room=room, time=f"{time:%H:%M}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentInvoice:
    """Where the invoice went."""

    email: str


def _confirm_sending(customer: Customer, email: Email) -> str:
    return f"die Rechnung an {email} senden" if in_german(customer) else f"send the invoice to {email}"


@tool(
    waiting_hint="sending the invoice",
    hints={"de": ("die Rechnung senden", "sende die Rechnung")},
    effect="write",
    confirm=_confirm_sending,
    examples=["e-mail me the invoice", "send the bill to my office"],
    narration={
        "en": "The invoice is on its way to {{ value.email }}.",
        "de": "Die Rechnung ist unterwegs an {{ value.email }}.",
    },
)
def send_invoice(customer: Customer, context: ToolContext, email: Email) -> SentInvoice:
    """Send the guest's invoice by e-mail.

    Args:
        email: where to.

    Source: the inn's books.
    """
    return BOOKS.once(context.key, lambda: SentInvoice(email=email))

"""Brightwater Energy, whose rows were written for a blind test: a contract, a meter, payments and a technician."""

from dataclasses import dataclass, replace
from datetime import date, time
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, tool
from benchmarks.proof.inn.books import day_and_time, in_german, long_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What the customer pays for electricity. ``ends`` is an ISO day, or None while there is no end."""

    tariff: str
    cents_per_kwh: Decimal
    base_fee_a_month: Decimal
    monthly_payment: Decimal
    ends: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class YearlyBill:
    """What was used in a year, and what is still to be paid for it."""

    year_until: str
    used_kwh: int
    cost: Decimal
    paid: Decimal
    still_to_pay: Decimal
    due: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TechnicianVisit:
    """When a technician comes. ``starts`` is an ISO moment."""

    work: str
    starts: str
    technician: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A meter reading."""

    meter: str
    kwh: int
    day: str


_CONTRACT = Contract(
    tariff="Basic",
    cents_per_kwh=Decimal("31.5"),
    base_fee_a_month=Decimal("9.80"),
    monthly_payment=Decimal("92.00"),
    ends=None,
)
_BILL = YearlyBill(
    year_until="2026-10-31",
    used_kwh=3420,
    cost=Decimal("1194.90"),
    paid=Decimal("1104.00"),
    still_to_pay=Decimal("90.90"),
    due="2026-12-10",
)
_VISIT = TechnicianVisit(work="meter replacement", starts="2026-12-03T08:00", technician="Mr. Adler")
_LAST_READING = Reading(meter="M-7702", kwh=47385, day="2026-10-31")
_TODAY = "2026-11-21"


@tool(
    waiting_hint="looking up your contract",
    hints={"de": ("Ihren Vertrag heraussuchen", "suche Ihren Vertrag heraus")},
    narration={
        "en": "You have the tariff {{ value.tariff }} and pay {{ value.monthly_payment | money }} a month.",
        "de": "Sie haben den Tarif {{ value.tariff }} und zahlen {{ value.monthly_payment | money }} im Monat.",
    },
)
def get_contract(customer: Customer) -> Contract:
    """Tell the tariff, its prices, and what the customer pays each month."""
    return _CONTRACT


@tool(
    waiting_hint="looking up your yearly bill",
    hints={"de": ("Ihre Jahresrechnung heraussuchen", "suche Ihre Jahresrechnung heraus")},
    narration={
        "en": "You used {{ value.used_kwh }} kWh. Still to pay: {{ value.still_to_pay | money }}.",
        "de": "Sie haben {{ value.used_kwh }} kWh verbraucht. Noch zu zahlen: {{ value.still_to_pay | money }}.",
    },
)
def get_yearly_bill(customer: Customer) -> YearlyBill:
    """Tell what the last yearly bill says: what was used, what it cost, what was paid and what is left to pay."""
    return _BILL


@tool(
    waiting_hint="looking up your meter",
    hints={"de": ("Ihren Zähler nachsehen", "sehe Ihren Zähler nach")},
    narration={
        "en": "Your last reading was {{ value.kwh }} kWh on {{ value.day | day }}.",
        "de": "Ihr letzter Stand war {{ value.kwh }} kWh am {{ value.day | day }}.",
    },
)
def get_last_reading(customer: Customer) -> Reading:
    """Tell the last meter reading that is on record."""
    return _LAST_READING


@tool(
    waiting_hint="looking up your technician's visit",
    hints={"de": ("Ihren Technikertermin heraussuchen", "suche Ihren Technikertermin heraus")},
    narration={
        "en": "{{ value.technician }} comes on {{ value.starts | when }} for the {{ value.work }}.",
        "de": "{{ value.technician }} kommt am {{ value.starts | when }} zum Zählerwechsel.",
    },
)
def get_technician_visit(customer: Customer) -> TechnicianVisit:
    """Tell when a technician comes, and what for."""
    return _VISIT


def _confirm_reading(customer: Customer, kwh: int) -> str:
    if in_german(customer):
        return f"den Zählerstand {kwh:,} kWh eintragen".replace(",", ".")
    return f"enter a meter reading of {kwh:,} kWh"


@tool(
    waiting_hint="entering your reading",
    hints={"de": ("Ihren Zählerstand eintragen", "trage Ihren Zählerstand ein")},
    effect="write",
    confirm=_confirm_reading,
    narration={
        "en": "The reading of {{ value.kwh }} kWh is entered.",
        "de": "Der Zählerstand {{ value.kwh }} kWh ist eingetragen.",
    },
)
def enter_reading(
    customer: Customer, context: ToolContext, kwh: Annotated[int, Field(ge=0, le=999_999)]
) -> Reading:
    """Enter a meter reading of today.

    Args:
        kwh: what the meter shows, without decimals.
    """
    return replace(_LAST_READING, kwh=kwh, day=_TODAY)


def _confirm_payment(customer: Customer, amount: int) -> str:
    before = f"{_CONTRACT.monthly_payment:.0f}"
    if in_german(customer):
        return f"Ihren monatlichen Abschlag von {before} $ auf {amount} $ ändern"
    return f"change your monthly payment from ${before} to ${amount}"


@tool(
    waiting_hint="changing your monthly payment",
    hints={"de": ("Ihren Abschlag ändern", "ändere Ihren Abschlag")},
    effect="write",
    confirm=_confirm_payment,
    narration={
        "en": "Your monthly payment is now {{ value.monthly_payment | money }}.",
        "de": "Ihr Abschlag beträgt jetzt {{ value.monthly_payment | money }} im Monat.",
    },
)
def change_payment(
    customer: Customer, context: ToolContext, amount: Annotated[int, Field(ge=20, le=500)]
) -> Contract:
    """Change what the customer pays each month.

    Args:
        amount: the new monthly payment, in whole dollars.
    """
    return replace(_CONTRACT, monthly_payment=Decimal(amount))


def _confirm_moving(customer: Customer, day: date, time: time) -> str:
    german = in_german(customer)
    before, at = _VISIT.starts.split("T")
    old = day_and_time(before, time.fromisoformat(at), german=german)
    new = day_and_time(day.isoformat(), time, german=german)
    if german:
        return f"den Zählerwechsel von {old} auf {new} verschieben"
    return f"move the {_VISIT.work} from {old} to {new}"


@tool(
    waiting_hint="moving the technician's visit",
    hints={"de": ("den Technikertermin verschieben", "verschiebe den Technikertermin")},
    effect="write",
    confirm=_confirm_moving,
    narration={
        "en": "The {{ value.work }} is now on {{ value.starts | when }}.",
        "de": "Der Zählerwechsel ist jetzt am {{ value.starts | when }}.",
    },
)
def move_technician(customer: Customer, context: ToolContext, day: date, time: time) -> TechnicianVisit:
    """Move the technician's visit to another day or time.

    Args:
        day: the new day.
        time: the new time.
    """
    return replace(_VISIT, starts=f"{day.isoformat()}T{time:%H:%M}")


def _confirm_ending(customer: Customer, day: date) -> str:
    german = in_german(customer)
    on = long_day(day.isoformat(), german=german)
    return f"Ihren Stromvertrag zum {on} kündigen" if german else f"end your electricity contract on {on}"


@tool(
    waiting_hint="ending your contract",
    hints={"de": ("Ihren Vertrag kündigen", "kündige Ihren Vertrag")},
    effect="write",
    confirm=_confirm_ending,
    narration={
        "en": "Your contract ends on {{ value.ends | day }}.",
        "de": "Ihr Vertrag endet am {{ value.ends | day }}.",
    },
)
def end_contract(customer: Customer, context: ToolContext, day: date) -> Contract:
    """End the customer's electricity contract.

    Args:
        day: its last day.
    """
    return replace(_CONTRACT, ends=day.isoformat())

"""The demo shop itself: its hours, and how it reaches its customers."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, ToolError, tool
from tools import _crm
from tools._texts import read_texts

TEXTS = read_texts(__file__)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", json_schema_extra={"format": "email"})]
Phone = Annotated[str, Field(pattern=r"^\+?[\d ()/.-]{6,24}$", json_schema_extra={"format": "phone"})]


@dataclass(slots=True)
class Hours:
    """Consecutive days with the same hours: "Monday" to "Friday", "09:00" to "18:00"."""

    first: str
    last: str
    opens: str
    closes: str


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """``day`` is the ISO date that was asked for, or None; with a day, ``hours`` are only that day's, if any."""

    day: str | None
    hours: list[Hours]
    closed: list[str]


@tool(
    waiting_hint="checking our opening hours",
    hints={"de": ("unsere Öffnungszeiten nachschlagen", "schlage unsere Öffnungszeiten nach")},
    trusted=True,
    **TEXTS["get_opening_hours"],
)
def get_opening_hours(context: ToolContext, day: date | None = None) -> OpeningHours:
    """Tell when the shop is open, on one day or in the week.

    Args:
        day: the day that is asked about; the whole week when left out.

    Source: the demo shop's opening hours.
    """
    with _crm.reading(context.now) as db:
        rows = db.execute("SELECT weekday, opens, closes FROM hours ORDER BY weekday").fetchall()
    open_on = {row["weekday"]: (row["opens"], row["closes"]) for row in rows}
    asked = range(7) if day is None else [day.weekday()]
    spans: list[Hours] = []
    for weekday in asked:
        name, hours = _WEEKDAYS[weekday], open_on.get(weekday)
        if hours and spans and (spans[-1].opens, spans[-1].closes) == hours and weekday - 1 in open_on:
            spans[-1].last = name
        elif hours:
            spans.append(Hours(name, name, *hours))
    closed = [_WEEKDAYS[weekday] for weekday in asked if weekday not in open_on]
    return OpeningHours(day.isoformat() if day else None, spans, closed)


@dataclass(frozen=True, slots=True)
class Contact:
    """A customer's contact details, and which of them have ``changed``."""

    email: str
    phone: str
    changed: list[str]


def _confirm_contact(customer: Customer, email: Email | None, phone: Phone | None) -> dict[str, str | None]:
    with _crm.reading() as db:
        _crm.account(db, customer)
    _changed(email, phone)
    return {"email": email, "phone": phone}


@tool(
    waiting_hint="updating your contact details",
    hints={"de": ("Ihre Kontaktdaten ändern", "ändere Ihre Kontaktdaten")},
    effect="write",
    confirm=_confirm_contact,
    **TEXTS["update_contact_details"],
)
def update_contact_details(
    customer: Customer, context: ToolContext, email: Email | None = None, phone: Phone | None = None
) -> Contact:
    """Change the customer's e-mail address, phone number, or both.

    Args:
        email: the new e-mail address.
        phone: the new phone number.

    Raises:
        ToolError: neither was given.

    Source: the demo shop's customer file.
    """
    changed = _changed(email, phone)

    def act() -> Contact:
        db.execute(
            "UPDATE customers SET email = COALESCE(?, email), phone = COALESCE(?, phone) WHERE id = ?",
            [email, phone, account],
        )
        row = db.execute("SELECT email, phone FROM customers WHERE id = ?", [account]).fetchone()
        return Contact(row["email"], row["phone"], changed)

    with _crm.writing(context.now) as db:
        account = _crm.account(db, customer)
        return _crm.once(db, context.key, Contact, act)


def _changed(email: str | None, phone: str | None) -> list[str]:
    changed = [name for name, value in (("email", email), ("phone", phone)) if value]
    if not changed:
        raise ToolError("I need your new e-mail address or phone number for that")
    return changed

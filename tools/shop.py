"""The demo shop itself: its hours, and how it reaches its customers."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, ToolError, tool
from tools import _crm, _german, _wording

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

Email = Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", json_schema_extra={"format": "email"})]
Phone = Annotated[str, Field(pattern=r"^\+?[\d ()/.-]{6,24}$", json_schema_extra={"format": "phone"})]


@dataclass(slots=True)
class Hours:
    """Days on end with the same hours: "Monday" to "Friday", "09:00" to "18:00"."""

    first: str
    last: str
    opens: str
    closes: str


@dataclass(frozen=True, slots=True)
class OpeningHours:
    """``day`` is the ISO date that was asked for, if one was; then ``hours`` are that day's, if any."""

    day: str | None
    hours: list[Hours]
    closed: list[str]


@tool(
    waiting_hint="checking our opening hours",
    hints={"de": ("unsere Öffnungszeiten nachschlagen", "schlage unsere Öffnungszeiten nach")},
    trusted=True,
    examples=[
        "opening hours",
        "when are you open",
        "what time do you close",
        "are you open today",
        "what are your hours",
        "do you open on Saturdays",
        "how late can I come by",
        "is the shop closed on Monday",
        "when does the store open in the morning",
        "is anybody there on the weekend",
        "business hours",
        "can I drop in this evening",
        "is it worth coming over on Sunday",
        "will somebody be there at seven",
        "I finish work at six, are you still there then",
        "until when can I come",
    ],
    narration={
        "en": """
        {% if value.day and value.hours %}
          On {{ value.day | day }} we are open
          from {{ value.hours[0].opens | time }} to {{ value.hours[0].closes | time }}.
        {% elif value.day %}We are closed on {{ value.day | day }}.
        {% else %}
          We are open
          {% for one in value.hours %}
            {% if not loop.first %} and {% endif %}
            {{ one.first }}{{ " to " ~ one.last if one.last != one.first else "" }}
            from {{ one.opens | time }} to {{ one.closes | time }}
          {%- endfor %}.
          {% if value.closed %}We are closed on {{ value.closed | listing }}.{% endif %}
        {% endif %}
    """,
        "de": _german.HOURS,
    },
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
    """How a customer is reached, and which of it has ``changed``."""

    email: str
    phone: str
    changed: list[str]


def _confirm_contact(customer: Customer, email: Email | None, phone: Phone | None) -> str:
    with _crm.reading() as db:
        _crm.account(db, customer)
    if _german.spoken_with(customer):
        changes = [f"Ihre E-Mail-Adresse auf {email}"] if email else []
        changes += [f"Ihre Telefonnummer auf {phone}"] if phone else []
        return _german.changing(_wanted(changes))
    changes = [f"your e-mail address to {email}"] if email else []
    changes += [f"your phone number to {phone}"] if phone else []
    return f"change {_wording.listing(_wanted(changes))}"


@tool(
    waiting_hint="updating your contact details",
    hints={"de": ("Ihre Kontaktdaten ändern", "ändere Ihre Kontaktdaten")},
    effect="write",
    confirm=_confirm_contact,
    examples=[
        "change my e-mail address",
        "I have a new phone number",
        "update my contact details",
        "my e-mail is now ana@example.com",
        "please use a different phone number",
        "my old e-mail address doesn't work any more",
        "here is my new mobile number",
        "can you correct the phone number you have for me",
        "send everything to a new e-mail address from now on",
        "my number is wrong in your system",
        "call me on 555 0199 in future",
        "I switched to another e-mail provider",
        "I got a new phone",
    ],
    narration={
        "en": """
        {% if "email" in value.changed %}Your e-mail address is now {{ value.email }}. {% endif %}
        {% if "phone" in value.changed %}Your phone number is now {{ value.phone }}.{% endif %}
    """,
        "de": _german.CONTACT,
    },
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
    given = {"email": email, "phone": phone}
    changed = _wanted([name for name, value in given.items() if value])

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


def _wanted(changes: list[str]) -> list[str]:
    if not changes:
        raise ToolError("I need your new e-mail address or phone number for that")
    return changes

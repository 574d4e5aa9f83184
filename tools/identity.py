"""How the demo shop identifies a customer without a login: by an order and a postcode, or by a one-time code."""

import secrets  # noqa: TID251 - a code must not be predictable; a replay takes the tool's result
import sqlite3
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import scrypt
from hmac import compare_digest
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, tool
from tools import _crm
from tools._texts import read_texts
from tools.shop import Email

TEXTS = read_texts(__file__)
_DIGITS = 6
_GOOD_FOR = timedelta(minutes=10)
_MOST_CODES_AN_HOUR = 3
_MOST_FAILED_TRIES_AN_HOUR = 5

OrderNumber = Annotated[str, Field(pattern=r"^[0-9]{5}$")]
Postcode = Annotated[str, Field(pattern=r"^[0-9]{5}$")]
Code = Annotated[str, Field(pattern=r"^[0-9]{6}$")]


@tool(
    waiting_hint="checking your details",
    hints={"de": ("Ihre Angaben prüfen", "prüfe Ihre Angaben")},
    identifies=True,
    **TEXTS["verify_customer"],
)
def verify_customer(
    customer: Customer, context: ToolContext, order_number: OrderNumber, postcode: Postcode
) -> Customer | None:
    """Find out who the customer is, by one of their orders and their postcode.

    Args:
        order_number: the number of any order of theirs, five digits.
        postcode: the postcode of the address that their orders go to, five digits.

    Source: the demo shop's order book and customer file.
    """
    claimed = f"order {order_number}"
    with _crm.writing(context.now) as db:
        row = db.execute(
            "SELECT customers.id, customers.postcode FROM orders"
            " JOIN customers ON customers.id = orders.customer WHERE orders.number = ?",
            [order_number],
        ).fetchone()
        # An order that does not exist gets the same answer as one with another postcode.
        matches = compare_digest(postcode, row["postcode"] if row else "     ")
        if _too_many_tries(db, claimed, context.now) or not matches:
            _note_failed_try(db, claimed, context.now)
            return None
        return _found(db, row["id"], customer)


@dataclass(frozen=True, slots=True)
class Sent:
    """The address to which a code went, if it is a customer's, and for how many ``minutes`` the code is valid."""

    email: str
    minutes: int


@tool(
    waiting_hint="sending you a code",
    hints={"de": ("Ihnen einen Code schicken", "schicke Ihnen einen Code")},
    effect="write",
    idempotent=True,
    requires="anonymous",
    **TEXTS["send_code"],
)
def send_code(customer: Customer, context: ToolContext, email: Email) -> Sent:
    """Send a one-time code to a customer's e-mail address, so that they can show who they are.

    It says the same whether or not a customer has this address.

    Args:
        email: the address that the shop has for them.

    Source: the demo shop's customer file.
    """
    codes: list[str] = []

    def act() -> Sent:
        code = _new_code(db, customer.id, email, context.now)
        codes.extend([code] if code else [])
        return Sent(email, int(_GOOD_FOR.total_seconds() // 60))

    with _crm.writing(context.now) as db:
        sent = _crm.once(db, context.key, Sent, act)
    for code in codes:
        _crm.send_mail(email.strip(), f"your code is {code}", context.now)
    return sent


@tool(
    waiting_hint="checking your code",
    hints={"de": ("Ihren Code prüfen", "prüfe Ihren Code")},
    identifies=True,
    **TEXTS["verify_code"],
)
def verify_code(customer: Customer, context: ToolContext, code: Code) -> Customer | None:
    """Find out who the customer is, by the code that was sent to their e-mail address in this conversation.

    Args:
        code: the six digits of the code.

    Source: the demo shop's customer file.
    """
    with _crm.writing(context.now) as db:
        found = _take_code(db, customer.id, code, context.now)
        return _found(db, found, customer) if found is not None else None


def _found(db: sqlite3.Connection, account: str, visitor: Customer) -> Customer:
    row = db.execute("SELECT id, name FROM customers WHERE id = ?", [account]).fetchone()
    return Customer(tenant=visitor.tenant, id=row["id"], name=row["name"], locale=visitor.locale)


def _new_code(db: sqlite3.Connection, visitor: str, email: str, now: datetime) -> str | None:
    """Make a visitor's code, which replaces an earlier one. None if no code may be sent to this address.

    That is so if no customer has the address, or if three codes were sent to it within the hour.
    """
    claimed, hour_ago = _claim(email), (now - timedelta(hours=1)).timestamp()
    row = db.execute("SELECT id FROM customers WHERE lower(email) = ?", [email.strip().lower()]).fetchone()
    db.execute("DELETE FROM sent_codes WHERE at <= ?", [hour_ago])
    (sent,) = db.execute("SELECT count(*) FROM sent_codes WHERE claimed = ?", [claimed]).fetchone()
    customer = str(row["id"]) if row is not None and sent < _MOST_CODES_AN_HOUR else None
    code = f"{secrets.randbelow(10**_DIGITS):0{_DIGITS}}"
    db.execute("INSERT INTO sent_codes VALUES (?, ?)", [claimed, now.timestamp()])
    # A code that is not sent is stored too: neither time nor words reveal whether the address is known.
    db.execute(
        "INSERT OR REPLACE INTO codes VALUES (?, ?, ?, ?, ?)",
        [visitor, claimed, customer, _fingerprint(visitor, code), (now + _GOOD_FOR).timestamp()],
    )
    return code if customer is not None else None


def _take_code(db: sqlite3.Connection, visitor: str, code: str, now: datetime) -> str | None:
    """The customer to whom this visitor's code was sent; None if it does not match. It matches only once."""
    row = db.execute("SELECT * FROM codes WHERE visitor = ?", [visitor]).fetchone()
    said = _fingerprint(visitor, code)
    if row is None:
        return None
    matches = compare_digest(said, row["fingerprint"]) and row["customer"] is not None
    if not matches or row["until"] <= now.timestamp() or _too_many_tries(db, row["claimed"], now):
        _note_failed_try(db, row["claimed"], now)
        return None
    db.execute("DELETE FROM codes WHERE visitor = ?", [visitor])
    return str(row["customer"])


def _claim(email: str) -> str:
    return f"address {email.strip().lower()}"


def _fingerprint(visitor: str, code: str) -> str:
    # Slow on purpose: otherwise anyone who steals the records could soon guess six digits.
    return scrypt(code.strip().encode(), salt=visitor.encode(), n=2**12, r=8, p=1).hex()


def _too_many_tries(db: sqlite3.Connection, claimed: str, now: datetime) -> bool:
    """Whether this order or address had too many failed attempts, in all conversations, to be accepted now."""
    (failed,) = db.execute(
        "SELECT count(*) FROM failed_tries WHERE claimed = ? AND at > ?",
        [claimed, (now - timedelta(hours=1)).timestamp()],
    ).fetchone()
    return bool(failed >= _MOST_FAILED_TRIES_AN_HOUR)


def _note_failed_try(db: sqlite3.Connection, claimed: str, now: datetime) -> None:
    """Record a failed attempt, and delete those of more than an hour ago."""
    db.execute("DELETE FROM failed_tries WHERE at <= ?", [(now - timedelta(hours=1)).timestamp()])
    db.execute("INSERT INTO failed_tries VALUES (?, ?)", [claimed, now.timestamp()])

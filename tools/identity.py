"""How a customer of the demo shop becomes known without a login: by an order and a postcode, or by a code."""

import sqlite3
from dataclasses import dataclass
from hmac import compare_digest
from typing import Annotated

from pydantic import Field

from assistant import Customer, ToolContext, tool
from tools import _codes, _crm, _german, _tries
from tools.shop import Email

OrderNumber = Annotated[str, Field(pattern=r"^[0-9]{5}$")]
Postcode = Annotated[str, Field(pattern=r"^[0-9]{5}$")]
Code = Annotated[str, Field(pattern=r"^[0-9]{6}$")]


@tool(
    waiting_hint="checking your details",
    hints={"de": ("Ihre Angaben prüfen", "prüfe Ihre Angaben")},
    identifies=True,
    narration={
        "en": "Thank you{% if value.name %}, {{ value.name }}{% endif %}.",
        "de": _german.IDENTIFIED,
    },
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
        # An order that does not exist takes the same way as one with another postcode.
        matches = compare_digest(postcode, row["postcode"] if row else "     ")
        if _tries.too_many(db, claimed, context.now) or not matches:
            _tries.note(db, claimed, context.now)
            return None
        return _found(db, row["id"], customer)


@dataclass(frozen=True, slots=True)
class Sent:
    """Where a code went if it is a customer's address, and for how many ``minutes`` it is good."""

    email: str
    minutes: int


@tool(
    waiting_hint="sending you a code",
    hints={"de": ("Ihnen einen Code schicken", "schicke Ihnen einen Code")},
    effect="write",
    idempotent=True,
    requires="anonymous",
    examples=["send me a code to identify myself", "e-mail me a one-time code"],
    narration={
        "en": """
        If {{ value.email }} is the address we have for you, a code of six digits is on its way to you.
        It is good for {{ value.minutes }} minutes.
    """,
        "de": _german.CODE_SENT,
    },
)
def send_code(customer: Customer, context: ToolContext, email: Email) -> Sent:
    """Send a one-time code to a customer's e-mail address, so that they can show who they are.

    It says the same whether or not a customer has this address.

    Args:
        email: the address that the shop has for them.

    Source: the demo shop's customer file.
    """
    mails: list[_codes.Mail] = []

    def act() -> Sent:
        mail = _codes.new_code(db, customer.id, email, context.now)
        mails.extend([mail] if mail else [])
        return Sent(email, int(_codes.GOOD_FOR.total_seconds() // 60))

    with _crm.writing(context.now) as db:
        sent = _crm.once(db, context.key, Sent, act)
    for mail in mails:
        _codes.send(mail, context.now)
    return sent


@tool(
    waiting_hint="checking your code",
    hints={"de": ("Ihren Code prüfen", "prüfe Ihren Code")},
    identifies=True,
    narration={
        "en": "Thank you{% if value.name %}, {{ value.name }}{% endif %}.",
        "de": _german.IDENTIFIED,
    },
)
def verify_code(customer: Customer, context: ToolContext, code: Code) -> Customer | None:
    """Find out who the customer is, by the code that was sent to their e-mail address in this conversation.

    Args:
        code: the six digits of the code.

    Source: the demo shop's customer file.
    """
    with _crm.writing(context.now) as db:
        found = _codes.take(db, customer.id, code, context.now)
        return _found(db, found, customer) if found is not None else None


def _found(db: sqlite3.Connection, account: str, visitor: Customer) -> Customer:
    row = db.execute("SELECT id, name FROM customers WHERE id = ?", [account]).fetchone()
    return Customer(tenant=visitor.tenant, id=row["id"], name=row["name"], locale=visitor.locale)

"""Invoices and balances of the demo shop."""

from dataclasses import dataclass
from decimal import Decimal

from assistant import Customer, ToolContext, tool
from tools import _crm
from tools._texts import read_texts

TEXTS = read_texts(__file__)


@dataclass(frozen=True, slots=True)
class Invoice:
    """``due`` is an ISO date."""

    number: int
    amount: Decimal
    due: str
    subject: str


@dataclass(frozen=True, slots=True)
class Balance:
    """What is owed in all, and for what."""

    balance: Decimal
    invoices: list[Invoice]


@tool(
    waiting_hint="checking your billing",
    sorted_by="oldest_first",
    hints={"de": ("Ihre Rechnungen prüfen", "prüfe Ihre Rechnungen")},
    **TEXTS["get_open_invoices"],
)
def get_open_invoices(customer: Customer, context: ToolContext) -> Balance:
    """Tell what the customer owes: the open balance and the unpaid invoices, earliest due date first.

    Returns:
        ``balance`` and each invoice's ``amount`` as exact decimals in US dollars, ``due`` as an ISO date.

    Source: the demo shop's ledger.
    """
    with _crm.reading(context.now) as db:
        rows = db.execute(
            "SELECT number, amount, due, subject FROM invoices WHERE customer = ? AND NOT paid ORDER BY due",
            [_crm.account(db, customer)],
        ).fetchall()
    invoices = [Invoice(row["number"], Decimal(row["amount"]), row["due"], row["subject"]) for row in rows]
    return Balance(sum((one.amount for one in invoices), Decimal("0.00")), invoices)

"""Invoices and balances of the demo shop."""

from dataclasses import dataclass
from decimal import Decimal

from assistant import Customer, ToolContext, tool
from tools import _crm, _german


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
    examples=[
        "invoice",
        "my bills",
        "what's my balance",
        "do I owe you anything",
        "is there a bill I forgot",
        "how much do I have to pay",
        "are there unpaid invoices",
        "check my billing",
        "have I paid for everything",
        "am I behind on any payments",
        "what am I being charged for",
        "when is my payment due",
        "is my account settled",
        "how much was it again",
        "I think I forgot to pay for something",
        "I got a reminder, what is it for",
        "has my payment arrived",
        "how much money do you want from me",
        "what is left to pay",
        "when is it due",
        "do I have to pay anything for my sunglasses",
    ],
    narration={
        "en": """
        {% set open = value.invoices %}
        {% if not open %}You have no open invoices.
        {% elif open | length == 1 %}
          Your balance is {{ value.balance | money }} for {{ open[0].subject }}, due on {{ open[0].due | day }}.
        {% else %}
          Your balance is {{ value.balance | money }}:
          {% for one in open[:3] %}
            {{- " and " if loop.last and open | length <= 3 else ", " if not loop.first else " " -}}
            {{ one.amount | money }} for {{ one.subject }}, due on {{ one.due | day }}
          {%- endfor %}
          {%- if open | length > 3 %}, and {{ open | length - 3 }} more{% endif %}.
        {% endif %}
    """,
        "de": _german.INVOICES,
    },
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

"""Orders of the demo shop: where they are, and cancelling them."""

from dataclasses import replace

from assistant import Customer, ToolContext, quoted, tool
from tools import _crm, _german
from tools._ledger import Order, cancellable, named, orders


@tool(
    waiting_hint="tracking your order",
    sorted_by="newest_first",
    hints={"de": ("nach Ihrer Bestellung sehen", "sehe nach Ihrer Bestellung")},
    examples=[
        "where is my order",
        "order status",
        "has my order been shipped",
        "when will my glasses arrive",
        "track my parcel",
        "what happened to my delivery",
        "my contact lenses haven't come yet",
        "is my order on its way",
        "are my sunglasses finished",
        "how long until my delivery gets here",
        "any news about order 10460",
        "did my package go out",
        "can I collect my glasses already",
        "is my stuff ready for pickup",
        "I ordered weeks ago and haven't heard anything",
        "what is going on with my order",
        "I'm still waiting for my contact lenses",
        "nobody told me where my lenses are",
        "are my new frames in yet",
        "when can I pick up what I bought",
    ],
    narration={
        "en": """
        {% for one in value[:4] %}
          Order {{ one.number }}, {{ one.product }},
          {% if one.status == "delivered" %}was delivered on {{ one.arrives | day }}.
          {% elif one.status == "shipped" %}is on its way and should arrive on {{ one.arrives | day }}.
          {% elif one.status == "cancelled" %}is cancelled.
          {% else %}is still being prepared and should arrive on {{ one.arrives | day }}.
          {% endif %}
        {% else %}You have no orders with us.
        {% endfor %}
        {% if value[4:] %}There are older ones.{% endif %}
    """,
        "de": _german.ORDERS,
    },
)
def get_order_status(
    customer: Customer, context: ToolContext, order_number: str | None = None
) -> list[Order]:
    """Tell how far the customer's orders of glasses, lenses and other products are, newest first.

    Args:
        order_number: the number of one order, or what was ordered; all orders when left out.

    Returns:
        Each with its ``status`` (processing, shipped, delivered, cancelled) and the day it ``arrives``.

    Raises:
        ToolError: the customer has no such order.

    Source: the demo shop's order book.
    """
    with _crm.reading(context.now) as db:
        account = _crm.account(db, customer)
        return [named(db, account, order_number)] if order_number else orders(db, account)


def _confirm_cancelling(customer: Customer, order_number: str) -> str:
    with _crm.reading() as db:
        one = cancellable(named(db, _crm.account(db, customer), order_number))
    if _german.spoken_with(customer):
        return _german.cancelling_order(one.number, one.product)
    return f"cancel order {one.number}, {quoted(one.product)}"


@tool(
    waiting_hint="cancelling your order",
    hints={"de": ("Ihre Bestellung stornieren", "storniere Ihre Bestellung")},
    effect="write",
    confirm=_confirm_cancelling,
    examples=[
        "cancel order 10460",
        "cancel my order",
        "I want to cancel an order",
        "I changed my mind about the sunglasses",
        "please stop my order",
        "I ordered the wrong lenses, cancel that",
        "don't send order 10477",
        "can I still call off my purchase",
        "undo my order",
        "I no longer want what I ordered",
        "withdraw my order for contact lenses",
        "the order was a mistake",
        "I don't need the lenses I ordered any more",
    ],
    narration={
        "en": "Order {{ value.number }}, {{ value.product }}, is cancelled. You will not be charged for it.",
        "de": _german.ORDER_CANCELLED,
    },
)
def cancel_order(customer: Customer, context: ToolContext, order_number: str) -> Order:
    """Cancel one of the customer's orders, as long as it has not been shipped.

    Args:
        order_number: the order's number, or what was ordered.

    Raises:
        ToolError: the customer has no such order, or it is too late.

    Source: the demo shop's order book.
    """
    with _crm.writing(context.now) as db:
        account = _crm.account(db, customer)

        def act() -> Order:
            one = cancellable(named(db, account, order_number))
            db.execute("UPDATE orders SET status = 'cancelled' WHERE number = ?", [one.number])
            return replace(one, status="cancelled")

        return _crm.once(db, context.key, Order, act)

"""Orders of the demo shop: where they are, cancelling them, and the courier's photo of a delivery."""

import re
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path

from assistant import Customer, Media, ToolContext, ToolError, ToolResult, tool
from tools import _crm
from tools._texts import read_texts

TEXTS = read_texts(__file__)
# The demo has one photo for all its parcels.
_PHOTO = Path(__file__).with_name("_delivery_photo.png")


@dataclass(frozen=True, slots=True)
class Order:
    """``status``: processing, shipped, delivered, cancelled. ``arrives`` or arrived: an ISO date."""

    number: int
    product: str
    status: str
    arrives: str


@tool(
    waiting_hint="tracking your order",
    sorted_by="newest_first",
    hints={"de": ("nach Ihrer Bestellung sehen", "sehe nach Ihrer Bestellung")},
    **TEXTS["get_order_status"],
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
        return [_named(db, account, order_number)] if order_number else _orders(db, account)


def _confirm_cancelling(customer: Customer, order_number: str) -> Order:
    with _crm.reading() as db:
        return _cancellable(_named(db, _crm.account(db, customer), order_number))


@tool(
    waiting_hint="cancelling your order",
    hints={"de": ("Ihre Bestellung stornieren", "storniere Ihre Bestellung")},
    effect="write",
    confirm=_confirm_cancelling,
    **TEXTS["cancel_order"],
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
            one = _cancellable(_named(db, account, order_number))
            db.execute("UPDATE orders SET status = 'cancelled' WHERE number = ?", [one.number])
            return replace(one, status="cancelled")

        return _crm.once(db, context.key, Order, act)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Which order was delivered, what it was, and on which day (ISO)."""

    number: int
    product: str
    delivered: str


@tool(
    waiting_hint="fetching the delivery photo",
    hints={"de": ("das Foto von der Zustellung holen", "hole das Foto von der Zustellung")},
    **TEXTS["get_delivery_photo"],
)
def get_delivery_photo(
    customer: Customer, context: ToolContext, order_number: str | None = None
) -> ToolResult[Delivery]:
    """Show the photo that the courier took when an order was left at the customer's door.

    Args:
        order_number: the number of the order, or what was ordered; the one that came last when left out.

    Returns:
        Which order it was and the day it was ``delivered``; the photo beside it, which the customer sees.

    Raises:
        ToolError: the customer has no such order, or it has not been delivered.

    Source: the demo shop's order book, and its courier.
    """
    with _crm.reading(context.now) as db:
        account = _crm.account(db, customer)
        asked = [_named(db, account, order_number)] if order_number else _orders(db, account)
    one = _delivered(asked)
    german = customer.locale.lower().startswith("de")
    shows = "Ihr Paket vor der Tür (Bestellung {})" if german else "Your parcel at the door (order {})"
    photo = Media.of(_PHOTO, name=shows.format(one.number))
    return ToolResult(Delivery(one.number, one.product, one.arrives), (photo,))


def _delivered(asked: list[Order]) -> Order:
    """The first of them that has been delivered. Raises ``ToolError`` if there is none."""
    for one in asked:
        if one.status == "delivered":
            return one
    if len(asked) == 1:
        raise ToolError(f"order {asked[0].number} has not been delivered, so there is no photo of it")
    raise ToolError("nothing has been delivered to you yet, so there is no photo")


_ORDERS = (
    "SELECT orders.number, products.name, orders.status, orders.arrives FROM orders"
    " JOIN products ON products.id = orders.product WHERE orders.customer = ? ORDER BY orders.number DESC"
)


def _orders(db: sqlite3.Connection, customer: str) -> list[Order]:
    """A customer's orders, newest first."""
    rows = db.execute(_ORDERS, [customer])
    return [Order(row["number"], row["name"], row["status"], row["arrives"]) for row in rows]


def _named(db: sqlite3.Connection, customer: str, words: str) -> Order:
    """The order with this number ("#10482") or with these words in it.

    Raises ``ToolError`` if none or several fit.
    """
    mine = _orders(db, customer)
    digits = re.sub(r"\D", "", words)
    if digits:
        fitting = [one for one in mine if str(one.number) == digits]
    else:
        fitting = [one for one in mine if words.strip() and words.strip().lower() in one.product]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ToolError(
            f"you have {_crm.count_word(len(fitting))} orders of that kind; which number do you mean"
        )
    # Do not reveal whether another customer has it.
    raise ToolError(
        f"I can't find order {digits} among yours" if digits else "I can't find that order",
        for_model=f"No order {words!r}; the customer has: {', '.join(str(one.number) for one in mine) or 'none'}.",
    )


def _cancellable(one: Order) -> Order:
    """The same order. Raises ``ToolError`` if it cannot be cancelled any more."""
    if one.status == "cancelled":
        raise ToolError(f"order {one.number} is cancelled already")
    if one.status != "processing":
        raise ToolError(
            f"order {one.number} has been {one.status} already, so it can't be cancelled any more"
        )
    return one

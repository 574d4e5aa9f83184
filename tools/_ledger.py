"""The demo shop's order book."""

import re
import sqlite3
from dataclasses import dataclass

from assistant import ToolError
from tools import _wording

_ORDERS = (
    "SELECT orders.number, products.name, orders.status, orders.arrives FROM orders"
    " JOIN products ON products.id = orders.product WHERE orders.customer = ? ORDER BY orders.number DESC"
)


@dataclass(frozen=True, slots=True)
class Order:
    """``status``: processing, shipped, delivered, cancelled. ``arrives`` or arrived: an ISO date."""

    number: int
    product: str
    status: str
    arrives: str


def orders(db: sqlite3.Connection, customer: str) -> list[Order]:
    """A customer's orders, newest first."""
    rows = db.execute(_ORDERS, [customer])
    return [Order(row["number"], row["name"], row["status"], row["arrives"]) for row in rows]


def named(db: sqlite3.Connection, customer: str, words: str) -> Order:
    """The order that is meant by its number ("#10482") or by what was ordered. Raises ``ToolError``."""
    mine = orders(db, customer)
    digits = re.sub(r"\D", "", words)
    if digits:
        fitting = [one for one in mine if str(one.number) == digits]
    else:
        fitting = [one for one in mine if words.strip() and words.strip().lower() in one.product]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ToolError(
            f"you have {_wording.count(len(fitting))} orders of that kind; which number do you mean"
        )
    # Whether it is another customer's is nobody's business.
    raise ToolError(
        f"I can't find order {digits} among yours" if digits else "I can't find that order",
        for_model=f"No order {words!r}; the customer has: {', '.join(str(one.number) for one in mine) or 'none'}.",
    )


def cancellable(one: Order) -> Order:
    """The same order. Raises ``ToolError`` when it is too late for it."""
    if one.status == "cancelled":
        raise ToolError(f"order {one.number} is cancelled already")
    if one.status != "processing":
        raise ToolError(
            f"order {one.number} has been {one.status} already, so it can't be cancelled any more"
        )
    return one

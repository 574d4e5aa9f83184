"""Deliveries of the demo shop: what the courier saw when they left a parcel."""

from dataclasses import dataclass
from pathlib import Path

from assistant import Customer, Media, ToolContext, ToolError, ToolResult, tool
from tools import _crm, _german
from tools._ledger import Order, named, orders

_PHOTO = Path(__file__).with_name("_delivery_photo.png")
"""A demo has one photo for all its parcels."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """Which order was delivered, what it was, and on which day (ISO)."""

    number: int
    product: str
    delivered: str


@tool(
    waiting_hint="fetching the delivery photo",
    hints={"de": ("das Foto von der Zustellung holen", "hole das Foto von der Zustellung")},
    examples=[
        "show me the delivery photo",
        "can I see the photo of my parcel",
        "did the courier take a picture",
        "where exactly did they leave the package",
        "is there proof of delivery",
        "show me a picture of where it was left",
        "the driver's photo please",
        "I can't find my parcel, is there a photo of where it is",
        "a photo of the parcel at my door",
        "what did the courier photograph",
    ],
    narration={
        "en": "This is the courier's photo of order {{ value.number }}, {{ value.product }}, which was left at"
        " your door on {{ value.delivered | day }}.",
        "de": _german.DELIVERY_PHOTO,
    },
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
        asked = [named(db, account, order_number)] if order_number else orders(db, account)
    one = _delivered(asked)
    shows = (
        _german.photo_of(one.number)
        if _german.spoken_with(customer)
        else f"Your parcel at the door (order {one.number})"
    )
    photo = Media.of(_PHOTO, name=shows)
    return ToolResult(Delivery(one.number, one.product, one.arrives), (photo,))


def _delivered(asked: list[Order]) -> Order:
    """The first of them that has been delivered. Raises ``ToolError``."""
    for one in asked:
        if one.status == "delivered":
            return one
    if len(asked) == 1:
        raise ToolError(f"order {asked[0].number} has not been delivered, so there is no photo of it")
    raise ToolError("nothing has been delivered to you yet, so there is no photo")

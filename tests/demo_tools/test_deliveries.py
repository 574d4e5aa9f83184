"""The courier's photo, as a customer sees it and as a screen reader says it."""

from collections.abc import Callable
from io import BytesIO

import pytest
import structlog
from PIL import Image

from assistant import Media, ToolError
from assistant.conversation.media import Picture, picture_in
from assistant.tools.tool import ToolContext
from tests.demo_tools.conftest import SATURDAY, Counter
from tests.demo_tools.draw_delivery_photo import FILE, photo


async def media(of: Counter, **arguments: str) -> tuple[Media, ...]:
    """The pictures and files that come with the value."""
    tool = of.tools.get("get_delivery_photo")
    context = ToolContext(key="k", call_id="c1.1", now=SATURDAY, log=structlog.get_logger())
    return (await tool.run(tool.validate(arguments), customer=of.customer, context=context)).media


@pytest.mark.parametrize("arguments", [{}, {"order_number": "10431"}, {"order_number": "reading glasses"}])
async def test_a_delivered_order_has_a_photo(ana: Counter, arguments: dict[str, str]) -> None:
    assert await ana.hears("get_delivery_photo", **arguments) == (
        "This is the courier's photo of order 10431, reading glasses, which was left at your door on Monday,"
        " November 9."
    )
    (shown,) = await media(ana, **arguments)
    assert shown.name == "Your parcel at the door (order 10431)"
    assert picture_in(shown.content) == Picture("image/png", 480, 360)


async def test_the_photo_is_told_in_german_too(anna: Counter) -> None:
    assert await anna.hears("get_delivery_photo") == (
        "Das ist das Foto von der Zustellung Ihrer Bestellung 10431 (Lesebrille), die am Montag, 9. November"
        " vor Ihrer Tür abgestellt wurde."
    )
    (shown,) = await media(anna)
    assert shown.name == "Ihr Paket vor der Tür (Bestellung 10431)"


@pytest.mark.parametrize(
    ("order", "clause"),
    [
        ("10482", "order 10482 has not been delivered, so there is no photo of it"),
        ("10460", "I can't find order 10460 among yours"),
    ],
)
async def test_an_undelivered_order_has_no_photo(ana: Counter, order: str, clause: str) -> None:
    with pytest.raises(ToolError) as raised:
        await ana.value("get_delivery_photo", order_number=order)

    assert raised.value.say == clause


@pytest.mark.parametrize(("customer", "clause"), [("cleo", "order 10477 has not"), ("dora", "nothing has")])
async def test_a_customer_without_deliveries_has_none_either(
    counter: Callable[[str], Counter], customer: str, clause: str
) -> None:
    with pytest.raises(ToolError, match=f"{clause} been delivered"):
        await counter(customer).value("get_delivery_photo")


def test_the_photo_is_small_and_what_is_drawn() -> None:
    kept = Image.open(BytesIO(FILE.read_bytes())).convert("RGB")

    assert FILE.stat().st_size < 20_000
    assert kept.tobytes() == photo().convert("RGB").tobytes()

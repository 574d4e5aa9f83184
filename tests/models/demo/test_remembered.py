"""The embedded model reads shortened results like whole ones, and loads the missing parts."""

import pytest

from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import as_remembered, snapshot_of
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromTools
from assistant.models.demo.things import items_of
from tests.models.demo.conftest import Talk, offline_model
from tests.models.demo.score import demo_specs

ORDERS: Json = [
    {"number": 10_000 + number, "product": f"glasses of kind {number}", "engraved": "with love " * 60}
    for number in range(1, 121)
]
LOADS = ToolSpec(
    name=LOAD_IN_FULL,
    description="Load a document or an earlier result in full.",
    parameters={"type": "object", "properties": {"ref": {"type": "string"}}, "required": ["ref"]},
    role="loads",
)
REF = "result:c-1/t1/c1.1"


async def asked_for_orders(*, offered: bool = True, value: Json = None) -> Talk:
    """A conversation whose first turn is over: its result is remembered."""
    specs = (*demo_specs().values(), LOADS)
    loaded: Json = {"source": "get_order_status", "ref": REF, "value": ORDERS}
    talk = Talk(
        offline_model(specs=specs),
        specs if offered else specs[:-1],
        {"get_order_status": ORDERS, LOAD_IN_FULL: loaded},
    )
    await talk.says("Where are my orders?")
    await talk.narrates()
    for place, message in enumerate(talk.messages):
        if isinstance(message, FromTools):
            (whole,) = message.outcomes
            assert isinstance(whole, CallSucceeded)
            short = as_remembered(whole, snapshot_of(whole, "c-1", "t1"))
            assert isinstance(short, CallSucceeded)
            assert short.full_ref == REF
            talk.messages[place] = FromTools(
                (CallSucceeded(call=short.call, value=value or short.value, full_ref=REF),)
            )
    return talk


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("What about the second one?", "10002"),
        ("and the last one?", "10001"),
        ("what about order 10003?", "10003"),
    ],
)
async def test_a_remaining_thing_is_found_at_its_position(text: str, number: str) -> None:
    ana = await asked_for_orders()

    assert await ana.says(text) == [("get_order_status", {"order_number": number})]


@pytest.mark.parametrize("value", [None, "120 orders, all of them shipped."], ids=["cut", "in words"])
async def test_a_missing_thing_is_loaded_and_told(value: Json) -> None:
    ana = await asked_for_orders(value=value)
    place = "the eighth one" if value is None else "the second one"

    assert await ana.says(f"What about {place}?") == [(LOAD_IN_FULL, {"ref": REF})]
    assert await ana.narrates() == f"Told get_order_status {10_008 if value is None else 10_002}."
    assert await ana.says("and the third one?") == [("get_order_status", {"order_number": "10003"})]


async def test_without_loading_it_is_looked_up_again() -> None:
    ana = await asked_for_orders(offered=False)

    assert await ana.says("What about the eighth one?") == [("get_order_status", {})]


def test_missing_things_keep_their_positions() -> None:
    items = items_of(
        {"count": 9, "orders": [{"number": 1}, {"… left out": 7}, {"number": 9}], "… left out": 2}
    )

    assert items == ({"number": 1}, *[{}] * 7, {"number": 9})
    assert items_of({"number": 7, "… left out": 2}) == ({"number": 7},)

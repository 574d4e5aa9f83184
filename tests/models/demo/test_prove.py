"""How a customer is identified by tools that ask for other data than the demo shop's."""

from datetime import date

import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.demo.decide import Message, read_message
from assistant.models.demo.decision import Planned, Prove
from assistant.models.demo.identity import prove, ways_to_prove
from tests.models.demo.demo_specs import DAY, TEXT, spec


def way(name: str, **properties: Json) -> ToolSpec:
    return ToolSpec(
        name=name,
        description="",
        parameters={"type": "object", "properties": properties, "required": list(properties)},
        role="identifies",
    )


WAYS = (
    way("check_code", code={"type": "string", "pattern": "^[0-9]{4}$"}),
    way("check_birthday", customer_number=TEXT, birth_date=DAY),
    way(
        "check_contact",
        email={"type": "string", "format": "email"},
        phone={"type": "string", "format": "phone"},
    ),
    way("check_password", password=TEXT),
)


def read(text: str) -> Message:
    return read_message(text, date(2026, 11, 21), lambda _: ())


def test_a_way_that_needs_a_sent_code_is_asked_for_last() -> None:
    ways = ways_to_prove((*WAYS, spec("look", "", [])))

    assert [one.name for one in ways] == ["check_birthday", "check_contact", "check_password", "check_code"]


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("K-77 and 1980-05-06", "check_birthday", {"customer_number": "K-77", "birth_date": "1980-05-06"}),
        (
            "ana@example.com, +46 8 123 4567",
            "check_contact",
            {"email": "ana@example.com", "phone": "+46 8 123 4567"},
        ),
        ("4711", "check_code", {"code": "4711"}),
    ],
)
def test_the_way_whose_values_are_complete_is_used(said: str, tool: str, arguments: dict[str, Json]) -> None:
    found = prove(ways_to_prove(WAYS), read(said))

    assert isinstance(found, Planned)
    assert (found.spec.name, found.arguments) == (tool, arguments)


def test_a_missing_value_is_asked_for_and_earlier_ones_are_kept() -> None:
    half = prove(WAYS[1:2], read("customer number K-77"))

    assert isinstance(half, Prove)
    assert [slot.name for slot in half.lacking] == ["birth_date"]
    whole = prove(WAYS[1:2], read("1980-05-06"), half)
    assert isinstance(whole, Planned)
    assert whole.arguments == {"customer_number": "K-77", "birth_date": "1980-05-06"}


def test_a_message_without_these_values_identifies_no_one() -> None:
    assert prove(ways_to_prove(WAYS), read("I'd rather not say")) is None

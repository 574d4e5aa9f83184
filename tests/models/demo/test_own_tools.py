"""A CRM team's tools that the model has never seen work as well as the demo shop's."""

from datetime import date
from typing import cast

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.demo.decide import orders, plan_call
from assistant.models.demo.decision import Ask, Planned, slots_of
from assistant.models.demo.entities import find_entities, plain
from tests.models.demo.conftest import Talk, offline_model
from tests.models.demo.demo_specs import DEMO_SPECS, spec
from tests.support.rows import check_rows

TODAY = date(2026, 11, 21)
PAUSE = spec(
    "pause_subscription",
    "Pause the customer's subscription for contact lenses.",
    ["pause my subscription", "hold my lens deliveries for a while", "put my subscription on hold"],
    "write",
    ("until",),
    until={"type": "string", "format": "date"},
)
WARRANTY = spec(
    "check_warranty",
    "Tell whether a product is under warranty.",
    ["is my warranty still valid", "how long does the guarantee last"],
    required=("serial_id",),
    serial_id={"type": "string", "pattern": "^SN-[0-9]+$"},
)


async def test_a_tool_is_found_by_examples_and_arguments_by_schema() -> None:
    ana = Talk(offline_model(PAUSE, WARRANTY), (*DEMO_SPECS, PAUSE, WARRANTY), {})

    assert await ana.says("Please pause my subscription until December 15") == [
        ("pause_subscription", {"until": "2026-12-15"})
    ]
    assert await ana.says("is the warranty for sn-4711 still running?") == [
        ("check_warranty", {"serial_id": "SN-4711"})
    ]


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    ana = Talk(offline_model(PAUSE), DEMO_SPECS, {})

    assert isinstance(await ana.says("Please pause my subscription until December 15"), str)


def test_its_verb_is_learned_from_its_examples() -> None:
    assert orders("hold my lens deliveries", PAUSE)
    assert not orders("my friend said pause is good", PAUSE)


def plan(text: str, **properties: Json) -> dict[str, Json]:
    parameters: dict[str, Json] = {"properties": properties, "required": list(properties)}
    tool = ToolSpec(name="do_it", description="Do it.", parameters=parameters)
    planned = plan_call(tool, {}, plain(text), find_entities(text, TODAY), TODAY)
    return dict(planned.arguments)


@check_rows(
    ("schema", "text", "value"),
    [
        ({"type": "string", "enum": ["eye test", "lens fitting"]}, "a lens fitting please", "lens fitting"),
        ({"type": "string", "enum": ["eye test", "eye exam"]}, "something for the eye", None),
        ({"type": "string", "format": "date-time"}, "on Tuesday at 3 pm", "2026-11-24T15:00"),
        ({"type": "string", "format": "date-time"}, "on Tuesday", None),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "on Tuesday", "2026-11-24"),
        ({"type": "string", "format": "phone"}, "0171 5550134", "0171 5550134"),
        ({"type": "boolean"}, "yes", None),
        ({"type": "string"}, "anything", None),
        ({"type": "integer"}, "4711", None),
    ],
)
def test_a_value_is_found_by_its_schema(schema: Json, text: str, value: Json) -> None:
    assert plan(text, thing=schema).get("thing") == value


@check_rows(
    ("name", "schema", "text", "value"),
    [
        ("days_ahead", {"type": "integer"}, "the next two weeks", 14),
        ("case_id", {"type": "integer"}, "case 4711", 4711),
        ("case_id", {"type": "integer"}, "case X-4711", None),
        ("invoice_number", {"type": "string"}, "order 4711 and invoice 12", "12"),
        ("order_number", {"type": "string"}, "invoice 4711", None),
        ("mobile", {"type": "string"}, "0171 5550134", "0171 5550134"),
        ("day", {"type": "string", "format": "date"}, "last Tuesday", None),
    ],
)
def test_a_value_is_found_by_the_parameters_name(name: str, schema: Json, text: str, value: Json) -> None:
    assert plan(text, **{name: schema}).get(name) == value


def test_shared_definitions_are_followed() -> None:
    parameters = {
        "properties": {"service": {"$ref": "#/$defs/Service"}, "odd": True, "lost": {"$ref": "#/$defs/None"}},
        "$defs": {"Service": {"type": "string", "enum": ["a", "b"]}},
    }
    tool = ToolSpec(name="x", description="", parameters=cast("dict[str, Json]", parameters))

    assert [(slot.name, slot.choices) for slot in slots_of(tool)] == [("service", ("a", "b")), ("lost", ())]


def test_a_tool_without_parameters_has_none() -> None:
    assert slots_of(ToolSpec(name="x", description="", parameters={"properties": 1})) == ()


DAY: Json = {"type": "string", "format": "date"}
TIME: Json = {"type": "string", "format": "time"}


@check_rows(
    ("text", "arguments"),
    [
        ("move my Tuesday 3 pm appointment to Friday at 4", ["2026-11-24", "15:00", "2026-11-27", "16:00"]),
        ("from Nov 24 to Nov 27 at 11", ["2026-11-24", None, "2026-11-27", "11:00"]),
        ("I'd rather come on Friday than on Tuesday", ["2026-11-27", None, "2026-11-24", None]),
        ("to Friday from Tuesday", ["2026-11-24", None, "2026-11-27", None]),
        ("move it to Friday", [None, None, "2026-11-27", None]),
        ("move my Friday appointment", ["2026-11-27", None, None, None]),
        ("move the appointment on Friday", ["2026-11-27", None, None, None]),
        ("move it to 3 pm", [None, None, None, "15:00"]),
    ],
)
def test_the_old_day_and_the_new_day_are_distinguished(text: str, arguments: list[str | None]) -> None:
    found = plan(text, day=DAY, time=TIME, new_day=DAY, new_time=TIME)

    assert [found.get(name) for name in ("day", "time", "new_day", "new_time")] == arguments


def test_only_a_new_day_takes_the_last_day() -> None:
    assert plan("from Tuesday to Friday", new_day=DAY) == {"new_day": "2026-11-27"}


def test_missing_values_are_asked_for_in_the_order_of_the_parameters() -> None:
    tool = spec("book", "Book.", [], "write", ("day", "time"), day=DAY, time=TIME)

    first = plan_call(tool, {}, "", find_entities("", TODAY), TODAY)
    second = plan_call(tool, {"day": "2026-11-24", "time": "10:00"}, "", find_entities("", TODAY), TODAY)

    assert isinstance(first, Ask)
    assert first.slot.name == "day"
    assert isinstance(second, Planned)


async def test_a_name_is_accepted_if_the_tool_takes_one_for_a_number() -> None:
    tool = spec(
        "return_parcel",
        "Send a parcel back.",
        ["send my parcel back", "return my parcel"],
        "write",
        ("parcel_number",),
        parcel_number={"type": "string", "description": "the parcel's number, or what is in it"},
    )
    ana = Talk(offline_model(tool), (*DEMO_SPECS, tool), {})

    assert str(await ana.says("please send my parcel back")).startswith(
        "OfflineAsk(return parcel; parcel_number"
    )
    assert await ana.says("it's the sunglasses") == [("return_parcel", {"parcel_number": "sunglasses"})]


async def test_free_text_is_taken_unchanged() -> None:
    tool = spec(
        "leave_note",
        "Leave a note.",
        ["leave a note for the optician"],
        "write",
        ("note",),
        note={"type": "string"},
    )
    ana = Talk(offline_model(tool), (*DEMO_SPECS, tool), {})
    await ana.says("leave a note for the optician")

    assert await ana.says("bring the blue frames") == [("leave_note", {"note": "bring the blue frames"})]

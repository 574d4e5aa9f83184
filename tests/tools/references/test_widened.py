"""Models are offered parameters that also take references; the schemas stay valid and the same to the byte."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes
from assistant.shipped import shipped
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.discovery import discover
from assistant.tools.references import schema_with_references, with_references
from assistant.tools.registry import Tools

REFERENCE: JsonObject = {"$from": "find", "path": "[0].id"}
schemas: st.SearchStrategy[Json] = st.sampled_from(
    [
        {"type": "string", "description": "A day.", "format": "date"},
        {"type": "integer", "minimum": 1, "default": 30},
        {"enum": ["a", "b"], "examples": ["a"]},
        {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "Either."},
        {"anyOf": [{"type": "string"}], "title": "Both are kept"},
        {"$ref": "#/$defs/Place"},
        {"type": "array", "items": {"$ref": "#/$defs/Place"}},
        {"description": "Anything."},
        True,
    ]
)


def parameters_of(properties: JsonObject) -> JsonObject:
    place: JsonObject = {"type": "object", "properties": {"town": {"type": "string"}}, "required": ["town"]}
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
        "$defs": {"Place": place},
    }


@given(st.dictionaries(st.text("abc", min_size=1), schemas, max_size=4))
def test_a_widened_schema_is_valid_and_takes_references_besides(properties: JsonObject) -> None:
    narrow, wide = parameters_of(properties), schema_with_references(parameters_of(properties))

    Draft202012Validator.check_schema(wide)
    assert fits(wide, dict.fromkeys(properties, REFERENCE))
    for value in ("2026-11-30", "a", 7, 0, [], {"town": "Graz"}, [{"town": "Graz"}], None):
        given_ = dict.fromkeys(properties, value)
        assert fits(wide, given_) == fits(narrow, given_)
    assert fits(wide, {}) == (not properties)


def test_what_is_said_of_a_parameter_stays_where_models_look_for_it() -> None:
    wide = schema_with_references(
        parameters_of({"day": {"type": "string", "description": "A day.", "default": "today"}})
    )

    day = cast("dict[str, dict[str, Json]]", wide["properties"])["day"]
    assert (day["description"], day["default"]) == ("A day.", "today")


def test_parameters_without_names_stay_as_they_are() -> None:
    assert schema_with_references({"type": "object"}) == {"type": "object"}


def test_a_single_tool_is_offered_as_it_is() -> None:
    spec = fake_spec("find", "looking", "look", required=("what",))

    assert with_references([spec]) == (spec,)


def test_tools_are_offered_by_the_same_bytes_whenever_they_are_made() -> None:
    first, second = (demo() for _ in range(2))

    assert first.offered is first.offered
    assert [spec.name for spec in first.offered] == [spec.name for spec in first.specs]
    assert _bytes(first.offered) == _bytes(second.offered) != _bytes(first.specs)


def test_the_demo_tools_stay_valid_for_each_provider() -> None:
    for spec in demo().offered:
        Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf"} & set(spec.parameters)


def test_a_tool_by_name_is_still_the_one_that_was_declared() -> None:
    tools = Tools([_fake("a"), _fake("b")])

    assert tools.get("a").spec is tools.specs[0]
    assert tools.offered[0].parameters != tools.specs[0].parameters


def fits(schema: JsonObject, arguments: JsonObject) -> bool:
    validator: Any = Draft202012Validator(schema)
    return bool(validator.is_valid(arguments))


def demo() -> Tools:
    return discover(shipped("tools"))


def _fake(name: str) -> FakeTool:
    return FakeTool(fake_spec(name, "looking", "look", required=("what",)), Gives(1), VirtualClock())


def _bytes(specs: tuple[ToolSpec, ...]) -> bytes:
    return json_bytes([spec.parameters for spec in specs])

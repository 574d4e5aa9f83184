"""Tools with schemas that providers refuse are changed so that all providers accept them."""

import orjson

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.formats.registry import formatter
from assistant.formats.tools import sanitize_schema
from assistant.ports import ModelRequest
from tests.support.bodies import refusal
from tests.support.fake_model.replies import Provider
from tests.support.rows import check_rows

ODD: dict[str, JsonObject] = {
    "nothing": {},
    "no properties": {"type": "object"},
    "a list": {"properties": {"x": {"type": "array"}}},
    "a list of lists": {"properties": {"x": {"type": "array", "items": {"type": "array"}}}},
    "a row of things": {"properties": {"x": {"type": "array", "prefixItems": [{"type": "array"}]}}},
    "maybe a list": {"properties": {"x": {"anyOf": [{"type": "array"}, {"type": "null"}]}}},
    "a list or nothing": {"properties": {"x": {"type": ["array", "null"]}}},
    "a list elsewhere": {
        "properties": {"x": {"$ref": "#/$defs/X"}},
        "$defs": {"X": {"type": "array"}},
    },
    "one or the other": {
        "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
        "anyOf": [{"required": ["x"]}, {"required": ["y"]}],
    },
}


@check_rows(("provider", "name"), [("openai", "openai"), ("anthropic", "anthropic"), ("xai", "grok")])
@check_rows("parameters", ODD.values(), ids=ODD)
def test_every_provider_accepts_the_schema(provider: Provider, name: str, parameters: JsonObject) -> None:
    spec = ToolSpec(name="find", description="", parameters=parameters)
    view = View("Be brief.", (TurnView((FromCustomer("Hi"),)),))
    wire = formatter(name).format(ModelRequest(role="decider", view=view, tools=(spec,)), "m")

    assert refusal(provider, orjson.loads(wire.body)) == ""


def test_an_argument_name_that_anthropic_forbids_breaks_no_request() -> None:
    named: JsonObject = {"filter[name]": {"type": "string"}, "page": {"type": "integer"}}
    odd: JsonObject = {"type": "object", "properties": named, "required": ["filter[name]", "page"]}
    spec = ToolSpec(name="find", description="", parameters=odd)
    request = ModelRequest(role="decider", view=View("", (TurnView((FromCustomer("Hi"),)),)), tools=(spec,))

    body = orjson.loads(formatter("anthropic").format(request, "m").body)

    assert refusal("anthropic", body) == ""
    assert body["tools"][0]["input_schema"] == {
        "type": "object",
        "properties": {"page": {"type": "integer"}},
        "required": ["page"],
    }


def test_a_schema_that_all_accept_is_not_changed() -> None:
    good: JsonObject = {
        "type": "object",
        "$defs": {
            "Order": {"type": "object", "properties": {"enum": {"enum": [[]], "default": {"type": "array"}}}}
        },
        "properties": {"type": {"$ref": "#/$defs/Order"}, "x": {"type": "array", "items": {}}},
        "required": ["x"],
    }

    assert orjson.dumps(sanitize_schema(good)) == orjson.dumps(good)

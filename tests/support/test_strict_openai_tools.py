"""The fake OpenAI and xAI refuse the options and tools that the real ones refuse."""

from typing import Any

from tests.support.bodies import CHAT, changed, refusal
from tests.support.fake_model.replies import Provider
from tests.support.rows import check_rows

CONTENT = ("messages", 1, "content")
FUNCTION = ("tools", 0, "function")
PARAMETERS = (*FUNCTION, "parameters")
CALLS = ("messages", 2, "tool_calls")


def parameter(**schema: Any) -> dict[str, Any]:
    """The request with a tool that takes this."""
    return changed(CHAT, *PARAMETERS, "properties", to={"x": schema})


SHAPES: dict[str, tuple[Any, str]] = {
    "no body": ([], "Invalid type for 'body': expected an object, but got an array instead."),
    "no model": (changed(CHAT, "model"), "you must provide a model parameter"),
    "an empty model": (changed(CHAT, "model", to=""), "you must provide a model parameter"),
    "an unknown field": (
        changed(CHAT, "colour", to="red"),
        "Unrecognized request argument supplied: colour",
    ),
    "an unknown field of a message": (
        changed(CHAT, "messages", 1, "calls", to=[]),
        "Unknown parameter: 'messages[1].calls'.",
    ),
    "a message that is none": (
        changed(CHAT, "messages", 1, to="Hi"),
        "Invalid type for 'messages[1]': expected an object, but got a string instead.",
    ),
    "an unknown role": (
        changed(CHAT, "messages", 1, "role", to="human"),
        "Invalid value: 'human'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.",
    ),
    "no messages at all": (changed(CHAT, "messages"), "Missing required parameter: 'messages'."),
    "no messages": (changed(CHAT, "messages", to=[]), "Invalid 'messages': empty array."),
    "messages that are none": (
        changed(CHAT, "messages", to="Hi"),
        "Invalid type for 'messages': expected an array of objects, but got a string instead.",
    ),
}

OPTIONS: dict[str, tuple[Any, str]] = {
    "no tokens": (
        changed(CHAT, "max_tokens", to=0),
        "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
    ),
    "a limit of no number": (
        changed(CHAT, "max_completion_tokens", to="9"),
        "Invalid type for 'max_completion_tokens': expected an integer, but got a string instead.",
    ),
    "the old limit for a new model": (
        changed(changed(CHAT, "max_tokens", to=9), "model", to="gpt-5"),
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'",
    ),
    "a rule for calls that are made one by one": (
        changed(CHAT, "model", to="o3-mini"),
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    ),
    "warmth for a model that thinks": (
        changed(changed(CHAT, "temperature", to=0.2), "model", to="gpt-5-mini"),
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value",
    ),
    "too hot": (
        changed(CHAT, "temperature", to=2.1),
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead.",
    ),
    "too cold": (changed(CHAT, "temperature", to=-1), "Invalid 'temperature': decimal below minimum value."),
    "warmth in words": (
        changed(CHAT, "temperature", to="hot"),
        "Invalid type for 'temperature': expected a decimal, but got a string instead.",
    ),
    "options of a stream without one": (
        changed(CHAT, "stream"),
        "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ),
}

TOOLS: dict[str, tuple[Any, str]] = {
    "a rule for tools without any": (
        changed(CHAT, "tools"),
        "'parallel_tool_calls' is only allowed when 'tools' are specified.",
    ),
    "tools that are none": (changed(CHAT, "tools", to=[]), "Invalid 'tools': empty array."),
    "too many tools": (
        changed(CHAT, "tools", to=CHAT["tools"] * 129),
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with "
        "length 129 instead.",
    ),
    "a tool of another kind": (
        changed(CHAT, "tools", 0, "type", to="x"),
        "Invalid value: 'x'. Supported values are: 'function', and 'custom'.",
    ),
    "a bad name": (
        changed(CHAT, *FUNCTION, "name", to="crm.find"),
        "Invalid 'tools[0].function.name': string does not match pattern.",
    ),
    "a name that is too long": (
        changed(CHAT, *FUNCTION, "name", to="x" * 65),
        "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64",
    ),
    "no name": (changed(CHAT, *FUNCTION, "name", to=""), "Invalid 'tools[0].function.name': empty string."),
    "a name that is none": (
        changed(CHAT, *FUNCTION, "name", to=1),
        "Invalid type for 'tools[0].function.name': expected a string, but got an integer instead.",
    ),
    "two tools of one name": (changed(CHAT, "tools", to=CHAT["tools"] * 2), "names must be unique"),
    "a schema of no object": (
        changed(CHAT, *PARAMETERS, to={"type": "array"}),
        "Invalid schema for function 'find': schema must be a JSON Schema of 'type: \"object\"', got 'type: "
        '"array"\'.',
    ),
    "a schema without properties": (
        changed(CHAT, *PARAMETERS, to={"type": "object"}),
        "Invalid schema for function 'find': In context=(), object schema missing properties.",
    ),
    "a choice of schemas": (
        changed(CHAT, *PARAMETERS, "anyOf", to=[]),
        "Invalid schema for function 'find': schema must have type 'object' and not have 'oneOf'/'anyOf'/",
    ),
    "a type that nobody knows": (
        parameter(type="text"),
        "Invalid schema for function 'find': 'text' is not valid under any of the given schemas.",
    ),
    "what is no schema": (
        changed(CHAT, *PARAMETERS, "required", to="x"),
        "Invalid schema for function 'find': 'x' is not of type 'array'.",
    ),
    "a list of nobody knows what": (
        parameter(anyOf=[{"type": "array"}, {"type": "null"}]),
        "In context=('properties', 'x', 'anyOf', '0'), array schema missing items.",
    ),
    "maybe a list of nobody knows what": (
        parameter(type=["string", "array"]),
        "In context=('properties', 'x', 'type', '1'), array schema missing items.",
    ),
    "a reference to nowhere": (
        parameter(**{"$ref": "#/$defs/Order"}),
        "Invalid schema for function 'find': can't resolve reference #/$defs/Order.",
    ),
    "a reference to the world": (parameter(**{"$ref": "https://example.com/order"}), "can't resolve"),
    "an unknown choice": (
        changed(CHAT, "tool_choice", to="any"),
        "Invalid value: 'any'. Supported values are: 'none', 'auto', and 'required'.",
    ),
    "the choice of a tool that is not there": (
        changed(CHAT, "tool_choice", to={"type": "function", "function": {"name": "look"}}),
        "Tool choice 'look' not found in 'tools' parameter.",
    ),
}

REFUSED = {**SHAPES, **OPTIONS, **TOOLS}


@check_rows("provider", ["openai", "xai"])
@check_rows(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_chat_completion_is_refused_for(provider: Provider, body: Any, told: str) -> None:
    assert told in refusal(provider, body)


def test_correct_tools_are_accepted() -> None:
    chosen = changed(CHAT, "tool_choice", to={"type": "function", "function": {"name": "find"}})
    nested = parameter(type="array", items={"$ref": "#/$defs/Order"})
    nested["tools"][0]["function"]["parameters"]["$defs"] = {"Order": {"type": "object"}}

    assert refusal("openai", chosen) == refusal("openai", nested) == ""

"""The fake OpenAI and xAI refuse what the real ones do; a test that passes against them would pass there."""

from typing import Any

import orjson
import pytest

from assistant.testing.fake_model.checks.bad_request import BadRequest
from assistant.testing.fake_model.request import Received
from assistant.testing.fake_model.wires import WIRES, Provider
from tests.testing.bodies import CALL, CHAT, GIF, HEADERS, PICTURE, PNG, RESULT, changed, refusal

CONTENT = ("messages", 1, "content")
FUNCTION = ("tools", 0, "function")
PARAMETERS = (*FUNCTION, "parameters")
CALLS = ("messages", 2, "tool_calls")


def picture(url: object) -> dict[str, Any]:
    """The request with this picture in it."""
    return changed(CHAT, *CONTENT, 1, "image_url", "url", to=url)


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

ORPHAN = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with"
UNANSWERED = "The following tool_call_ids did not have response messages: a"

PAIRS: dict[str, tuple[Any, str]] = {
    "a call without result": (changed(CHAT, "messages", 3), UNANSWERED),
    "a call without result at the end": (changed(CHAT, "messages", to=CHAT["messages"][:3]), UNANSWERED),
    "a result without call": (changed(CHAT, "messages", 2), ORPHAN),
    "a result twice": (changed(CHAT, "messages", 4, to=RESULT), ORPHAN),
    "something between call and result": (
        changed(CHAT, "messages", 3, to={"role": "user", "content": "Well?"}),
        UNANSWERED,
    ),
    "parallel results with something between them": (
        changed(
            changed(CHAT, *CALLS, to=[CALL, {**CALL, "id": "b"}]),
            "messages",
            to=[
                *CHAT["messages"][:2],
                {"role": "assistant", "tool_calls": [CALL, {**CALL, "id": "b"}]},
                RESULT,
                {"role": "user", "content": "And?"},
                {**RESULT, "tool_call_id": "b"},
            ],
        ),
        "did not have response messages: b",
    ),
    "a call twice": (changed(CHAT, *CALLS, to=[CALL, CALL]), "Duplicate value for 'tool_call_id' of 'a'"),
    "no calls": (changed(CHAT, *CALLS, to=[]), "Invalid 'messages[2].tool_calls': empty array."),
    "an id that is too long": (
        changed(CHAT, *CALLS, 0, "id", to="x" * 41),
        "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, "
        "but got a string with length 41 instead.",
    ),
    "a call of another kind": (changed(CHAT, *CALLS, 0, "type", to="x"), "Invalid value: 'x'."),
    "a call of a bad name": (
        changed(CHAT, *CALLS, 0, "function", "name", to="crm.find"),
        "Invalid 'messages[2].tool_calls[0].function.name': string does not match pattern.",
    ),
    "arguments that are no text": (
        changed(CHAT, *CALLS, 0, "function", "arguments", to={}),
        "Invalid type for 'messages[2].tool_calls[0].function.arguments': expected a string, but got an object",
    ),
    "arguments that are no object": (
        changed(CHAT, *CALLS, 0, "function", "arguments", to="[]"),
        "The arguments to a tool_call with ID 'a' are not a valid JSON string. Parsing error: expected a JSON",
    ),
    "arguments that are no JSON": (
        changed(CHAT, *CALLS, 0, "function", "arguments", to="{"),
        "The arguments to a tool_call with ID 'a' are not a valid JSON string. Parsing error: unexpected end",
    ),
}

CONTENTS: dict[str, tuple[Any, str]] = {
    "no content": (
        changed(CHAT, "messages", 4, "content"),
        "Invalid value for 'content': expected a string, got null.",
    ),
    "content that is none": (
        changed(CHAT, *CONTENT, to=1),
        "Invalid type for 'messages[1].content': expected one of a string or array of objects, but got an "
        "integer instead.",
    ),
    "no parts": (changed(CHAT, *CONTENT, to=[]), "Invalid 'messages[1].content': empty array."),
    "a part that is none": (
        changed(CHAT, *CONTENT, to=[1]),
        "Invalid type for 'messages[1].content[0]': expected an object, but got an integer instead.",
    ),
    "a part as Anthropic has it": (
        changed(CHAT, *CONTENT, 1, to={"type": "image", "source": {}}),
        "Invalid value: 'image'. Supported values are: 'text', 'image_url', ",
    ),
    "a picture of a tool's": (
        changed(CHAT, "messages", 3, "content", to=[PICTURE]),
        "Invalid 'messages[3]'. Image URLs are only allowed for messages with role 'user', but this message "
        "with role 'tool' contains an image URL.",
    ),
    "a sound of the assistant's": (
        changed(CHAT, "messages", 4, "content", to=[{"type": "input_audio", "input_audio": {}}]),
        "Invalid value: 'input_audio'. Supported values are: 'text', and 'refusal'.",
    ),
    "a file that is none": (
        changed(CHAT, *CONTENT, 1, to={"type": "file", "file": "x"}),
        "Invalid type for 'messages[1].content[1].file': expected an object, but got a string instead.",
    ),
    "a text that is none": (
        changed(CHAT, *CONTENT, 0, "text", to=1),
        "Invalid type for 'messages[1].content[0].text': expected a string, but got an integer instead.",
    ),
    "a picture of unknown detail": (
        changed(CHAT, *CONTENT, 1, "image_url", "detail", to="all"),
        "Invalid value: 'all'. Supported values are: 'low', 'high', and 'auto'.",
    ),
    "a picture of a file": (
        picture("file:///door.png"),
        "Invalid 'messages[1].content[1].image_url.url'. Expected a valid URL, but got a value with an",
    ),
    "a picture that is none by name": (
        picture(f"data:application/pdf;base64,{PNG}"),
        "Invalid MIME type. Only image types are supported.",
    ),
    "a picture in no base64": (picture("data:image/png;base64,?"), "Invalid base64 image_url."),
    "a picture of a strange format": (
        picture("data:image/bmp;base64,Qk0="),
        "You uploaded an unsupported image. Please make sure your image has of one the following formats: [",
    ),
    "a picture that is none": (
        picture("data:image/png;base64,aGVsbG8="),
        "You uploaded an unsupported image.",
    ),
}

REFUSED = {**SHAPES, **OPTIONS, **TOOLS, **PAIRS, **CONTENTS}


@pytest.mark.parametrize("provider", ["openai", "xai"])
@pytest.mark.parametrize(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_chat_completion_is_refused_for(provider: Provider, body: Any, told: str) -> None:
    assert told in refusal(provider, body)


def test_what_is_right_is_taken() -> None:
    silent = changed(CHAT, "messages", 2, "content")
    chosen = changed(CHAT, "tool_choice", to={"type": "function", "function": {"name": "find"}})
    linked = picture("https://example.com/door.png")
    nested = parameter(type="array", items={"$ref": "#/$defs/Order"})
    nested["tools"][0]["function"]["parameters"]["$defs"] = {"Order": {"type": "object"}}

    assert refusal("openai", CHAT) == refusal("xai", CHAT) == ""
    for body in (silent, chosen, linked, nested):
        assert refusal("openai", body) == ""


@pytest.mark.parametrize("content", ["", " "])
def test_xai_refuses_a_message_in_which_nothing_stands(content: str) -> None:
    assert "at least one content element" in refusal("xai", changed(CHAT, *CONTENT, to=content))
    assert "at least one content" in refusal("xai", changed(CHAT, "messages", 2, "content"))
    assert refusal("openai", changed(CHAT, *CONTENT, to=content)) == ""


def test_xai_sees_fewer_formats_and_takes_its_own_reasoning_back() -> None:
    moving = picture(f"data:image/gif;base64,{GIF}")
    thought = changed(CHAT, "messages", 2, "reasoning_content", to="Let me see.")

    assert refusal("openai", moving) == refusal("xai", thought) == ""
    assert "formats: ['png', 'jpeg']" in refusal("xai", moving)
    assert refusal("openai", thought) == "Unknown parameter: 'messages[2].reasoning_content'."


def test_xai_asks_for_a_key_and_openais_place_is_taken_by_servers_that_do_not() -> None:
    assert refusal("openai", CHAT, host="x") == ""
    assert "No API key" in refusal("xai", CHAT, host="x")


def test_an_error_has_its_providers_shape() -> None:
    body = changed(CHAT, *CALLS, 0, "id", to="x" * 41)
    with pytest.raises(BadRequest) as refused:
        WIRES["openai"].check(Received("", HEADERS, body))
    told = str(refused.value)

    assert WIRES["openai"].error(refused.value) == {
        "error": {
            "message": told,
            "type": "invalid_request_error",
            "param": "messages[2].tool_calls[0].id",
            "code": "string_above_max_length",
        }
    }
    assert WIRES["xai"].error(refused.value) == {
        "code": "Client specified an invalid argument",
        "error": told,
    }
    assert orjson.dumps(WIRES["openai"].error(BadRequest("no", status=503))).count(b"server_error") == 1

"""The fake OpenAI and xAI refuse the messages that the real ones refuse, so a message that passes would pass
there.
"""

from typing import Any

import orjson
import pytest

from tests.support.bodies import CALL, CHAT, GIF, HEADERS, PICTURE, PNG, RESULT, changed, refusal
from tests.support.fake_model.replies import WIRES, Provider
from tests.support.fake_model.request_checks import BadRequest, Received
from tests.support.rows import check_rows

CONTENT = ("messages", 1, "content")
FUNCTION = ("tools", 0, "function")
PARAMETERS = (*FUNCTION, "parameters")
CALLS = ("messages", 2, "tool_calls")


def picture(url: object) -> dict[str, Any]:
    """The request with this picture in it."""
    return changed(CHAT, *CONTENT, 1, "image_url", "url", to=url)


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
    "a result of nobody knows what": (
        changed(CHAT, "messages", 3, "tool_call_id"),
        "Missing required parameter: 'messages[3].tool_call_id'.",
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

REFUSED = {**PAIRS, **CONTENTS}


@check_rows("provider", ["openai", "xai"])
@check_rows(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_chat_completion_is_refused_for(provider: Provider, body: Any, told: str) -> None:
    assert told in refusal(provider, body)


def test_a_correct_message_is_accepted() -> None:
    silent = changed(CHAT, "messages", 2, "content")

    assert refusal("openai", CHAT) == refusal("xai", CHAT) == ""
    assert refusal("openai", silent) == refusal("openai", picture("https://example.com/door.png")) == ""


@pytest.mark.parametrize("content", ["", " "])
def test_xai_refuses_an_empty_message(content: str) -> None:
    assert "at least one content element" in refusal("xai", changed(CHAT, *CONTENT, to=content))
    assert "at least one content" in refusal("xai", changed(CHAT, "messages", 2, "content"))
    assert refusal("openai", changed(CHAT, *CONTENT, to=content)) == ""


def test_xai_sees_fewer_formats_and_accepts_its_own_reasoning() -> None:
    moving = picture(f"data:image/gif;base64,{GIF}")
    thought = changed(CHAT, "messages", 2, "reasoning_content", to="Let me see.")

    assert refusal("openai", moving) == refusal("xai", thought) == ""
    assert "formats: ['png', 'jpeg']" in refusal("xai", moving)
    assert refusal("openai", thought) == "Unknown parameter: 'messages[2].reasoning_content'."


def test_xai_requires_a_key_and_openai_servers_do_not() -> None:
    assert refusal("openai", CHAT, host="x") == ""
    assert "No API key" in refusal("xai", CHAT, host="x")


def test_an_error_has_its_providers_format() -> None:
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

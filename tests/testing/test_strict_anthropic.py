"""The fake Anthropic refuses what the real one does; a test that passes against it would pass there."""

from typing import Any

import pytest

from assistant.testing.fake_model.checks.bad_request import BadRequest
from assistant.testing.fake_model.request import Received
from assistant.testing.fake_model.wires import WIRES
from tests.testing.bodies import (
    CHAT,
    GIF,
    HEADERS,
    HIDDEN,
    IMAGE,
    MESSAGE,
    PDF,
    PNG,
    TEXT,
    THOUGHT,
    TOLD,
    USE,
    changed,
    refusal,
)

SAID = MESSAGE["messages"]
FIRST = ("messages", 0, "content")
USED = ("messages", 1, "content")
ENDED = ("messages", 2, "content")
TOOL = ("tools", 0)
FOUR = [{**TEXT, "cache_control": {"type": "ephemeral"}}] * 4
FREE = changed(MESSAGE, "tool_choice")
THINKS = changed(FREE, "thinking", to={"type": "enabled", "budget_tokens": 1024})


def image(**source: str) -> dict[str, Any]:
    """The request with a picture of this source."""
    return changed(MESSAGE, *FIRST, to=[{"type": "image", "source": source}])


def document(**source: str) -> dict[str, Any]:
    """The request with a document of this source."""
    return changed(MESSAGE, *FIRST, to=[{"type": "document", "source": source}])


SHAPES: dict[str, tuple[Any, str]] = {
    "no limit": (changed(MESSAGE, "max_tokens"), "max_tokens: Field required"),
    "no tokens": (
        changed(MESSAGE, "max_tokens", to=0),
        "max_tokens: Input should be greater than or equal to 1",
    ),
    "a limit in words": (
        changed(MESSAGE, "max_tokens", to="many"),
        "max_tokens: Input should be a valid number",
    ),
    "an unknown field": (
        changed(MESSAGE, "stream_options", to={}),
        "stream_options: Extra inputs are not permitted",
    ),
    "too hot": (changed(MESSAGE, "temperature", to=1.1), "temperature: range: 0..1"),
    "a system message": (
        changed(MESSAGE, "messages", 0, "role", to="system"),
        "messages.0.role: Input should be 'user' or 'assistant'",
    ),
    "an empty system part": (
        changed(MESSAGE, "system", 0, "text", to=""),
        "system: text content blocks must be non-empty",
    ),
    "a system part that is no text": (
        changed(MESSAGE, "system", 0, "type", to="x"),
        "system.0.type: Input should be 'text'",
    ),
    "too much in the cache": (
        changed(MESSAGE, *FIRST, to=FOUR),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "a strange mark for the cache": (
        changed(MESSAGE, "system", 0, "cache_control", "type", to="forever"),
        "system.0.cache_control: Input tag 'forever' found using 'type' does not match any of the expected",
    ),
}

ORDER: dict[str, tuple[Any, str]] = {
    "no messages": (changed(MESSAGE, "messages", to=[]), "messages: at least one message is required"),
    "messages that are none": (
        changed(MESSAGE, "messages", to="Hi"),
        "messages: Input should be a valid list",
    ),
    "a message that is none": (
        changed(MESSAGE, "messages", 0, to="Hi"),
        "messages.0: Input should be a valid dictionary",
    ),
    "an assistant that begins": (
        changed(MESSAGE, "messages", to=SAID[1:]),
        'messages: first message must use the "user" role',
    ),
    "an assistant that ends": (
        changed(MESSAGE, "messages", to=[*SAID, {"role": "assistant", "content": "Well"}]),
        "The conversation must end with a user message.",
    ),
    "an assistant that ends in a blank": (
        changed(MESSAGE, "messages", to=[*SAID, {"role": "assistant", "content": "Well "}]),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    "a role twice": (
        changed(MESSAGE, "messages", to=[SAID[0], *SAID]),
        'roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ),
}

BLOCKS: dict[str, tuple[Any, str]] = {
    "an empty text": (
        changed(MESSAGE, *FIRST, to=""),
        "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ),
    "a blank text": (changed(MESSAGE, *FIRST, to="\n"), "must contain non-whitespace text"),
    "no blocks": (changed(MESSAGE, *FIRST, to=[]), "messages.0: all messages must have non-empty content"),
    "an empty block": (
        changed(MESSAGE, *USED, 0, "text", to=""),
        "messages: text content blocks must be non-empty",
    ),
    "a blank block": (
        changed(MESSAGE, *USED, 0, "text", to=" "),
        "messages: text content blocks must contain non-whitespace text",
    ),
    "a text that is none": (
        changed(MESSAGE, *USED, 0, "text", to=1),
        "messages.1.content.0.text.text: Input should be a valid string",
    ),
    "an unknown block": (
        changed(MESSAGE, *FIRST, to=[{"type": "x"}]),
        "messages.0.content.0: Input tag 'x' found using 'type' does not match any of the expected tags: ",
    ),
    "a block of no kind": (
        changed(MESSAGE, *FIRST, to=[{"text": "Hi"}]),
        "messages.0.content.0: Unable to extract tag using discriminator 'type'",
    ),
    "a use by the user": (changed(MESSAGE, *FIRST, to=[USE]), "Input tag 'tool_use' found using 'type'"),
    "a picture by the assistant": (changed(MESSAGE, *USED, 0, to=IMAGE), "Input tag 'image' found"),
}

MISSING = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)

PAIRS: dict[str, tuple[Any, str]] = {
    "a use without result": (changed(MESSAGE, *ENDED, to=[TEXT]), MISSING),
    "a use without result at the end": (changed(MESSAGE, "messages", to=SAID[:2]), MISSING),
    "a result behind a text": (changed(MESSAGE, *ENDED, to=[TEXT, TOLD]), MISSING),
    "parallel results in two messages": (
        changed(
            MESSAGE,
            "messages",
            to=[
                SAID[0],
                {"role": "assistant", "content": [USE, {**USE, "id": "b"}]},
                {"role": "user", "content": [TOLD]},
                {"role": "assistant", "content": "Well."},
                {"role": "user", "content": [{**TOLD, "tool_use_id": "b"}]},
            ],
        ),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b.",
    ),
    "a result without use": (
        changed(MESSAGE, "messages", to=SAID[2:]),
        "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` "
        "block must have a corresponding `tool_use` block in the previous message.",
    ),
    "a result twice": (
        changed(MESSAGE, *ENDED, to=[TOLD, TOLD]),
        "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks "
        "with id: a",
    ),
    "an id twice": (changed(MESSAGE, *USED, to=[USE, USE]), "messages.1.content.1: `tool_use` ids must be"),
    "an id once more, later": (
        changed(MESSAGE, "messages", to=[*SAID[:2], {"role": "user", "content": [TOLD]}, *SAID[1:]]),
        "messages.3.content.1: `tool_use` ids must be unique",
    ),
    "a bad id": (
        changed(MESSAGE, *USED, 1, "id", to="a.b"),
        "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "a bad name": (
        changed(MESSAGE, *USED, 1, "name", to="a.b"),
        "messages.1.content.1.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    "an input as text": (
        changed(MESSAGE, *USED, 1, "input", to="{}"),
        "messages.1.content.1.tool_use.input: Input should be a valid dictionary",
    ),
    "a result of no text": (
        changed(MESSAGE, *ENDED, 0, "content", to=1),
        "messages.2.content.0.tool_result.content: Input should be a valid list",
    ),
    "a result with an empty text in it": (
        changed(MESSAGE, *ENDED, 0, "content", to=[{"type": "text", "text": ""}]),
        "messages: text content blocks must be non-empty",
    ),
    "a result with a result in it": (
        changed(MESSAGE, *ENDED, 0, "content", to=[TOLD]),
        "messages.2.content.0.tool_result.content.0: Input tag 'tool_result' found",
    ),
    "a failure with a picture": (
        changed(MESSAGE, *ENDED, 0, to={**TOLD, "content": [IMAGE], "is_error": True}),
        "messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true",
    ),
    "an error that is none": (
        changed(MESSAGE, *ENDED, 0, "is_error", to=1),
        "messages.2.content.0.tool_result.is_error: Input should be a valid boolean",
    ),
}

TOOLS: dict[str, tuple[Any, str]] = {
    "uses without tools": (changed(FREE, "tools"), "Requests which include `tool_use` or `tool_result`"),
    "a choice without tools": (
        changed(MESSAGE, "tools"),
        "tool_choice may only be specified while providing",
    ),
    "an unknown choice": (
        changed(MESSAGE, "tool_choice", "type", to="x"),
        "tool_choice: Input tag 'x' found",
    ),
    "no tool, one at a time": (
        changed(MESSAGE, "tool_choice", "type", to="none"),
        "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted",
    ),
    "the choice of a tool that is not there": (
        changed(MESSAGE, "tool_choice", to={"type": "tool", "name": "look"}),
        "Tool 'look' not found in provided tools",
    ),
    "a tool of a bad name": (
        changed(MESSAGE, *TOOL, "name", to="crm.find"),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ),
    "a tool as OpenAI has it": (
        changed(MESSAGE, "tools", to=CHAT["tools"]),
        "tools.0.custom.name: Field required",
    ),
    "two tools of one name": (
        changed(MESSAGE, "tools", to=MESSAGE["tools"] * 2),
        "tools: Tool names must be unique.",
    ),
    "a schema of no type": (
        changed(MESSAGE, *TOOL, "input_schema", to={}),
        "tools.0.custom.input_schema.type: Field required",
    ),
    "a schema of no object": (
        changed(MESSAGE, *TOOL, "input_schema", to={"type": "array"}),
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "a choice of schemas": (
        changed(MESSAGE, *TOOL, "input_schema", "anyOf", to=[{}]),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level",
    ),
    "what is no schema": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"x": {"type": "text"}}),
        "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    ),
    "a reference to nowhere": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"x": {"$ref": "#/$defs/Order"}}),
        "tools.0.custom.input_schema: JSON schema is invalid.",
    ),
    "a parameter of a bad name": (
        changed(MESSAGE, *TOOL, "input_schema", "properties", to={"filter[name]": {"type": "string"}}),
        "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ),
}

MEDIA: dict[str, tuple[Any, str]] = {
    "a picture of a strange format": (
        image(type="base64", media_type="image/bmp", data="Qk0="),
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', "
        "'image/gif' or 'image/webp'",
    ),
    "a picture of another format": (
        image(type="base64", media_type="image/png", data=GIF),
        "image.source.base64.data: Image does not match the provided media type image/png",
    ),
    "a picture in no base64": (
        image(type="base64", media_type="image/png", data="?"),
        "image.source.base64.data: invalid base64 data",
    ),
    "a picture that is none": (
        image(type="base64", media_type="image/png", data="aGVsbG8="),
        "Could not process image",
    ),
    "a picture that is too large": (
        image(type="base64", media_type="image/png", data="A" * 5_242_884),
        "image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes",
    ),
    "a picture as OpenAI has it": (
        image(type="url", url=f"data:image/png;base64,{PNG}"),
        "Only HTTPS URLs are supported.",
    ),
    "a document that is a picture": (
        document(type="base64", media_type="application/pdf", data=PNG),
        "The PDF specified was not valid.",
    ),
    "a document of a strange format": (
        document(type="base64", media_type="text/html", data=PDF),
        "document.source.base64.media_type: Input should be 'application/pdf'",
    ),
    "an empty document": (
        document(type="text", media_type="text/plain", data=" "),
        "document cannot be empty",
    ),
}

UNTHOUGHT = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`."

THINKING: dict[str, tuple[Any, str]] = {
    "an unknown way": (changed(THINKS, "thinking", "type", to="hard"), "thinking: Input tag 'hard' found"),
    "too little to think with": (
        changed(THINKS, "thinking", "budget_tokens", to=1000),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    "nothing left to speak with": (
        changed(THINKS, "max_tokens", to=1024),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ),
    "a budget for one who needs none": (
        changed(THINKS, "thinking", "type", to="adaptive"),
        "thinking.adaptive.budget_tokens: Extra inputs are not permitted",
    ),
    "a budget for nothing": (
        changed(THINKS, "thinking", "type", to="disabled"),
        "thinking.disabled.budget_tokens: Extra inputs are not permitted",
    ),
    "an unknown display": (
        changed(FREE, "thinking", to={"type": "adaptive", "display": "loud"}),
        "thinking.adaptive.display: Input should be 'summarized' or 'omitted'",
    ),
    "warmth": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "temperature", to=0.5),
        "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    ),
    "the best few": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "top_k", to=5),
        "`top_k` must be unset when thinking is enabled.",
    ),
    "the likely ones": (
        changed(changed(FREE, "thinking", to={"type": "adaptive"}), "top_p", to=0.5),
        "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
    ),
    "a tool that must be used": (
        changed(THINKS, "tool_choice", to={"type": "any"}),
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    "results of a use without a thought": (THINKS, UNTHOUGHT),
    "results of a later use, the first without a thought": (
        changed(
            THINKS,
            "messages",
            to=[
                *SAID[:2],
                {"role": "user", "content": [TOLD]},
                {"role": "assistant", "content": [THOUGHT, {**USE, "id": "b"}]},
                {"role": "user", "content": [{**TOLD, "tool_use_id": "b"}]},
            ],
        ),
        UNTHOUGHT,
    ),
    "a thought behind the words": (changed(THINKS, *USED, to=[TEXT, THOUGHT, USE]), UNTHOUGHT),
    "a thought without a signature": (
        changed(THINKS, *USED, to=[{"type": "thinking", "thinking": "Hm."}, USE]),
        "messages.1.content.0.thinking.signature: Field required",
    ),
    "a thought of an empty signature": (
        changed(THINKS, *USED, to=[{**THOUGHT, "signature": ""}, USE]),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
    "a hidden thought that holds nothing": (
        changed(THINKS, *USED, to=[{**HIDDEN, "data": ""}, USE]),
        "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    ),
    "a thought and nothing after it": (
        changed(FREE, "messages", to=[SAID[0], {"role": "assistant", "content": [THOUGHT]}, SAID[0]]),
        "messages.1: The final block in an assistant message cannot be `thinking`.",
    ),
}

REFUSED = {**SHAPES, **ORDER, **BLOCKS, **PAIRS, **TOOLS, **MEDIA, **THINKING}

TAKEN: dict[str, Any] = {
    "everything": MESSAGE,
    "a system text": changed(MESSAGE, "system", to="Be brief."),
    "pictures and documents": changed(
        MESSAGE,
        *FIRST,
        to=[
            TEXT,
            IMAGE,
            {"type": "image", "source": {"type": "url", "url": "https://example.com/door.png"}},
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "Hi"}},
        ],
    ),
    "a picture among the results": changed(MESSAGE, *ENDED, 0, "content", to=[TEXT, IMAGE]),
    "a failure in words": changed(MESSAGE, *ENDED, 0, to={**TOLD, "content": [TEXT], "is_error": True}),
    "a thought before a use": changed(THINKS, *USED, to=[THOUGHT, TEXT, USE]),
    "a hidden thought before a use": changed(THINKS, *USED, to=[HIDDEN, USE]),
    "thoughts where none are asked for": changed(FREE, *USED, to=[THOUGHT, USE]),
    "nothing thought before earlier words": changed(THINKS, "messages", to=[SAID[0]]),
    "nothing thought between two uses": changed(
        THINKS,
        "messages",
        to=[
            SAID[0],
            {"role": "assistant", "content": [THOUGHT, USE]},
            {"role": "user", "content": [TOLD]},
            {"role": "assistant", "content": [{**USE, "id": "b"}]},
            {"role": "user", "content": [{**TOLD, "tool_use_id": "b"}]},
        ],
    ),
    "nothing thought where the model decides": changed(FREE, "thinking", to={"type": "adaptive"}),
    "nothing thought at all": changed(FREE, "thinking", to={"type": "disabled"}),
    "a chosen tool": changed(MESSAGE, "tool_choice", to={"type": "tool", "name": "find"}),
}


@pytest.mark.parametrize(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_message_is_refused_for(body: Any, told: str) -> None:
    assert told in refusal("anthropic", body)


@pytest.mark.parametrize("body", TAKEN.values(), ids=TAKEN)
def test_a_message_is_taken_with(body: Any) -> None:
    assert refusal("anthropic", body) == ""


def test_a_key_and_a_version_are_asked_for() -> None:
    assert "x-api-key" in refusal("anthropic", MESSAGE, host="x")
    assert "anthropic-version" in refusal("anthropic", MESSAGE, **{"x-api-key": "k"})


def test_an_error_has_its_providers_shape() -> None:
    with pytest.raises(BadRequest) as refused:
        WIRES["anthropic"].check(Received("", {**HEADERS}, changed(MESSAGE, "model")))

    assert WIRES["anthropic"].error(refused.value) == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "model: Field required"},
        "request_id": "req_1",
    }

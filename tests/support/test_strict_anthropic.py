"""The fake Anthropic refuses the messages that the real one refuses, so a message that passes would pass there."""

from typing import Any

import pytest

from tests.support.bodies import (
    HEADERS,
    IMAGE,
    MESSAGE,
    TEXT,
    TOLD,
    USE,
    changed,
    refusal,
)
from tests.support.fake_model.replies import WIRES
from tests.support.fake_model.request_checks import BadRequest, Received
from tests.support.rows import check_rows

SAID = MESSAGE["messages"]
FIRST = ("messages", 0, "content")
USED = ("messages", 1, "content")
ENDED = ("messages", 2, "content")
TOOL = ("tools", 0)
FREE = changed(MESSAGE, "tool_choice")
FOUR = [{**TEXT, "cache_control": {"type": "ephemeral"}}] * 4

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

REFUSED = {**SHAPES, **ORDER, **BLOCKS, **PAIRS}


@check_rows(("body", "told"), REFUSED.values(), ids=REFUSED)
def test_a_message_is_refused_for(body: Any, told: str) -> None:
    assert told in refusal("anthropic", body)


def test_a_key_and_a_version_are_required() -> None:
    assert "x-api-key" in refusal("anthropic", MESSAGE, host="x")
    assert "anthropic-version" in refusal("anthropic", MESSAGE, **{"x-api-key": "k"})


def test_an_error_has_its_providers_format() -> None:
    with pytest.raises(BadRequest) as refused:
        WIRES["anthropic"].check(Received("", {**HEADERS}, changed(MESSAGE, "model")))

    assert WIRES["anthropic"].error(refused.value) == {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "model: Field required"},
        "request_id": "req_1",
    }

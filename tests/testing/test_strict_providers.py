"""The fake providers refuse what the real ones do; a test that passes against them would pass there."""

from copy import deepcopy
from typing import Any

import pytest

from assistant.testing.fake_model.checks.bad_request import BadRequest
from assistant.testing.fake_model.request import Received
from assistant.testing.fake_model.wires import WIRES, Provider

HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}

CALL = {"id": "a", "type": "function", "function": {"name": "find", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "a", "content": "[]"}
CHAT: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "stream_options": {"include_usage": True},
    "parallel_tool_calls": False,
    "tools": [{"type": "function", "function": {"name": "find", "parameters": SCHEMA}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        RESULT,
        {"role": "assistant", "content": "Done."},
    ],
}

USE: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "find", "input": {}}
TOLD = {"type": "tool_result", "tool_use_id": "a", "content": "[]"}
TEXT = {"type": "text", "text": "Hi"}
MESSAGE: dict[str, Any] = {
    "model": "m",
    "max_tokens": 9,
    "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
    "tools": [{"name": "find", "input_schema": SCHEMA}],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": True},
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [TEXT, USE]},
        {"role": "user", "content": [TOLD, TEXT]},
    ],
}


def changed(body: dict[str, Any], *path: str | int, to: Any = None) -> dict[str, Any]:
    """The body with something else at this place, or with nothing there any more."""
    body = deepcopy(body)
    place: Any = body
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return body


def refusal(provider: Provider, body: Any, **headers: str) -> str:
    """What the provider says to a body that it refuses; "" when it takes it."""
    try:
        WIRES[provider].check(Received("", headers or HEADERS, body))
    except BadRequest as error:
        return str(error)
    return ""


CHATS: dict[str, tuple[dict[str, Any], str]] = {
    "no model": (changed(CHAT, "model"), "body.model: Field required"),
    "an empty model": (changed(CHAT, "model", to=""), "must provide a model"),
    "an unknown field": (changed(CHAT, "colour", to="red"), "body.colour: Extra inputs"),
    "an unknown field of a message": (
        changed(CHAT, "messages", 1, "calls", to=[]),
        "messages[1].calls: Extra",
    ),
    "a message that is none": (changed(CHAT, "messages", 1, to="Hi"), "messages[1]: expected an object"),
    "an unknown role": (changed(CHAT, "messages", 1, "role", to="human"), "'human' for 'messages[1].role'"),
    "no messages": (changed(CHAT, "messages", to=[]), "messages: expected a list"),
    "no content": (changed(CHAT, "messages", 4, "content"), "got null"),
    "content that is none": (changed(CHAT, "messages", 1, "content", to=[1]), "Invalid type"),
    "no tokens": (changed(CHAT, "max_tokens", to=0), "Invalid 'max_tokens'"),
    "the old limit for a new model": (
        changed(changed(CHAT, "max_tokens", to=9), "model", to="gpt-5"),
        "Use 'max_completion_tokens' instead",
    ),
    "too hot": (changed(CHAT, "temperature", to=2.1), "Invalid 'temperature'"),
    "options of a stream without one": (changed(CHAT, "stream"), "'stream_options' is only allowed"),
    "a rule for tools without any": (changed(CHAT, "tools"), "only allowed with 'tools'"),
    "tools that are none": (changed(CHAT, "tools", to=[]), "tools: expected a list"),
    "a tool of another kind": (changed(CHAT, "tools", 0, "type", to="x"), "tools[0].type"),
    "a bad name": (changed(CHAT, "tools", 0, "function", "name", to="crm.find"), "name: should match"),
    "two tools of one name": (changed(CHAT, "tools", to=CHAT["tools"] * 2), "names must be unique"),
    "a schema of no object": (
        changed(CHAT, "tools", 0, "function", "parameters", to={"type": "array"}),
        "parameters.type",
    ),
    "a choice of schemas": (
        changed(CHAT, "tools", 0, "function", "parameters", "anyOf", to=[]),
        "does not support anyOf",
    ),
    "a call without result": (changed(CHAT, "messages", 3), "did not have response messages: a"),
    "a call without result at the end": (
        changed(CHAT, "messages", to=CHAT["messages"][:3]),
        "response messages: a",
    ),
    "a result without call": (changed(CHAT, "messages", 2), "must be a response to a preceding message"),
    "a result twice": (changed(CHAT, "messages", 4, to=RESULT), "must be a response to a preceding message"),
    "something between call and result": (
        changed(CHAT, "messages", 3, to={"role": "user", "content": "Well?"}),
        "did not have response messages: a",
    ),
    "a call twice": (changed(CHAT, "messages", 2, "tool_calls", to=[CALL, CALL]), "ids must be unique"),
    "an id that is too long": (
        changed(CHAT, "messages", 2, "tool_calls", 0, "id", to="x" * 41),
        "tool_calls[0].id: should match",
    ),
    "a call of another kind": (
        changed(CHAT, "messages", 2, "tool_calls", 0, "type", to="x"),
        "tool_calls[0].type",
    ),
    "a call of a bad name": (
        changed(CHAT, "messages", 2, "tool_calls", 0, "function", "name", to="crm.find"),
        "function.name: should match",
    ),
    "arguments that are no object": (
        changed(CHAT, "messages", 2, "tool_calls", 0, "function", "arguments", to="[]"),
        "not the text of an object",
    ),
    "arguments that are no JSON": (
        changed(CHAT, "messages", 2, "tool_calls", 0, "function", "arguments", to="{"),
        "not the text of an object",
    ),
}

SAID = MESSAGE["messages"]
FOUR = [{**TEXT, "cache_control": {"type": "ephemeral"}}] * 4

MESSAGES: dict[str, tuple[dict[str, Any], str]] = {
    "no limit": (changed(MESSAGE, "max_tokens"), "max_tokens: Field required"),
    "no tokens": (changed(MESSAGE, "max_tokens", to=0), "max_tokens: Input should be"),
    "an unknown field": (changed(MESSAGE, "stream_options", to={}), "stream_options: Extra inputs"),
    "a system message": (
        changed(MESSAGE, "messages", 0, "role", to="system"),
        "messages.0.role: Input should be 'user' or 'assistant'",
    ),
    "an empty system part": (changed(MESSAGE, "system", 0, "text", to=""), "system.0: text content blocks"),
    "too hot": (changed(MESSAGE, "temperature", to=1.1), "temperature: range"),
    "no messages": (changed(MESSAGE, "messages", to=[]), "messages: expected a list"),
    "an assistant that begins": (
        changed(MESSAGE, "messages", to=SAID[1:]),
        'first message must use the "user"',
    ),
    "an assistant that ends": (
        changed(MESSAGE, "messages", to=[*SAID, {"role": "assistant", "content": "Well"}]),
        "must end with a user message",
    ),
    "a role twice": (changed(MESSAGE, "messages", to=[SAID[0], *SAID]), "roles must alternate"),
    "an empty text": (changed(MESSAGE, "messages", 0, "content", to=""), "must be non-empty"),
    "an empty block": (changed(MESSAGE, "messages", 1, "content", 0, "text", to=""), "must be non-empty"),
    "a blank block": (changed(MESSAGE, "messages", 1, "content", 0, "text", to=" "), "non-whitespace"),
    "no blocks": (changed(MESSAGE, "messages", 0, "content", to=[]), "messages.0.content: expected a list"),
    "an unknown block": (
        changed(MESSAGE, "messages", 0, "content", to=[{"type": "x"}]),
        "unexpected block 'x'",
    ),
    "a use by the user": (
        changed(MESSAGE, "messages", 0, "content", to=[USE]),
        "unexpected block 'tool_use'",
    ),
    "a use without result": (
        changed(MESSAGE, "messages", 2, "content", to=[TEXT]),
        "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a",
    ),
    "a result without use": (changed(MESSAGE, "messages", to=SAID[2:]), "unexpected `tool_use_id`"),
    "a result twice": (
        changed(MESSAGE, "messages", 2, "content", to=[TOLD, TOLD]),
        "must have a single result",
    ),
    "a result behind a text": (
        changed(MESSAGE, "messages", 2, "content", to=[TEXT, TOLD]),
        "must come before",
    ),
    "an id twice": (
        changed(MESSAGE, "messages", to=[*SAID[:2], {"role": "user", "content": [TOLD]}, *SAID[1:]]),
        "ids must be unique",
    ),
    "a bad id": (changed(MESSAGE, "messages", 1, "content", 1, "id", to="a.b"), "id: should match"),
    "a bad name": (changed(MESSAGE, "messages", 1, "content", 1, "name", to="a.b"), "name: should match"),
    "an input as text": (changed(MESSAGE, "messages", 1, "content", 1, "input", to="{}"), "valid dictionary"),
    "a result of no text": (changed(MESSAGE, "messages", 2, "content", 0, "content", to=1), "expected text"),
    "an error that is none": (changed(MESSAGE, "messages", 2, "content", 0, "is_error", to=1), "a boolean"),
    "uses without tools": (changed(changed(MESSAGE, "tools"), "tool_choice"), "must define tools"),
    "a choice without tools": (changed(MESSAGE, "tools"), "while providing tools"),
    "an unknown choice": (changed(MESSAGE, "tool_choice", "type", to="x"), "tool_choice.type"),
    "no tool, one at a time": (changed(MESSAGE, "tool_choice", "type", to="none"), "tool_choice.none"),
    "a tool of a bad name": (
        changed(MESSAGE, "tools", 0, "name", to="crm.find"),
        "tools.0.name: should match",
    ),
    "a tool as OpenAI has it": (changed(MESSAGE, "tools", to=CHAT["tools"]), "tools.0.name: Field required"),
    "two tools of one name": (
        changed(MESSAGE, "tools", to=MESSAGE["tools"] * 2),
        "Tool names must be unique",
    ),
    "a schema of no object": (changed(MESSAGE, "tools", 0, "input_schema", to={}), "input_schema.type"),
    "too much in the cache": (changed(MESSAGE, "messages", 0, "content", to=FOUR), "Found 5."),
}


def test_what_is_right_is_taken() -> None:
    silent = changed(CHAT, "messages", 2, "content")

    assert refusal("openai", CHAT) == refusal("openai", silent) == ""
    assert refusal("xai", CHAT) == ""
    assert refusal("anthropic", MESSAGE) == ""
    assert refusal("anthropic", changed(MESSAGE, "system", to="Be brief.")) == ""


@pytest.mark.parametrize("provider", ["openai", "xai"])
@pytest.mark.parametrize(("body", "told"), CHATS.values(), ids=CHATS)
def test_a_chat_completion_is_refused_for(provider: Provider, body: dict[str, Any], told: str) -> None:
    assert told in refusal(provider, body)


@pytest.mark.parametrize(("body", "told"), MESSAGES.values(), ids=MESSAGES)
def test_a_message_is_refused_for(body: dict[str, Any], told: str) -> None:
    assert told in refusal("anthropic", body)


@pytest.mark.parametrize("content", ["", " "])
def test_xai_refuses_a_message_in_which_nothing_stands(content: str) -> None:
    assert "at least one content element" in refusal(
        "xai", changed(CHAT, "messages", 1, "content", to=content)
    )
    assert "at least one content" in refusal("xai", changed(CHAT, "messages", 2, "content"))
    assert refusal("openai", changed(CHAT, "messages", 1, "content", to=content)) == ""


def test_keys_are_asked_for_where_the_real_ones_do() -> None:
    assert refusal("openai", CHAT, host="x") == ""
    assert "No API key" in refusal("xai", CHAT, host="x")
    assert "x-api-key" in refusal("anthropic", MESSAGE, host="x")
    assert "anthropic-version" in refusal("anthropic", MESSAGE, **{"x-api-key": "k"})

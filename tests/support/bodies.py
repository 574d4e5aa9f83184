"""Valid requests for each provider; tests break them in one place each."""

from base64 import b64encode
from copy import deepcopy
from typing import Any

from tests.support.fake_model.replies import WIRES, Provider
from tests.support.fake_model.request_checks import BadRequest, Received

HEADERS = {"authorization": "Bearer k", "x-api-key": "k", "anthropic-version": "2023-06-01"}
SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(8)).decode()
GIF = b64encode(b"GIF89a" + bytes(8)).decode()
WEBP = b64encode(b"RIFF\x00\x00\x00\x00WEBPVP8 ").decode()
PDF = b64encode(b"%PDF-1.7\n").decode()

CALL: dict[str, Any] = {"id": "a", "type": "function", "function": {"name": "find", "arguments": "{}"}}
RESULT: dict[str, Any] = {"role": "tool", "tool_call_id": "a", "content": "[]"}
PICTURE: dict[str, Any] = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
CHAT: dict[str, Any] = {
    "model": "m",
    "stream": True,
    "stream_options": {"include_usage": True},
    "parallel_tool_calls": False,
    "tools": [{"type": "function", "function": {"name": "find", "parameters": SCHEMA}}],
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is it?"}, PICTURE]},
        {"role": "assistant", "content": "", "tool_calls": [CALL]},
        RESULT,
        {"role": "assistant", "content": "Done."},
    ],
}

USE: dict[str, Any] = {"type": "tool_use", "id": "a", "name": "find", "input": {}}
TOLD: dict[str, Any] = {"type": "tool_result", "tool_use_id": "a", "content": "[]"}
TEXT: dict[str, Any] = {"type": "text", "text": "Hi"}
THOUGHT: dict[str, Any] = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}
HIDDEN: dict[str, Any] = {"type": "redacted_thinking", "data": "c2ln"}
IMAGE: dict[str, Any] = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": PNG},
}
MESSAGE: dict[str, Any] = {
    "model": "m",
    "max_tokens": 2048,
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
    """A copy of the body with the value at this path replaced by ``to``, or removed if ``to`` is None."""
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
    """The message with which the fake provider refuses this body; "" if it accepts it."""
    try:
        WIRES[provider].check(Received("", headers or HEADERS, body))
    except BadRequest as error:
        return str(error)
    return ""

"""The events of a streamed Anthropic message, as bytes.

``index`` numbers all blocks, texts and calls alike.
"""

from collections.abc import Mapping

from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes, json_text


def event(kind: str, **fields: Json) -> bytes:
    r"""One event.

    >>> event("ping")
    b'event: ping\ndata: {"type":"ping"}\n\n'
    """
    return f"event: {kind}\ndata: ".encode() + json_bytes({"type": kind, **fields}) + b"\n\n"


def begin(usage: Mapping[str, int] | None = None) -> list[bytes]:
    """The events with which every message begins."""
    counted: Json = usage or {"input_tokens": 100, "output_tokens": 1}
    message: Json = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "fake",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counted,
    }
    return [event("message_start", message=message), event("ping")]


def block(index: int, begun: JsonObject, *deltas: JsonObject) -> list[bytes]:
    """All events of one block."""
    return [opened(index, begun), *(delta(index, each) for each in deltas), closed(index)]


def opened(index: int, begun: JsonObject) -> bytes:
    """The event that begins a block."""
    return event("content_block_start", index=index, content_block=begun)


def delta(index: int, changes: JsonObject) -> bytes:
    """An event that adds to a block."""
    return event("content_block_delta", index=index, delta=changes)


def closed(index: int) -> bytes:
    """The event that ends a block."""
    return event("content_block_stop", index=index)


def words(index: int, piece: str) -> bytes:
    """The next piece of a text."""
    return delta(index, {"type": "text_delta", "text": piece})


def fragment(index: int, piece: str) -> bytes:
    """The next piece of a call's arguments."""
    return delta(index, {"type": "input_json_delta", "partial_json": piece})


def named(index: int, name: str, id_: str | None = None) -> bytes:
    """The event that begins a call."""
    return opened(index, {"type": "tool_use", "id": id_ or f"toolu_{index}", "name": name, "input": {}})


def text(*pieces: str, index: int = 0) -> list[bytes]:
    """A block of text, one event for each piece."""
    begun = opened(index, {"type": "text", "text": ""})
    return [begun, *(words(index, piece) for piece in pieces), closed(index)]


def thinking(index: int, value: JsonObject) -> list[bytes]:
    """A thinking block, plain or redacted: the text in two pieces, then the signature."""
    if value.get("type") != "thinking":
        return block(index, value)
    thought, signature = str(value["thinking"]), value["signature"]
    half = len(thought) // 2
    deltas: list[JsonObject] = [
        {"type": "thinking_delta", "thinking": piece} for piece in (thought[:half], thought[half:]) if piece
    ]
    begun: JsonObject = {"type": "thinking", "thinking": "", "signature": ""}
    return block(index, begun, *deltas, {"type": "signature_delta", "signature": signature})


def call(
    index: int, name: str, arguments: JsonObject | str = "", *, size: int = 0, id_: str | None = None
) -> list[bytes]:
    """A call's name, then its arguments, ``size`` characters per event (0: all in one event)."""
    written = arguments if isinstance(arguments, str) else json_text(arguments)
    step = size or len(written) or 1
    pieces = [written[start : start + step] for start in range(0, len(written), step)]
    # A real server sends an empty fragment first, and no other fragment for a call without arguments.
    return [
        named(index, name, id_),
        fragment(index, ""),
        *(fragment(index, piece) for piece in pieces),
        closed(index),
    ]


def ending(reason: str = "end_turn", *, output_tokens: int = 20) -> list[bytes]:
    """The events that end a message: the stop reason with the token count, and the end marker."""
    why: Json = {"stop_reason": reason, "stop_sequence": None}
    return [
        event("message_delta", delta=why, usage={"output_tokens": output_tokens}),
        event("message_stop"),
    ]


def answer(*pieces: str) -> list[bytes]:
    """A whole reply that is only text."""
    return [*begin(), *text(*pieces), *ending()]


def decision(*tools: str) -> list[bytes]:
    """A whole reply that calls these tools, in parallel and without arguments."""
    uses = [event_ for index, name in enumerate(tools) for event_ in call(index, name)]
    return [*begin(), *uses, *ending("tool_use")]


def broken_off(kind: str, message: str) -> bytes:
    """An error event in the middle of a message."""
    return event("error", error={"type": kind, "message": message})

"""The events of a streamed chat completion, as bytes."""

from collections.abc import Sequence

from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes, json_text

DONE = b"data: [DONE]\n\n"

_HEAD: JsonObject = {
    "id": "chatcmpl-1",
    "object": "chat.completion.chunk",
    "created": 1_700_000_000,
    "model": "fake",
}


def event(value: Json) -> bytes:
    r"""One event.

    >>> event({"id": 1})
    b'data: {"id":1}\n\n'
    """
    return b"data: " + json_bytes(value) + b"\n\n"


def delta(changes: JsonObject, finish_reason: str | None = None) -> bytes:
    """An event that adds to the reply."""
    return event({**_HEAD, "choices": [{"index": 0, "delta": changes, "finish_reason": finish_reason}]})


def text(*pieces: str) -> list[bytes]:
    """One event for each piece of text."""
    return [delta({"content": piece}) for piece in pieces]


def call(
    index: int, name: str, arguments: JsonObject | str = "{}", *, size: int = 0, id_: str | None = None
) -> list[bytes]:
    """A call's name, then its arguments, ``size`` characters per event (0: all in one event)."""
    written = arguments if isinstance(arguments, str) else json_text(arguments)
    begun: Json = {"name": name, "arguments": ""}
    events = [
        tool_call({"index": index, "id": id_ or f"call_{index}", "type": "function", "function": begun})
    ]
    step = size or len(written) or 1
    for start in range(0, len(written), step):
        fragment = written[start : start + step]
        events.append(tool_call({"index": index, "function": {"arguments": fragment}}))
    return events


def tool_call(*entries: JsonObject) -> bytes:
    """An event whose ``tool_calls`` are these."""
    return delta({"tool_calls": list(entries)})


def ending(reason: str = "stop", *, usage: tuple[int, int] | None = (100, 20)) -> list[bytes]:
    """The events that end a reply: the finish reason, the token counts (in, out), and the end marker."""
    events = [delta({}, reason)]
    if usage:
        counted: Json = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
        events.append(event({**_HEAD, "choices": [], "usage": counted}))
    return [*events, DONE]


def answer(*pieces: str) -> list[bytes]:
    """A whole reply that is only text."""
    return [*text(*pieces), *ending()]


def decision(*tools: str) -> list[bytes]:
    """A whole reply that calls these tools, in parallel and without arguments."""
    named = [event_ for index, name in enumerate(tools) for event_ in call(index, name)]
    return [*named, *ending("tool_calls")]


def bytewise(events: Sequence[bytes]) -> list[bytes]:
    """The same bytes, written one at a time."""
    joined = b"".join(events)
    return [joined[at : at + 1] for at in range(len(joined))]

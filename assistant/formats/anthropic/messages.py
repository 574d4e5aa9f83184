"""One turn's messages, as Anthropic has them: each a list of blocks, the roles taking turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.anthropic.results import write_media, write_result
from assistant.formats.blank import is_blank
from assistant.formats.call_ids import CallIds
from assistant.formats.json_text import json_bytes
from assistant.formats.names import wire_name
from assistant.formats.reader import Reader

Role: TypeAlias = Literal["user", "assistant"]

OPENING: dict[Role, bytes] = {
    role: b'{"role":"%b","content":[' % role.encode() for role in ("user", "assistant")
}
CLOSING = b"]}"
_THINKING = frozenset({"thinking", "redacted_thinking"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn's messages as JSON text, joined by commas, the roles of the first and the last, the tools called.

    Each message begins with its ``OPENING`` and ends with ``CLOSING``. A turn with nothing to send has no
    text; its roles then mean nothing.
    """

    text: bytes
    first: Role
    last: Role
    tools: frozenset[str]


def write_turn(turn: TurnView, ids: CallIds, reader: Reader) -> Piece:
    """The messages of a turn for its reader; ``ids`` is what its calls are called."""
    said = _merged(turn.messages, ids, reader)
    text = b",".join(OPENING[role] + json_bytes(blocks)[1:-1] + CLOSING for role, blocks in said)
    tools = (
        wire_name(call.tool)
        for message in turn.messages
        if isinstance(message, FromAssistant)
        for call in message.calls
    )
    first, last = (said[0][0], said[-1][0]) if said else ("user", "user")
    return Piece(text, first, last, frozenset(tools))


def _merged(messages: Sequence[ViewMessage], ids: CallIds, reader: Reader) -> list[tuple[Role, list[Json]]]:
    merged: list[tuple[Role, list[Json]]] = []
    for message in messages:
        role: Role = "assistant" if isinstance(message, FromAssistant) else "user"
        blocks = list(_blocks(message, ids, reader))
        if merged and merged[-1][0] == role:
            merged[-1][1].extend(blocks)
        elif blocks:
            merged.append((role, blocks))
    return merged


def _blocks(message: ViewMessage, ids: CallIds, reader: Reader) -> Iterator[Json]:
    match message:
        case FromCustomer(text=text):
            yield from _text(text)
            yield from write_media(message.media, reader)
        case FromAssistant(text=text, calls=calls):
            if calls:
                yield from thinking_of(message, reader)
            yield from _text(text)
            for call in calls:
                yield _use(call, ids)
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield write_result(outcome, ids, reader)
        case _:
            assert_never(message)


def thinking_of(message: FromAssistant, reader: Reader) -> list[JsonObject]:
    """The blocks of thinking before a message's calls that its reader wrote, untouched and in order."""
    return [block for block in reader.own(message.opaque) if block.get("type") in _THINKING]


def _text(text: str) -> Iterator[Json]:
    if not is_blank(text):  # A block with nothing in it is refused.
        yield {"type": "text", "text": text}


def _use(call: Call, ids: CallIds) -> Json:
    return {"type": "tool_use", "id": ids[call.id], "name": wire_name(call.tool), "input": call.arguments}

"""Requests to Anthropic's messages API: lists of blocks, with alternating user and assistant messages."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, assert_never

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallStatus, Media
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.families import family_of, longest_reply
from assistant.formats.json_text import json_bytes
from assistant.formats.options import with_extra, with_thinking
from assistant.formats.registry import WireRequest
from assistant.formats.tools import (
    PICTURES,
    ToolList,
    ToolLists,
    caption,
    is_error,
    media_of,
    result_text,
    schema,
    wire_name,
)
from assistant.formats.turns import PLAIN, CallIds, Reader, Turns, is_blank, plain_messages
from assistant.ports import ModelOptions, ModelRequest

log = structlog.get_logger(__name__)

Role: TypeAlias = Literal["user", "assistant"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A turn's messages as JSON text, joined by commas, with the roles of the first and the last, and the
    tools called.

    Each message begins with its ``OPENING`` and ends with ``CLOSING``. A turn with nothing to send has no
    text; then its roles have no meaning.
    """

    text: bytes
    first: Role
    last: Role
    tools: frozenset[str]


class AnthropicFormatter:
    """Writes requests for the messages API; caches ended turns and lists of tools.

    Stable parts come first and are marked for the provider's cache: the tools, the instructions, and the
    conversation before late instructions.
    """

    def __init__(self) -> None:
        self._turns: Turns[Piece] = Turns(write_turn, PLAIN)
        self._tool_lists = ToolLists(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request by joining cached parts; see :class:`assistant.formats.registry.Formatter`."""
        offer = self._tool_lists.write(request.tools)
        reader = Reader(request.options.images, provider)
        options, reader = with_thinking(request.options, request.view, reader, thinking_of)
        said = self._said(request.view, reader, formatted=options.formatted)
        tools, choice = _tools(offer, said, request)
        body = [json_bytes(_head(options, model))[:-1], tools]
        if system := _system(request):
            body += [b',"system":', json_bytes(system)]
        body += [b',"messages":[', said.text, b"]", choice, b"}"]
        return WireRequest(b"".join(body), offer.names, provider)

    def _said(self, view: View, reader: Reader, *, formatted: bool) -> Piece:
        """Returns all messages as one piece."""
        if not formatted:
            plain = json_bytes(plain_messages(view, reader))[1:-1]
            return Piece(plain, "user", "user", frozenset())
        turns = list(self._turns.of(view, reader))
        late = list(_late(view))
        return join([*kept(turns), *late] if late else turns)


def _head(options: ModelOptions, model: str) -> dict[str, Json]:
    head: dict[str, Json] = {"model": model, "stream": True, "max_tokens": longest_reply(model, options)}
    if options.temperature is not None and family_of(model, options.family).temperature:
        head["temperature"] = options.temperature
    return with_extra(head, options.extra) if options.extra else head


def _late(view: View) -> Iterator[Piece]:
    """Yields the late instructions as a last block of the user, because system instructions come first."""
    if not is_blank(view.late):
        yield write_turn(TurnView((FromCustomer(view.late),)), {}, Reader())


def _tools(offer: ToolList, said: Piece, request: ModelRequest) -> tuple[bytes, bytes]:
    """Returns the fields ``tools`` and ``tool_choice``, for the tools on offer, or else for those that were
    called.
    """
    choice: Json = None
    if not request.may_call:
        choice = {"type": "none"}
    elif not request.options.parallel_calls:
        choice = {"type": "auto", "disable_parallel_tool_use": True}
    tools = offer.tools
    if not tools and said.tools:
        tools, choice = write_former(said.tools), {"type": "none"}
    if not tools:
        return b"", b""
    return b',"tools":' + tools, b',"tool_choice":' + json_bytes(choice) if choice else b""


def _system(request: ModelRequest) -> Json:
    view = request.view
    text = view.system if request.options.formatted else view.instructions
    if is_blank(text):
        return None
    return [{"type": "text", "text": text, "cache_control": TO_HERE}]


_ALLOWED = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

TO_HERE: JsonObject = {"type": "ephemeral"}
"""Marks the end of a part that the provider caches; it costs less in the next request."""


def write_tools(specs: Sequence[ToolSpec]) -> Json:
    """Returns the value of ``tools``, marked for the provider's cache."""
    tools = [_tool(spec) for spec in specs]
    tools[-1]["cache_control"] = TO_HERE
    return tools


def write_former(names: Iterable[str]) -> bytes:
    """Returns the value of ``tools`` for a request without tools whose messages contain calls of these.

    Without tools, Anthropic refuses such a conversation, or answers with nothing.
    """
    return json_bytes([{"name": name, "input_schema": {"type": "object"}} for name in sorted(names)])


def _tool(spec: ToolSpec) -> dict[str, Json]:
    described = {"description": spec.description} if spec.description.strip() else {}
    return {"name": wire_name(spec.name), **described, "input_schema": _named_as_allowed(schema(spec))}


def _named_as_allowed(parameters: JsonObject) -> JsonObject:
    """Returns the schema without arguments whose names Anthropic forbids: with one of them it refuses the
    whole request.

    The model calls the tool without them. If one was required, the check of the call answers it with an
    error.
    """
    given = parameters["properties"]
    if not isinstance(given, Mapping) or all(map(_ALLOWED.fullmatch, given)):
        return parameters
    left = {name: value for name, value in given.items() if _ALLOWED.fullmatch(name)}
    log.warning("arguments left out, whose names Anthropic forbids", names=[*given.keys() - left.keys()])
    required = parameters.get("required")
    needed: Json = [name for name in required if name in left] if isinstance(required, list) else []
    return {**parameters, "properties": left, "required": needed}


OPENING: dict[Role, bytes] = {
    role: b'{"role":"%b","content":[' % role.encode() for role in ("user", "assistant")
}
CLOSING = b"]}"

# Replaces a message of the customer: before an assistant message that comes first, and after one that comes
# last, because newer models refuse to continue an assistant message.
_UNSPOKEN = OPENING["user"] + '{"type":"text","text":"…"}'.encode() + CLOSING

# Goes into the last block of a message, right before the characters that close it.
_TO_HERE = b',"cache_control":' + json_bytes(TO_HERE) + b"}"


def kept(pieces: Sequence[Piece]) -> list[Piece]:
    """Returns the same pieces with a cache mark at the end, so that the next request with this beginning
    costs less.
    """
    marked = list(pieces)
    for place in range(len(marked) - 1, -1, -1):
        if text := marked[place].text:
            marked[place] = replace(marked[place], text=text[: -len(CLOSING) - 1] + _TO_HERE + CLOSING)
            break
    return marked


def join(pieces: Iterable[Piece]) -> Piece:
    """Returns all messages as one piece: the first and the last are the user's, and the roles alternate."""
    joined: list[bytes] = []
    tools: frozenset[str] = frozenset()
    last: Role | None = None
    for piece in pieces:
        if not piece.text:
            continue
        if last is None and piece.first == "assistant":
            joined.append(_UNSPOKEN)
        if last == piece.first:
            joined[-1] = joined[-1][: -len(CLOSING)] + b"," + piece.text[len(OPENING[piece.first]) :]
        else:
            joined.append(piece.text)
        last = piece.last
        if piece.tools:
            tools |= piece.tools
    if last != "user":
        joined.append(_UNSPOKEN)
    return Piece(b",".join(joined), "user", "user", tools)


_THINKING = frozenset({"thinking", "redacted_thinking"})


def write_turn(turn: TurnView, ids: CallIds, reader: Reader) -> Piece:
    """Returns the messages of a turn for its reader; ``ids`` maps its calls to their ids."""
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
    """Returns the thinking blocks before a message's calls, unchanged and in order, if the reader wrote them
    itself.
    """
    return [block for block in reader.own(message.opaque) if block.get("type") in _THINKING]


def _text(text: str) -> Iterator[Json]:
    if not is_blank(text):  # The API refuses an empty block.
        yield {"type": "text", "text": text}


def _use(call: Call, ids: CallIds) -> Json:
    return {"type": "tool_use", "id": ids[call.id], "name": wire_name(call.tool), "input": call.arguments}


_DOCUMENT = "application/pdf"
_SEEN = PICTURES | {_DOCUMENT}


def write_result(outcome: CallStatus, ids: CallIds, reader: Reader) -> Json:
    """Returns the block of one result."""
    result: dict[str, Json] = {
        "type": "tool_result",
        "tool_use_id": ids[outcome.call.id],
        "content": _content(outcome, reader.sees(_SEEN)),
    }
    if is_error(outcome):
        result["is_error"] = True
    return result


def write_media(media: Sequence[Media], reader: Reader) -> Iterator[JsonObject]:
    """Yields the blocks of media that belong to a text, in the types that the reader can see."""
    seen = reader.sees(_SEEN)
    for number, each in enumerate(media, start=1):
        if each.mime in seen:
            yield from _shown(each, number, seen)


def _content(outcome: CallStatus, seen: Collection[str]) -> Json:
    media = media_of(outcome)
    if not media:
        return result_text(outcome)
    shown = (block for number, each in enumerate(media, start=1) for block in _shown(each, number, seen))
    return [_text_block(result_text(outcome)), *shown]


def _shown(media: Media, number: int, seen: Collection[str]) -> Iterator[JsonObject]:
    """Yields a caption, and then the medium itself if the model can see its type."""
    yield _text_block(caption(media, number, seen=media.mime in seen))
    if media.mime in seen:
        kind = "document" if media.mime == _DOCUMENT else "image"
        yield {"type": kind, "source": {"type": "base64", "media_type": media.mime, "data": media.data}}


def _text_block(text: str) -> JsonObject:
    return {"type": "text", "text": text}

"""Requests to the chat completions of OpenAI and compatible servers.

The messages are the instructions, the turns, and late instructions. An id links each result to its call.
Pictures of tools come after the results, which contain only text. A ``Dialect`` defines the message format of
one kind of server; ``OF_MESSAGES`` and ``OF_CALLS`` list the fields of a reply that are sent back.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Literal, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.formats.families import family_of, longest_reply
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.options import with_extra
from assistant.formats.registry import WireRequest
from assistant.formats.tools import (
    PICTURES,
    ToolLists,
    called,
    caption,
    data_url,
    introduction,
    media_of,
    schema,
    text_with_captions,
    wire_name,
)
from assistant.formats.turns import NINE, SHORT, CallIds, IdStyle, Reader, Turns, is_blank, plain_messages
from assistant.ports import ModelOptions, ModelRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The message format of one kind of server.

    ``ids`` are the allowed ids of calls; ``silence`` replaces the text of a message with only calls;
    ``pictures`` are the MIME types that models can see. ``frames`` is True if the customer must speak first
    and last. ``answers`` is True if the assistant must speak after results. ``former`` is True if the called
    tools must be named when there are calls but no tool is offered. ``insists`` are fields that calls must
    have, even if another model made them.

    ``late`` says where the late instructions are: in a system message after the conversation ("system"), in a
    user message after it ("user", for servers that take a system message only at the beginning), or with the
    other instructions ("first").
    """

    ids: IdStyle = SHORT
    silence: Literal[""] | None = None
    pictures: frozenset[str] = PICTURES
    frames: bool = False
    answers: bool = False
    former: bool = False
    late: Literal["system", "user", "first"] = "user"
    insists: Literal["reasoning", "signature"] | None = None


COMPATIBLE = Dialect()
OPENAI = Dialect(late="system")
XAI = Dialect(
    late="system",
    silence="",  # xAI refuses a message without content, and accepts an empty content.
    pictures=frozenset({"image/jpeg", "image/png"}),
)
MISTRAL = Dialect(ids=NINE, frames=True, answers=True, late="first")
GEMINI = Dialect(insists="signature")
DEEPSEEK = Dialect(insists="reasoning")

_MISTRALS = re.compile(
    r"(?:mi[sx]tral|minis?tral|codestral|devstral|magistral|pixtral|voxtral)", re.IGNORECASE
)
# Providers whose servers accept instructions anywhere. Models that many providers serve, and custom names,
# are not in this list.
_ANYWHERE = re.compile(r"(?:(?:ft:)?gpt-(?!oss)|chatgpt-|o\d(?![a-z\d])|grok-)")
_SIGNED = re.compile(r"gemini-(?:[3-9]|\d\d)")
_REASONED = re.compile(r"(?:deepseek|kimi)-")


@cache
def dialect_of(model: str) -> Dialect:
    """Returns the dialect for a model, chosen by the model's name, because a model has the same rules on each
    server.

    >>> dialect_of("mistralai/Devstral-Small-2") is MISTRAL, dialect_of("gpt-5") is OPENAI
    (True, True)
    >>> dialect_of("Qwen/Qwen3-32B") is dialect_of("gpt-oss-20b") is COMPATIBLE
    True
    """
    if _MISTRALS.search(model):
        return MISTRAL
    name = model.rpartition("/")[2]
    known = ((_ANYWHERE, OPENAI), (_SIGNED, GEMINI), (_REASONED, DEEPSEEK))
    return next((dialect for names, dialect in known if names.match(name)), COMPATIBLE)


OF_MESSAGES: Sequence[str] = (
    "reasoning_content",  # DeepSeek and Moonshot refuse calls that come back without it
    "reasoning_details",  # OpenRouter and MiniMax: reasoning that is signed or encrypted
    "thinking_blocks",  # litellm: Anthropic's thinking
)
"""Fields of an assistant's message that calls tools."""

OF_CALLS: Sequence[str] = (
    "extra_content",  # Gemini: the signature of the thought behind a call, which it requires
    "provider_specific_fields",  # litellm: the same
)
"""Fields of one call."""

_GROWING: Mapping[str, str] = {
    "reasoning.text": "text",
    "reasoning.summary": "summary",
    "thinking": "thinking",
}
"""Kinds of parts that arrive in pieces, with the field that grows. Other kinds arrive complete."""


def only(names: Sequence[str], value: Mapping[str, Json]) -> dict[str, Json]:
    """Returns the existing fields with these names, in the order of the names.

    >>> only(OF_CALLS, {"id": "call_1", "extra_content": {"google": {}}})
    {'extra_content': {'google': {}}}
    """
    return {name: value[name] for name in names if value.get(name)}


def joined(before: Json, now: Json) -> Json:
    """Returns a field's value after one more piece. ``before`` is the value so far, None at first. Values of
    the same type are joined.

    >>> joined("So ", "be it."), joined({"a": 1}, {"b": 2}), joined(None, [])
    ('So be it.', {'a': 1, 'b': 2}, [])
    """
    match before, now:
        case str(), str():
            return before + now
        case dict(), dict():
            return {**before, **now}
        case list(), list():
            return _parts(before, now)
        case _:
            return now


def _parts(before: Sequence[Json], now: Sequence[Json]) -> list[Json]:
    """Join two lists of parts. A piece of the last part is joined to it until that part is signed."""
    parts = list(before)
    for piece in now:
        last = parts[-1] if parts else None
        if isinstance(last, Mapping) and isinstance(piece, Mapping) and _goes_on(last, piece):
            parts[-1] = _grown(last, piece)
        else:
            parts.append(piece)
    return parts


def _goes_on(last: Mapping[str, Json], piece: Mapping[str, Json]) -> bool:
    same = all(last.get(name) == piece.get(name) for name in ("type", "index"))
    return same and piece.get("type") in _GROWING and not last.get("signature")


def _grown(last: Mapping[str, Json], piece: Mapping[str, Json]) -> Json:
    grows = _GROWING[str(piece["type"])]
    told = {name: value for name, value in piece.items() if value is not None}
    return {**last, **told, grows: joined(last.get(grows), piece.get(grows) or "")}


class OpenAIFormatter:
    """Writes chat completion requests; caches ended turns and lists of tools.

    Stable parts come first, so that a request begins with the same bytes as the one before: providers cache
    them.

    Args:
        dialect_of: returns the message format for a model's name.
        write: writes one turn's messages; by default in the dialect's format.
    """

    def __init__(
        self,
        dialect_of: Callable[[str], Dialect] = dialect_of,
        write: Callable[[TurnView, CallIds, Reader], bytes] | None = None,
    ) -> None:
        self._dialect_of = dialect_of
        self._write = write
        self._turns: dict[Dialect, Turns[bytes]] = {}
        self._tool_lists = ToolLists(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request by joining cached parts; see :class:`assistant.formats.registry.Formatter`."""
        return self.format_for(Reader(request.options.images, provider), request, model)

    def format_for(self, reader: Reader, request: ModelRequest, model: str) -> WireRequest:
        """Write the request for this reader."""
        dialect = self._dialect_of(model)
        offer = self._tool_lists.write(request.tools)
        head = json_bytes(write_head(request.options, model, tools=bool(offer.tools)))
        body = [head[:-1]]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        elif dialect.former and (former := called(request.view)):
            body += [b',"tools":', json_bytes(write_former(former)), b',"tool_choice":"none"']
        said = self._said(request, reader, dialect)
        # Last, so that the request begins with the same bytes as the request before.
        choice = b"" if request.may_call or not offer.tools else b',"tool_choice":"none"'
        body += [b',"messages":[', join(request.view, said, dialect), b"]", choice, b"}"]
        return WireRequest(b"".join(body), offer.names, reader.provider)

    def _said(self, request: ModelRequest, reader: Reader, dialect: Dialect) -> Iterable[bytes]:
        """Returns the messages of each turn as JSON text, joined by commas; empty for a turn without
        messages.
        """
        if not request.options.formatted:
            return [json_bytes(plain_messages(request.view, reader))[1:-1]]
        turns = self._turns.get(dialect)
        if turns is None:
            write = self._write or partial(write_turn, dialect=dialect)
            turns = self._turns[dialect] = Turns(write, dialect.ids)
        return turns.of(request.view, reader)


def write_head(options: ModelOptions, model: str, *, tools: bool) -> dict[str, Json]:
    """Returns the options as fields of chat completions, without those that this family of models refuses.

    Args:
        options: the options to write.
        model: the provider's own name for the model.
        tools: whether tools are on offer.

    Raises:
        DeclarationError: an extra field is ours, or no family has the name in ``options``.

    >>> write_head(ModelOptions(), "gpt-5-mini", tools=False)["max_completion_tokens"]
    4096
    """
    family = family_of(model, options.family)
    head: dict[str, Json] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        family.max_tokens: longest_reply(model, options),
    }
    if options.temperature is not None and family.temperature:
        head["temperature"] = options.temperature
    if tools and not options.parallel_calls and family.parallel_tool_calls:
        head["parallel_tool_calls"] = False
    extra = options.extra
    if tools and family.effort_with_tools != "any":
        extra = {name: value for name, value in extra.items() if name != "reasoning_effort"}
        if family.effort_with_tools == "none":
            head["reasoning_effort"] = "none"
    return with_extra(head, extra) if extra else head


def write_tools(specs: Sequence[ToolSpec]) -> Json:
    """Returns the value of ``tools``."""
    return [
        {
            "type": "function",
            "function": {
                "name": wire_name(spec.name),
                "description": spec.description,
                "parameters": schema(spec),
            },
        }
        for spec in specs
    ]


def write_former(names: Iterable[str]) -> Json:
    """Returns the value of ``tools`` for a request that offers no tools, but has calls of tools with these
    names.
    """
    return [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
        for name in sorted(names)
    ]


_MESSAGE = b'{"role":"'  # occurs in no text, because quotes are escaped in texts
_USERS = _MESSAGE + b"user"
_TOOLS = _MESSAGE + b"tool"

_ASSISTANTS = _MESSAGE + b"assistant"

UNSPOKEN: Json = {"role": "assistant", "content": "…"}
"""Goes between results and the customer's next message if the server requires an assistant message there."""

_UNSPOKEN = json_bytes(UNSPOKEN)
_UNASKED = json_bytes({"role": "user", "content": "…"})


def join(view: View, turns: Iterable[bytes], dialect: Dialect) -> bytes:
    """Returns all messages, joined by commas.

    Late instructions come last, so that the next request begins with the same bytes. A user message has less
    weight than a system message, so it is used only if a server refuses a system message there.
    """
    system, late = (view.instructions, "") if dialect.late == "first" else (view.system, view.late)
    said = filter(None, turns)
    if dialect.answers:
        said = _answered(said)
    note = [*_one("user" if dialect.late == "user" else "system", late)]
    if dialect.late == "user":
        said, note = [*said, *note], []
    if dialect.frames:
        said = _framed(list(said))
    return b",".join([*_one("system", system), *said, *note])


def _one(role: str, text: str) -> Iterator[bytes]:
    if not is_blank(text):
        yield json_bytes({"role": role, "content": text})


def _answered(turns: Iterable[bytes]) -> Iterator[bytes]:
    """Yields the turns, with ``UNSPOKEN`` wherever a customer's message follows results directly."""
    last = b""
    for turn in turns:
        if last.startswith(_TOOLS) and turn.startswith(_USERS):
            yield _UNSPOKEN
        yield turn
        last = _last(turn)


def _framed(turns: list[bytes]) -> list[bytes]:
    """Returns the turns, with an added customer's message if the assistant would be first or last."""
    if not turns:
        return turns
    first = [_UNASKED] if turns[0].startswith(_ASSISTANTS) else []
    return [*first, *turns, *([_UNASKED] if _last(turns[-1]).startswith(_ASSISTANTS) else [])]


def _last(turn: bytes) -> bytes:
    return turn[turn.rindex(_MESSAGE) :]


def write_turn(turn: TurnView, ids: CallIds, reader: Reader, *, dialect: Dialect = OPENAI) -> bytes:
    """Returns the messages as JSON text, joined by commas, or empty if the turn has none to send.

    Args:
        turn: the turn.
        ids: the ids of its calls on the wire.
        reader: the model that reads it.
        dialect: the server's message format.
    """
    messages = [wire for message in turn.messages for wire in _wire(message, ids, reader, dialect)]
    return json_bytes(messages)[1:-1]


def _wire(message: ViewMessage, ids: CallIds, reader: Reader, dialect: Dialect) -> Iterator[Json]:
    match message:
        case FromCustomer(text=text):
            if not is_blank(text):  # Servers refuse an empty message, some of them always.
                yield {
                    "role": "user",
                    "content": with_pictures(message, reader.sees(dialect.pictures))
                    if message.media
                    else text,
                }
        case FromAssistant(text=text, calls=()):
            if not is_blank(text):
                yield {"role": "assistant", "content": text}
        case FromAssistant():
            yield _asked(message, ids, reader, dialect)
        case FromTools(outcomes=outcomes):
            yield from _results(outcomes, ids, reader, dialect)
        case _:
            assert_never(message)


def _asked(message: FromAssistant, ids: CallIds, reader: Reader, dialect: Dialect) -> Json:
    spoken = dialect.silence if is_blank(message.text) else message.text
    asked: dict[str, Json] = {
        "role": "assistant",
        "content": spoken,
        "tool_calls": [_call(call, ids, reader) for call in message.calls],
    }
    for value in reader.own(message.opaque):
        asked |= only(OF_MESSAGES, value)
    return with_placeholders(asked, dialect) if dialect.insists and reader.provider else asked


def _call(call: Call, ids: CallIds, reader: Reader) -> Json:
    asked: dict[str, Json] = {
        "id": ids[call.id],
        "type": "function",
        "function": {"name": wire_name(call.tool), "arguments": json_text(call.arguments)},
    }
    return {**asked, **only(OF_CALLS, reader.own_of(call))} if call.opaque else asked


def _results(
    outcomes: Sequence[CallStatus], ids: CallIds, reader: Reader, dialect: Dialect
) -> Iterator[Json]:
    seen = reader.sees(dialect.pictures)
    for outcome in outcomes:
        content = text_with_captions(outcome, seen)
        yield {"role": "tool", "tool_call_id": ids[outcome.call.id], "content": content}
    # After all results: no other message may come between the results of one message's calls.
    if shown := pictures(outcomes, ids, seen):
        if dialect.answers:
            yield UNSPOKEN
        yield {"role": "user", "content": shown}


def pictures(outcomes: Sequence[CallStatus], ids: CallIds, seen: Collection[str]) -> list[Json]:
    """Returns the parts of a user message that shows the pictures of these results, or empty if there are
    none.

    A line before each says that the customer did not send it. ``seen`` are the types that are shown.
    """
    return [part for outcome in outcomes for part in _shown(outcome, ids, seen)]


def with_pictures(message: FromCustomer, seen: Collection[str]) -> Json:
    """Returns the content of a user message: its text, and its media of the types that are shown."""
    shown = [
        part
        for number, media in enumerate(message.media, start=1)
        if media.mime in seen
        for part in (_text(caption(media, number, seen=True)), _picture(media))
    ]
    return [_text(message.text), *shown] if shown else message.text


def _shown(outcome: CallStatus, ids: CallIds, seen: Collection[str]) -> Iterator[Json]:
    call = outcome.call
    for number, media in enumerate(media_of(outcome), start=1):
        if media.mime in seen:
            yield _text(introduction(number, wire_name(call.tool), ids[call.id]))
            yield _picture(media)


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _picture(media: Media) -> Json:
    return {"type": "image_url", "image_url": {"url": data_url(media)}}


_UNSIGNED: Json = {"google": {"thought_signature": "skip_thought_signature_validator"}}
"""Gemini's documented value for calls that it did not make."""

_UNREASONED = " "  # servers treat an empty text as missing


def with_placeholders(asked: dict[str, Any], dialect: Dialect) -> Json:
    """Returns an assistant message with calls, completed with the fields that its server requires.

    >>> with_placeholders({"tool_calls": [{"id": "a"}]}, Dialect(insists="reasoning"))
    {'tool_calls': [{'id': 'a'}], 'reasoning_content': ' '}
    """
    match dialect.insists:
        case None:
            return asked
        case "reasoning":
            return asked if "reasoning_content" in asked else {**asked, "reasoning_content": _UNREASONED}
        case "signature":
            first, *others = asked["tool_calls"]
            return {**asked, "tool_calls": [_signed(first), *others]}
        case _:
            assert_never(dialect.insists)


def _signed(call: Mapping[str, Json]) -> Json:
    """Adds the placeholder for a signature, which only the first call of a reply has."""
    return call if "extra_content" in call else {**call, "extra_content": _UNSIGNED}

"""Requests to OpenAI's Responses API: a list of messages, calls, results and reasoning.

The provider stores nothing (``store`` is false), so each request contains the whole conversation. Reasoning
arrives encrypted. It is sent back only to the model that wrote it, before the calls that followed it.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.formats.families import effort_of, family_of, longest_reply, thinks
from assistant.formats.json_text import json_bytes, json_text
from assistant.formats.options import check_extra
from assistant.formats.registry import WireRequest
from assistant.formats.tools import (
    PICTURES,
    ToolLists,
    caption,
    data_url,
    media_of,
    result_text,
    schema,
    wire_name,
)
from assistant.formats.turns import SHORT, CallIds, Reader, Turns, is_blank, plain_messages
from assistant.ports import ModelOptions, ModelRequest

_DOCUMENT: Final = "application/pdf"
_SHOWN: Final = PICTURES | {_DOCUMENT}
_LONGEST_KEY: Final = 64

REASONING: Final = "reasoning"
"""The type of an item that is sent back to the model that wrote it."""

_NO_MESSAGE: Final = json_bytes({"role": "user", "content": "…"})
"""The input of a request that would have none: before the customer's first message."""


class ResponsesFormatter:
    """Writes requests to the Responses API; caches ended turns and lists of tools.

    Stable parts come first, so that a request begins with the same bytes as the one before: the tools, the
    instructions, the ended turns. Instructions that change come last, as a developer message.
    """

    def __init__(self) -> None:
        self._turns: Turns[bytes] = Turns(write_items, SHORT)
        self._tool_lists = ToolLists(write_tools)

    def format(self, request: ModelRequest, model: str, provider: str = "") -> WireRequest:
        """Write the request by joining cached parts; see :class:`assistant.formats.registry.Formatter`."""
        options, view = request.options, request.view
        reader = Reader(options.images, provider)
        offer = self._tool_lists.write(request.tools)
        head = write_head(options, model, tools=bool(offer.tools))
        if request.conversation:
            head.setdefault("prompt_cache_key", request.conversation[:_LONGEST_KEY])
        body = [json_bytes(head)[:-1]]
        if offer.tools:
            body += [b',"tools":', offer.tools]
        if not is_blank(view.system):
            body += [b',"instructions":', json_bytes(view.system)]
        # Last, so that the request begins with the same bytes as the request before.
        choice = b"" if request.may_call or not offer.tools else b',"tool_choice":"none"'
        body += [b',"input":[', self._input(request, reader), b"]", choice, b"}"]
        return WireRequest(b"".join(body), offer.names, provider)

    def _input(self, request: ModelRequest, reader: Reader) -> bytes:
        view = request.view
        if request.options.formatted:
            items = [piece for piece in self._turns.of(view, reader) if piece]
        else:
            items = [piece for piece in [json_bytes(plain_messages(view, reader))[1:-1]] if piece]
        items = items or [_NO_MESSAGE]
        if not is_blank(view.late):
            items.append(json_bytes({"role": "developer", "content": view.late}))
        return b",".join(items)


def write_head(options: ModelOptions, model: str, *, tools: bool) -> dict[str, Json]:
    """Returns the options as fields of the Responses API, without those that this family of models refuses.

    An operator's extra fields replace ours. Three of them are translated, so that the same options work for
    both APIs: ``reasoning_effort``, and the two names of chat completions for the longest reply.

    Raises:
        DeclarationError: an operator may not set one of the extra fields, or no family has the name in
            ``options``.

    >>> write_head(ModelOptions(extra={"reasoning_effort": "low"}), "gpt-6-luna", tools=False)["reasoning"]
    {'effort': 'low'}
    """
    family = family_of(model, options.family)
    head: dict[str, Json] = {
        "model": model,
        "stream": True,
        "store": False,
        "max_output_tokens": longest_reply(model, options),
    }
    thinking = thinks(model, options)
    accepts_temperature = family.temperature or effort_of(options.extra) == "none"
    if options.temperature is not None and accepts_temperature and not thinking:
        head["temperature"] = options.temperature
    if tools and not options.parallel_calls and family.parallel_tool_calls:
        head["parallel_tool_calls"] = False
    if thinking:
        # A model that does not think refuses the field.
        head["include"] = ["reasoning.encrypted_content"]
    check_extra(options.extra)
    return head | _translated(options.extra)


def _translated(extra: Mapping[str, Json]) -> dict[str, Json]:
    fields: dict[str, Json] = {}
    for name, value in extra.items():
        match name:
            case "reasoning_effort":
                fields["reasoning"] = {"effort": value}
            case "max_tokens" | "max_completion_tokens":
                fields["max_output_tokens"] = value
            case _:
                fields[name] = value
    return fields


def write_tools(specs: Sequence[ToolSpec]) -> Json:
    """Returns the value of ``tools``. Strict checking is off: it would refuse optional arguments."""
    return [
        {
            "type": "function",
            "name": wire_name(spec.name),
            "description": spec.description,
            "parameters": schema(spec),
            "strict": False,
        }
        for spec in specs
    ]


def write_items(turn: TurnView, ids: CallIds, reader: Reader) -> bytes:
    """Returns the items of a turn as JSON text, joined by commas, or empty when the turn has none to send.

    Args:
        turn: the turn.
        ids: the ids of its calls on the wire.
        reader: the model that reads it.
    """
    items = [item for message in turn.messages for item in _items(message, ids, reader)]
    return json_bytes(items)[1:-1]


def _items(message: ViewMessage, ids: CallIds, reader: Reader) -> Iterator[Json]:
    seen = reader.sees(_SHOWN)
    match message:
        case FromCustomer(text=text, media=media):
            if not is_blank(text):
                yield {"role": "user", "content": _content(text, media, seen)}
        case FromAssistant(text=text, calls=calls):
            if calls:
                yield from (one for one in reader.own(message.opaque) if one.get("type") == REASONING)
            if not is_blank(text):
                yield {"role": "assistant", "content": text}
            for call in calls:
                yield _call(call, ids)
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield _result(outcome, ids, seen)
        case _:
            assert_never(message)


def _call(call: Call, ids: CallIds) -> Json:
    return {
        "type": "function_call",
        "call_id": ids[call.id],
        "name": wire_name(call.tool),
        "arguments": json_text(call.arguments),
    }


def _result(outcome: CallStatus, ids: CallIds, seen: Collection[str]) -> Json:
    return {
        "type": "function_call_output",
        "call_id": ids[outcome.call.id],
        "output": _content(result_text(outcome), media_of(outcome), seen),
    }


def _content(text: str, media: Sequence[Media], seen: Collection[str]) -> Json:
    """Returns a text with its media: each gets a caption, and is shown if the model can see its type."""
    if not media:
        return text
    parts: list[Json] = [_text(text)]
    for number, each in enumerate(media, start=1):
        parts.append(_text(caption(each, number, seen=each.mime in seen)))
        if each.mime in seen:
            parts.append(_shown(each))
    return parts


def _text(text: str) -> JsonObject:
    return {"type": "input_text", "text": text}


def _shown(media: Media) -> JsonObject:
    if media.mime == _DOCUMENT:
        return {"type": "input_file", "filename": media.name or "file.pdf", "file_data": data_url(media)}
    return {"type": "input_image", "image_url": data_url(media), "detail": "auto"}

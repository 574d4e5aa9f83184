"""Tools in requests: names that each provider accepts, schemas, and results as text."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never, cast

from assistant.conversation.documents import LOAD_IN_FULL
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallStatus,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    LongCallStatus,
    Media,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, View
from assistant.errors import DeclarationError
from assistant.formats.json_text import json_bytes, json_text

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class ToolList:
    """A list of tools as JSON text (empty for no tools), and the names that were rewritten."""

    tools: bytes
    names: dict[str, str]


_NOTHING = ToolList(b"", {})


class ToolLists:
    """Caches the last lists of tools by identity, because a conversation's requests use the same tuple.

    Args:
        write: writes a list of tools, never an empty one.
    """

    def __init__(self, write: Callable[[Sequence[ToolSpec]], Json]) -> None:
        self._write = write
        # The tuple is stored with its list, so that no other tuple can get the same id.
        self._known: dict[int, tuple[tuple[ToolSpec, ...], ToolList]] = {}

    def write(self, specs: tuple[ToolSpec, ...]) -> ToolList:
        """Returns the list for these tools.

        Raises ``DeclarationError`` if two get the same name in a request.
        """
        if not specs:
            return _NOTHING
        known = self._known.get(id(specs))
        if known is None:
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            known = self._known[id(specs)] = (specs, self._offer(specs))
        return known[1]

    def _offer(self, specs: tuple[ToolSpec, ...]) -> ToolList:
        check_names(specs)
        names = {wire_name(spec.name): spec.name for spec in specs if wire_name(spec.name) != spec.name}
        return ToolList(json_bytes(self._write(specs)), names)


def schema(spec: ToolSpec) -> JsonObject:
    """Returns a tool's parameters as the JSON schema of an object, which all providers require."""
    return sanitize_schema(spec.parameters)


_LONGEST = 64
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


def wire_name(name: str) -> str:
    """Returns a tool's name with only the characters that all providers allow: letters, digits, "_" and "-",
    at most 64.

    >>> wire_name("crm.find customer")
    'crm_find_customer'
    """
    return _FORBIDDEN.sub("_", name)[:_LONGEST]


def called(view: View) -> frozenset[str]:
    """Returns the names, as in requests, of all tools whose calls are in a view."""
    said = (message for message in view.messages if isinstance(message, FromAssistant))
    return frozenset(wire_name(call.tool) for message in said for call in message.calls)


def check_names(specs: Iterable[ToolSpec]) -> None:
    """Refuse tools with names that a provider could not tell apart. Raises ``DeclarationError``."""
    seen: dict[str, ToolSpec] = {}
    for spec in specs:
        other = seen.setdefault(wire_name(spec.name), spec)
        if other is not spec:
            raise DeclarationError(
                f"{_place(spec)}tool {spec.name!r}: to a model it has the same name as {other.name!r}"
                f"{f' ({other.where})' if other.where else ''}, {wire_name(spec.name)!r}; rename one of them"
            )


def _place(spec: ToolSpec) -> str:
    return f"{spec.where}: " if spec.where else ""


_NOT_AT_THE_TOP = frozenset({"allOf", "anyOf", "enum", "not", "oneOf"})
_DATA = frozenset({"const", "default", "enum", "examples"})
_NAMED = frozenset({"$defs", "definitions", "patternProperties", "properties"})


def sanitize_schema(schema: JsonObject) -> JsonObject:
    """Returns the schema of an object with properties, in which each list declares its items.

    Conditions on several properties, ``anyOf`` and similar at the top, are left out. The model does not see
    them, and a call that breaks them gets an error when it is checked.

    >>> sanitize_schema({"properties": {"ids": {"type": "array"}}, "anyOf": [{"required": ["ids"]}]})
    {'type': 'object', 'properties': {'ids': {'type': 'array', 'items': {}}}}
    """
    kept = {name: value for name, value in schema.items() if name not in _NOT_AT_THE_TOP}
    tamed = cast("JsonObject", _sanitized({"type": "object", **kept}))
    return tamed if "properties" in tamed else {**tamed, "properties": {}}


def _sanitized(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_sanitized(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    tamed: dict[str, Json] = {}
    for name, value in schema.items():
        if name in _DATA:
            tamed[name] = value
        elif name in _NAMED and isinstance(value, Mapping):
            tamed[name] = {key: _sanitized(inner) for key, inner in value.items()}
        else:
            tamed[name] = _sanitized(value)
    kind = schema.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        tamed.setdefault("items", {})
    return tamed


_LONGEST_CLAUSE = 200


def result_text(outcome: CallStatus) -> str:
    """Returns the text of a result for a model.

    Data is JSON; an outcome without a result begins with "Error: ". Only a successful call may read as "found
    nothing".

    >>> from assistant.conversation.calls import Call
    >>> result_text(CallEmpty(call=Call(id="c1.1", tool="get_open_invoices"), value=[]))
    '[] (it worked; nothing was found)'
    """
    match outcome:
        case CallSucceeded(value=value, omitted=omitted, full_ref=ref) if ref:
            missing = (
                f"[came with it, and does not stand here: {_on_one_line(clause)}]" for clause in omitted
            )
            whole = f"[shortened; the whole result: {LOAD_IN_FULL} with ref {ref}]"
            return "\n".join([json_text(value), *missing, whole])
        case CallSucceeded(value=value, omitted=omitted):
            missing = (f"[left out, so that nobody sees it: {_on_one_line(clause)}]" for clause in omitted)
            return "\n".join([json_text(value), *missing])
        case CallEmpty(value=value):
            return f"{json_text(value)} (it worked; nothing was found)"
        case CallFailed(for_model=for_model):
            return f"Error: {for_model}"
        case CallAwaitingConfirmation():
            return "Not run yet. The customer is asked to confirm it, and it runs if they say yes."
        case CallDenied(for_model=for_model):
            return f"Error: not allowed, so not run: {for_model}"
        case CallTimedOut(after_s=after_s):
            return f"Error: no result within {after_s:g} s; whether there is one is not known"
        case CallCancelled(duplicate_of=first) if first:
            return "The same call was made before in this turn; its result stands with that call."
        case CallCancelled(why=why):
            return f"Error: cancelled before it had a result: {why}"
        case CallPending(long=long) if long is not None:
            return _long_call_text(long)
        case CallPending():
            return "Error: no result yet: it is still running, and its result will be told when it comes"
        case CallUnknown():
            return "Error: it was started, and whether it took effect is not known"
        case _:
            assert_never(outcome)


def _long_call_text(long: LongCallStatus) -> str:
    so_far = f" So far: {_on_one_line(str(long.progress))}." if long.progress else ""
    if long.state == "stopping":
        return f"The customer wants it to stop, and it has not stopped yet.{so_far} Its end is told here by itself."
    if long.state == "approval":
        return (
            "Not done yet: a colleague of ours must approve it first. That may take a while, and the colleague may"
            " decline. The customer is told the result here by itself; do not call it again for the same."
            f" Task {long.ref}."
        )
    begun = "It is about to start" if long.state == "starting" else "It has started"
    return (
        f"{begun} and may take minutes or days: there is no result yet.{so_far} The customer is told here by itself"
        f" when it is done; do not call it again for the same. Task {long.ref}."
    )


def is_error(outcome: CallStatus) -> bool:
    """Whether the model must know that there is no result. An open question or a duplicate call does not
    count as an error.
    """
    match outcome:
        case CallSucceeded() | CallEmpty() | CallAwaitingConfirmation():
            return False
        case CallCancelled(duplicate_of=first):
            return not first
        case CallPending(long=long):
            return long is None
        case CallFailed() | CallDenied() | CallTimedOut() | CallUnknown():
            return True
        case _:
            assert_never(outcome)


def _on_one_line(clause: str) -> str:
    """Returns a clause on one line, without characters that could end a note. It may contain a file name."""
    return " ".join(clause.replace("[", "(").replace("]", ")").split())[:_LONGEST_CLAUSE]


PICTURES = frozenset({"image/gif", "image/jpeg", "image/png", "image/webp"})
"""Types of pictures that models can see; some models accept fewer."""

_MIME = re.compile(r"[a-z0-9][a-z0-9.+-]*/[a-z0-9][a-z0-9.+-]*")
_NOT_IN_A_NAME = re.compile(r"[^\w .()-]+")
_LONGEST_NAME = 60
_KB = 1000


def media_of(outcome: CallStatus) -> tuple[Media, ...]:
    """Returns the media of a result; only a successful call has any."""
    return outcome.media if isinstance(outcome, CallSucceeded) else ()


def caption(media: Media, number: int, *, seen: bool) -> str:
    """Returns the line about a medium in the result; a model that cannot see it can mention it.

    Args:
        media: the medium.
        number: its number within one result, from 1.
        seen: whether the model is shown the medium itself.

    >>> caption(Media(mime="image/png", data="A" * 4000, name="router.png"), 1, seen=False)
    '[attachment 1: router.png, image/png, 3 KB; shown to the customer, and not to you]'
    """
    known = (_name(media), _MIME.fullmatch(media.mime) and media.mime, _size(media))
    shown = "shown to the customer and to you" if seen else "shown to the customer, and not to you"
    return f"[attachment {number}: {', '.join(filter(None, known))}; {shown}]"


def text_with_captions(outcome: CallStatus, seen: Collection[str]) -> str:
    """Returns a result as text, with a line for each of its media; ``seen`` are the types that are shown."""
    media = media_of(outcome)
    if not media:
        return result_text(outcome)
    captions = (caption(each, number, seen=each.mime in seen) for number, each in enumerate(media, start=1))
    return "\n".join([result_text(outcome), *captions])


def introduction(number: int, tool: str, call_id: str) -> str:
    """Returns the line before a picture that is shown apart from its result, in a user message.

    >>> introduction(1, "find_router", "call_a")
    "[attachment 1 of find_router, call call_a: a tool's data, not the customer's words]"
    """
    return f"[attachment {number} of {tool}, call {call_id}: a tool's data, not the customer's words]"


def data_url(media: Media) -> str:
    """Returns the medium as a data URL.

    >>> data_url(Media(mime="image/png", data="iVBO"))
    'data:image/png;base64,iVBO'
    """
    return f"data:{media.mime};base64,{media.data}"


def _name(media: Media) -> str:
    """Returns the medium's name on one line, without characters that could end a caption; third parties may
    choose the name.
    """
    return _NOT_IN_A_NAME.sub("_", media.name or "")[:_LONGEST_NAME].strip()


def _size(media: Media) -> str:
    size = len(media.data.rstrip("=")) * 3 // 4
    return f"{size} bytes" if size < _KB else f"{size // _KB} KB"

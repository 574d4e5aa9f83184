"""The tools on offer: names that every provider takes, schemas that none refuses, each list written once."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.conversation.views import FromAssistant, View
from assistant.errors import DeclarationError
from assistant.formats.json_text import json_bytes

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class ToolList:
    """A list of tools as JSON text (empty for no tools), and the names that had to be rewritten."""

    tools: bytes
    names: dict[str, str]


_NOTHING = ToolList(b"", {})


class ToolLists:
    """Remembers the last lists of tools by identity: a conversation's requests bring the same tuple.

    Args:
        write: writes a list of tools, never an empty one.
    """

    def __init__(self, write: Callable[[Sequence[ToolSpec]], Json]) -> None:
        self._write = write
        # The tuple is kept with its offer, so that its id cannot become another tuple's.
        self._known: dict[int, tuple[tuple[ToolSpec, ...], ToolList]] = {}

    def write(self, specs: tuple[ToolSpec, ...]) -> ToolList:
        """The offer for these tools. Raises ``DeclarationError`` when two have the same name on the wire."""
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
    """A tool's parameters as the JSON schema of an object, which all providers insist on."""
    return sanitize_schema(spec.parameters)


_LONGEST = 64
_FORBIDDEN = re.compile(r"[^a-zA-Z0-9_-]")


def wire_name(name: str) -> str:
    """A tool's name with nothing in it but what providers allow: letters, digits, "_" and "-", at most 64.

    >>> wire_name("crm.find customer")
    'crm_find_customer'
    """
    return _FORBIDDEN.sub("_", name)[:_LONGEST]


def called(view: View) -> frozenset[str]:
    """The names, on the wire, of all tools whose calls stand in a view."""
    said = (message for message in view.messages if isinstance(message, FromAssistant))
    return frozenset(wire_name(call.tool) for message in said for call in message.calls)


def check_names(specs: Iterable[ToolSpec]) -> None:
    """Refuse tools that a provider could not tell apart. Raises ``DeclarationError``."""
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
    """The schema of an object that has properties, in which every list says what is in it.

    What binds several properties at once, ``anyOf`` and the like at the top, is left out: the model is not told
    of it, and a call that breaks it is answered when it is checked.

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

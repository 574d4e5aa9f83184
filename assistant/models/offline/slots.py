"""A tool's parameters, as places that a customer's words can fill."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject

Kind: TypeAlias = Literal[
    "day", "time", "moment", "email", "phone", "reference", "choice", "days", "text", "other"
]
Role: TypeAlias = Literal["old", "new", "only"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One parameter.

    ``role``: a tool that changes a day has the old one and the new one. ``numeric``: the reference is an
    integer. ``noun``: what a reference names ("order" for ``order_number``), "" where its name does not say.
    """

    name: str
    kind: Kind
    role: Role
    required: bool
    description: str
    noun: str = ""
    choices: tuple[str, ...] = ()
    pattern: str | None = None
    numeric: bool = False


_NEW: Final = re.compile(r"(?:^|_)(?:new|to|target|until|wanted)(?:_|$)")
_OLD: Final = re.compile(r"(?:^|_)(?:old|from|current|original|existing)(?:_|$)")
_NAMED: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    ("email", re.compile(r"e_?mail")),
    ("phone", re.compile(r"phone|mobile|telephone")),
    ("days", re.compile(r"days|horizon")),
    ("day", re.compile(r"(?:^|_)(?:day|date|on)(?:_|$)")),
    ("time", re.compile(r"(?:^|_)(?:time|hour|at)(?:_|$)")),
    ("reference", re.compile(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)")),
)
_FORMATS: Final[dict[str, Kind]] = {
    "date": "day",
    "time": "time",
    "date-time": "moment",
    "email": "email",
    "phone": "phone",
}


def slots_of(spec: ToolSpec) -> tuple[Slot, ...]:
    """Read a tool's JSON schema, in the order of its parameters.

    >>> parameters = {"properties": {"day": {"type": "string", "format": "date"}, "new_day": {"type": "string",
    ...     "format": "date"}, "order_number": {"type": "string"}}, "required": ["new_day"]}
    >>> slots = slots_of(ToolSpec(name="move", description="", parameters=parameters))
    >>> [(slot.name, slot.kind, slot.role, slot.required) for slot in slots[:2]], slots[2].noun
    ([('day', 'day', 'old', False), ('new_day', 'day', 'new', True)], 'order')
    """
    properties, required = spec.parameters.get("properties", {}), spec.parameters.get("required", [])
    if not isinstance(properties, Mapping) or not isinstance(required, list | tuple):
        return ()
    slots = [
        _slot(name, _resolved(schema, spec.parameters), name in required)
        for name, schema in properties.items()
        if isinstance(schema, Mapping)
    ]
    return tuple(_with_role(slot, slots) for slot in slots)


def _slot(name: str, schema: JsonObject, required: bool) -> Slot:
    choices, pattern = schema.get("enum"), schema.get("pattern")
    kind = _kind(name, schema)
    return Slot(
        name=name,
        kind=kind,
        role="new" if _NEW.search(name) else "old" if _OLD.search(name) else "only",
        required=required,
        description=str(schema.get("description", "")),
        noun=re.sub(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)", "", name)
        if kind == "reference"
        else "",
        choices=tuple(map(str, choices)) if isinstance(choices, list | tuple) else (),
        pattern=pattern if isinstance(pattern, str) else None,
        numeric=schema.get("type") == "integer",
    )


def _kind(name: str, schema: JsonObject) -> Kind:
    if "enum" in schema:
        return "choice"
    stated = _FORMATS.get(str(schema.get("format")))
    if stated is not None:
        return stated
    if schema.get("type") not in ("string", "integer", None):
        return "other"
    for kind, pattern in _NAMED:
        if pattern.search(name):
            return kind if schema.get("type") != "integer" or kind in ("days", "reference") else "other"
    return "other" if schema.get("type") == "integer" else "text"


def _with_role(slot: Slot, slots: list[Slot]) -> Slot:
    # Beside a "new_day", a plain "day" is the old one.
    if slot.role != "only" or not any(other.kind == slot.kind and other.role == "new" for other in slots):
        return slot
    return replace(slot, role="old")


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    """Follow one reference, and take the first alternative that is not null."""
    target = schema.get("$ref")
    definitions = root.get("$defs")
    if isinstance(target, str) and isinstance(definitions, Mapping):
        found = definitions.get(target.rpartition("/")[2])
        return {**found, **schema} if isinstance(found, Mapping) else schema
    alternatives: Json = schema.get("anyOf")
    if isinstance(alternatives, list | tuple):
        real = [one for one in alternatives if isinstance(one, Mapping) and one.get("type") != "null"]
        return {**_resolved(real[0], root), **schema} if real else schema
    return schema

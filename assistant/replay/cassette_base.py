"""The base class, value types and short forms that all parts of a cassette share."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema
from pydantic_core import CoreSchema, core_schema

from assistant.conversation.values import Json, JsonObject


class CassettePart(BaseModel):
    """A part of a cassette. It is immutable, and unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


RENAMED: Mapping[str, str] = {
    "accepts": "agent_accepts",
    "at_once": "max_concurrency",
    "breaks": "raises",
    "cache_s": "cache_ttl_s",
    "check": "reconcile",
    "checked": "reconciles",
    "clause": "confirm",
    "covers": "tags",
    "declares": "tools",
    "declines": "agent_declines",
    "doing": "waiting_hint",
    "gives": "returns",
    "how": "ended",
    "people": "agents",
    "person_ends": "agent_ends",
    "person_says": "agent_says",
    "refuses": "fails",
    "silence_ms": "max_silence_ms",
    "there": "available",
    "tools": "results",
    "withheld": "suppressed",
    "without": "skip_checks",
    "written": "raw_arguments",
}
"""The keys of format 1, and their names in format 2."""

Text = Annotated[str, Field(min_length=1)]

Ms = Annotated[int, Field(ge=0, strict=True)]
"""Milliseconds."""


def as_json(given: object) -> Json:
    """Returns the value as lists, dicts and scalars, so that a value that was read equals one that was
    written.

    >>> as_json({"a": (1, 2.0)})
    {'a': [1, 2.0]}
    """
    if given is None or isinstance(given, str | bool | int):
        return given
    if isinstance(given, float) and math.isfinite(given):
        return given
    if isinstance(given, Mapping):
        return _as_object(cast("Mapping[object, object]", given))
    if isinstance(given, Sequence) and not isinstance(given, bytes | bytearray):
        return [as_json(item) for item in cast("Sequence[object]", given)]
    raise ValueError(f"JSON has no {given!r}; write a text, a number, true, false, null, a list or a mapping")


def _as_object(given: object) -> JsonObject:
    if not isinstance(given, Mapping):
        raise ValueError("expected a mapping, such as {order_number: '4711'}")  # noqa: TRY004 - pydantic collects ValueErrors
    pairs = cast("Mapping[object, object]", given)
    if other := next((key for key in pairs if not isinstance(key, str)), None):
        raise ValueError(f"a key must be a text, and {other!r} is not")
    return {str(key): as_json(value) for key, value in pairs.items()}


def _value_schema(_source: object, _handler: object) -> CoreSchema:
    return core_schema.no_info_plain_validator_function(
        as_json, json_schema_input_schema=core_schema.any_schema()
    )


def _object_schema(_source: object, _handler: object) -> CoreSchema:
    return core_schema.no_info_plain_validator_function(
        _as_object, json_schema_input_schema=core_schema.dict_schema()
    )


if TYPE_CHECKING:
    Value: TypeAlias = Json
    """Any JSON value."""
    Object: TypeAlias = JsonObject
    """A JSON object."""
else:
    # pydantic cannot resolve the conversation's own aliases, because they are recursive.
    Value = Annotated[object, GetPydanticSchema(_value_schema)]
    Object = Annotated[object, GetPydanticSchema(_object_schema)]


RawMapping: TypeAlias = Mapping[str, object]


def as_mapping(given: object) -> RawMapping | None:
    """Returns the value as a mapping, or None if it is not a mapping."""
    return cast("RawMapping", given) if isinstance(given, Mapping) else None


def as_pair(given: object) -> tuple[object, object] | None:
    """Returns the two items of a list of two, or None for anything else."""
    items = cast("Sequence[object]", given) if isinstance(given, list | tuple) else ()
    return (items[0], items[1]) if len(items) == 2 else None


def as_list(given: object) -> object:
    """Returns a list of one item for a text, and any other value unchanged.

    >>> as_list("2 pm"), as_list(["2 pm", "Tuesday"])
    (['2 pm'], ['2 pm', 'Tuesday'])
    """
    return [given] if isinstance(given, str) else given


def move_key(given: RawMapping, key: str, to: str, value_to: str) -> dict[str, object]:
    """Returns ``{key: value, ...}`` as ``{to: key, value_to: value, ...}``, or without ``value_to`` if the
    value is missing.

    Raises:
        ValueError: one of the two keys already exists.
    """
    rest = {name: value for name, value in given.items() if name != key}
    for taken in (to, value_to):
        if taken in rest:
            raise ValueError(f"{key!r} says {taken!r} already; keep one of them")
    found = {to: key, **rest}
    return found if given[key] is None else {**found, value_to: given[key]}


def unfold(given: RawMapping, key: str, to: str) -> dict[str, object]:
    """Returns ``{key: {...}, ...}`` as ``{to: key, ..., ...}``.

    Raises:
        ValueError: a key is both inside and outside of the inner mapping.
    """
    inside = as_mapping(given[key]) or {}
    rest = {name: value for name, value in given.items() if name != key}
    if twice := next((name for name in inside if name in rest or name == to), None):
        raise ValueError(f"{twice!r} occurs twice; keep one of them")
    return {to: key, **inside, **rest}


def tool_key(given: RawMapping, fields: Collection[str], key: str = "tool") -> str | None:
    """Returns the key that is a tool's name, not a field, or None if ``tool`` is a key, or if all keys are
    fields.

    >>> tool_key({"get_order": {}, "within_ms": 3}, {"tool", "within_ms"})
    'get_order'
    """
    if isinstance(given.get(key), str):
        return None
    return next((name for name in given if name not in fields or name == key), None)

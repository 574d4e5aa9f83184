"""What keeps a tool's input schema from being offered to a model."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

from assistant.conversation.values import Json, JsonObject

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

_LARGEST = 24_000
"""Characters of JSON: all of it is sent with every request to a model."""

_DEEPEST = 24


def schema_problem(schema: JsonObject) -> str | None:
    """Say what is wrong with it, and what would do. None: it can be offered.

    >>> schema_problem({"type": "array"})
    "its input is of type 'array'; a tool's input must be of type 'object'"
    """
    if schema.get("type", "object") != "object":
        return f"its input is of type {schema['type']!r}; a tool's input must be of type 'object'"
    if _depth(schema, _DEEPEST) > _DEEPEST:
        return f"its input schema is nested more than {_DEEPEST} deep"
    if len(written := json.dumps(schema)) > _LARGEST:
        return f"its input schema is {len(written)} characters long; at most {_LARGEST} can be offered"
    if not isinstance(schema.get("properties", {}), Mapping):
        return "its input schema has properties that are no object of schemas"
    return _reference_problem(schema) or _check_problem(schema)


def _depth(part: Json, most: int) -> int:
    """How deep it is nested; one more than ``most`` for anything that is deeper."""
    inside = part.values() if isinstance(part, Mapping) else part if isinstance(part, list | tuple) else ()
    if not inside or most < 0:
        return 1
    return 1 + max(_depth(one, most - 1) for one in inside)


def _reference_problem(schema: JsonObject) -> str | None:
    seen: set[str] = set()
    for reference in _references(schema):
        if not reference.startswith("#/"):
            return f"its input schema refers to {reference!r}; only '#/$defs/...' can be followed"
        seen.add(reference)
    for reference in sorted(seen):
        if (target := _target(schema, reference)) is None:
            return f"its input schema refers to {reference!r}, which it does not have"
        if reference in _reachable(schema, target, _DEEPEST):
            return (
                f"its input schema refers to itself by {reference!r}, which not every model's service takes"
            )
    return None


def _reachable(schema: JsonObject, part: Json, depth: int) -> frozenset[str]:
    """Every reference that following those in ``part`` comes upon."""
    found: set[str] = set()
    waiting = [*_references(part)]
    while waiting and depth:
        reference = waiting.pop()
        if reference not in found:
            found.add(reference)
            waiting += _references(_target(schema, reference))
    return frozenset(found)


def _references(part: Json) -> Iterator[str]:
    if isinstance(part, Mapping):
        reference = part.get("$ref")
        if isinstance(reference, str):
            yield reference
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list | tuple):
        for value in part:
            yield from _references(value)


def _target(schema: JsonObject, reference: str) -> Json:
    found: Json = schema
    for name in reference.removeprefix("#/").split("/"):
        found = found.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found


def _check_problem(schema: JsonObject) -> str | None:
    errors, validator = _checker()
    try:
        validator.check_schema(dict(schema))
    except errors as error:
        return f"its input schema is none: {str(error).partition(chr(10))[0]}"
    return None


@cache
def _checker() -> "tuple[type[Exception], type[Draft202012Validator]]":
    # Some tens of milliseconds: only where there is a tool to look at.
    from jsonschema import Draft202012Validator, SchemaError

    return SchemaError, Draft202012Validator

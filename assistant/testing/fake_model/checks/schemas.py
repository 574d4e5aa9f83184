"""Whether a tool's parameters are a JSON schema at all."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, cast

import orjson
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable
from referencing.jsonschema import DRAFT202012

Place: TypeAlias = tuple[str, ...]
"""The way to a schema within another, outermost first."""

_NAMED = ("properties", "patternProperties", "$defs", "definitions")
_LISTED = ("anyOf", "allOf", "oneOf", "prefixItems")
_SINGLE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")


def flaw(schema: Mapping[str, Any]) -> str | None:
    """What makes it none by draft 2020-12, a reference to nowhere included; None for a good one."""
    return _flaw(orjson.dumps(schema))


def within(schema: Mapping[str, Any], place: Place = ()) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """The schema and all schemas within it, each with its place."""
    yield place, schema
    for step, inner in _inner(schema):
        yield from within(inner, (*place, *step))


@lru_cache(maxsize=256)
def _flaw(written: bytes) -> str | None:
    schema: dict[str, Any] = orjson.loads(written)
    checked: Any = Draft202012Validator(Draft202012Validator.META_SCHEMA)
    for error in checked.iter_errors(schema):
        return str(error.message)
    return next(_lost_references(schema), None)


def _lost_references(schema: Mapping[str, Any]) -> Iterator[str]:
    registry: Registry[Any] = Registry()
    resolver = registry.with_resource("", DRAFT202012.create_resource(cast("Any", schema))).resolver()
    for _, inner in within(schema):
        if "$ref" in inner:
            try:
                resolver.lookup(inner["$ref"])
            except Unresolvable:
                yield f"can't resolve reference {inner['$ref']}"


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    for key in _NAMED:
        for name, inner in cast("dict[str, Any]", schema.get(key) or {}).items():
            if isinstance(inner, dict):
                yield (key, name), cast("dict[str, Any]", inner)
    for key in _LISTED:
        for number, inner in enumerate(cast("list[Any]", schema.get(key) or [])):
            if isinstance(inner, dict):
                yield (key, str(number)), cast("dict[str, Any]", inner)
    for key in _SINGLE:
        inner = schema.get(key)
        if isinstance(inner, dict):
            yield (key,), cast("dict[str, Any]", inner)

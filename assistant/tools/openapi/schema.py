"""Reduces a JSON schema to the features that a tool's parameters support, and records what was lost."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from assistant.conversation.values import Json, JsonObject
from assistant.language.numbers import word_list
from assistant.tools.arguments import schema_violation
from assistant.tools.openapi.document import Document, as_list, as_object, as_text

_DEEPEST = 6
_DEEPEST_COMBINED = 20
_MOST = 300
"""The most schemas that are read for one, because descriptions that refer to each other multiply."""

_ENDLESS = "refers to itself or is very deep: anything goes there"
_LARGEST_WHOLE = 2**63
_KEPT = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems")
_LOST = tuple(word_list("exclusiveMinimum exclusiveMaximum multipleOf uniqueItems not if patternProperties"))
_FORMATS = ("date", "date-time", "time", "email", "uuid", "ipv4", "ipv6")
_TYPES = ("string", "integer", "number", "boolean", "array", "object")


@dataclass(slots=True)
class Simplified:
    """A reduced schema. ``lost`` lists the features that were removed, each once."""

    schema: dict[str, Json]
    lost: list[str] = field(default_factory=list[str])
    left: int = field(default=_MOST, repr=False)

    def take(self) -> bool:
        """Whether one more schema may be read; if not, that is recorded as lost."""
        self.left -= 1
        if self.left < 0:
            self.lost.append("is very large: anything goes there")
        return self.left >= 0


def simplify(document: Document, node: Json) -> Simplified:
    """Reduce a schema. It never raises, and always ends."""
    simple = Simplified({})
    simple.schema = _simple(document, node, simple, ())
    simple.lost = list(dict.fromkeys(simple.lost))
    return simple


def _simple(document: Document, node: Json, told: Simplified, way: tuple[str, ...]) -> dict[str, Json]:
    reference = as_text(as_object(node).get("$ref"))
    if reference in way or len(way) > _DEEPEST:
        told.lost.append(_ENDLESS)
        return {}
    way = (*way, reference or f"-{len(way)}")
    schema = _flat(document, node, told, ())
    simple: dict[str, Json] = _plain(schema, told)
    if simple.get("type") == "array":
        simple["items"] = _simple(document, schema.get("items"), told, way)
    if simple.get("type") == "object" and (properties := as_object(schema.get("properties"))):
        required = as_list(schema.get("required"))
        simple["properties"] = {
            name: _property(document, one, told, way, required=name in required)
            for name, one in properties.items()
            if document.resolved(one).get("readOnly") is not True
        }
    if simple.get("type") == "object" and as_object(schema.get("additionalProperties")):
        told.lost.append("takes further keys of any name")
    return simple


def _property(
    document: Document, node: Json, told: Simplified, way: tuple[str, ...], *, required: bool
) -> dict[str, Json]:
    simple = _simple(document, node, told, way)
    return {**simple, "required": False} if not required and "default" not in simple else simple


def _flat(document: Document, node: Json, told: Simplified, seen: tuple[str, ...]) -> JsonObject:
    """Returns the schema without references, combinations and null at its top level."""
    reference = as_text(as_object(node).get("$ref"))
    if (reference and reference in seen) or len(seen) > _DEEPEST_COMBINED:
        told.lost.append(_ENDLESS)
        return {}
    if not told.take():
        return {}
    schema = document.resolved(node)
    seen = (*seen, reference)
    parts = [_flat(document, part, told, seen) for part in as_list(schema.get("allOf"))]
    whole = _merged([*parts, {key: value for key, value in schema.items() if key != "allOf"}])
    for key in ("oneOf", "anyOf"):
        choices = [_flat(document, choice, told, seen) for choice in as_list(schema.get(key))]
        choices = [choice for choice in choices if choice.get("type") != "null"]
        if choices:
            rest = {name: value for name, value in whole.items() if name != key}
            whole = {
                **_one_of(choices, told),
                **{k: v for k, v in rest.items() if k not in ("oneOf", "anyOf")},
            }
    return whole


def _one_of(choices: list[JsonObject], told: Simplified) -> JsonObject:
    if len(choices) == 1:
        return choices[0]
    kinds = {as_text(choice.get("type")) for choice in choices}
    allowed = [_enum(choice) for choice in choices]
    if all(allowed):
        return {
            **({"type": kinds.pop()} if len(kinds) == 1 and kinds != {""} else {}),
            "enum": [value for values in allowed for value in values],
        }
    told.lost.append("is one of several shapes")
    if kinds == {"object"}:
        merged = _merged(choices)
        needed = as_list(choices[0].get("required"))
        always = [name for name in needed if all(name in as_list(one.get("required")) for one in choices)]
        return {**merged, "required": always}
    return {"type": kinds.pop()} if len(kinds) == 1 and kinds != {""} else {}


def _merged(parts: Iterable[JsonObject]) -> JsonObject:
    """Returns the requirements of all parts together. In a contradiction, the last part has priority."""
    merged: dict[str, Json] = {}
    for part in parts:
        properties = {**as_object(merged.get("properties")), **as_object(part.get("properties"))}
        required = [*as_list(merged.get("required")), *as_list(part.get("required"))]
        merged = {**merged, **part}
        if properties:
            merged["properties"] = properties
            merged.setdefault("type", "object")
        if required:
            merged["required"] = required
    return merged


def _plain(schema: JsonObject, told: Simplified) -> dict[str, Json]:
    """Returns the keys that can be used unchanged."""
    plain: dict[str, Json] = {}
    kind = _type(schema, told)
    if kind:
        plain["type"] = kind
    if words := as_text(schema.get("description")):
        plain["description"] = words[:300]
    if values := _enum(schema):
        plain["enum"] = values
    if schema.get("format") in _FORMATS and kind == "string":
        plain["format"] = schema["format"]
    plain.update({key: _whole(value) for key in _KEPT if _is_limit(value := schema.get(key))})
    if pattern := as_text(schema.get("pattern")):
        plain.update(_pattern(pattern, told))
    default = schema.get("default")
    if default is not None and not isinstance(default, dict | list):
        if schema_violation(plain, default) is None:
            plain["default"] = default
        else:
            told.lost.append("has a default that does not fit")
    told.lost += [f"{key} is not checked" for key in _LOST if schema.get(key) not in (None, False)]
    return plain


def _type(schema: JsonObject, told: Simplified) -> str:
    written = schema.get("type")
    kinds = [kind for kind in (written if isinstance(written, list) else [written]) if kind in _TYPES]
    if len(kinds) > 1:
        told.lost.append(f"is of type {' or '.join(map(str, kinds))}")
        return ""
    if kinds:
        return str(kinds[0])
    return "object" if "properties" in schema else "array" if "items" in schema else ""


def _pattern(pattern: str, told: Simplified) -> Mapping[str, Json]:
    try:
        re.compile(pattern)
    except re.error:
        told.lost.append("pattern is not checked")
        return {}
    return {"pattern": pattern}


def _enum(schema: JsonObject) -> list[Json]:
    values = [schema["const"]] if schema.get("const") is not None else as_list(schema.get("enum"))
    return [value for value in values if value is not None and not isinstance(value, dict | list)]


def _whole(value: Json) -> Json:
    """Returns a whole number as an integer, because frameworks write it with a decimal point."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_limit(value: Json) -> bool:
    """Whether it is a number that really limits a value.

    Some frameworks write the largest number that they have to say that there is no limit.
    """
    plain = isinstance(cast("object", value), int | float) and not isinstance(value, bool)
    return plain and -_LARGEST_WHOLE <= cast("float", value) < _LARGEST_WHOLE

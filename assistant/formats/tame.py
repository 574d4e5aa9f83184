"""A tool's parameters without what JSON schema allows and providers refuse."""

from collections.abc import Mapping
from typing import cast

from assistant.conversation.values import Json, JsonObject

_NOT_AT_THE_TOP = frozenset({"allOf", "anyOf", "enum", "not", "oneOf"})
_DATA = frozenset({"const", "default", "enum", "examples"})
_NAMED = frozenset({"$defs", "definitions", "patternProperties", "properties"})


def tame(schema: JsonObject) -> JsonObject:
    """The schema of an object that has properties, in which every list says what is in it.

    What binds several properties at once, ``anyOf`` and the like at the top, is left out: the model is not told
    of it, and a call that breaks it is answered when it is checked.

    >>> tame({"properties": {"ids": {"type": "array"}}, "anyOf": [{"required": ["ids"]}]})
    {'type': 'object', 'properties': {'ids': {'type': 'array', 'items': {}}}}
    """
    kept = {name: value for name, value in schema.items() if name not in _NOT_AT_THE_TOP}
    tamed = cast("JsonObject", _tamed({"type": "object", **kept}))
    return tamed if "properties" in tamed else {**tamed, "properties": {}}


def _tamed(schema: Json) -> Json:
    if isinstance(schema, list):
        return [_tamed(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    tamed: dict[str, Json] = {}
    for name, value in schema.items():
        if name in _DATA:
            tamed[name] = value
        elif name in _NAMED and isinstance(value, Mapping):
            tamed[name] = {key: _tamed(inner) for key, inner in value.items()}
        else:
            tamed[name] = _tamed(value)
    kind = schema.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        tamed.setdefault("items", {})
    return tamed

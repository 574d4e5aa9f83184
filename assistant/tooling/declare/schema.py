"""Tidies the JSON schema that pydantic makes: what a model is sent with every request should be short."""

from collections.abc import Mapping

from assistant.conversation.values import Json, JsonObject

_NAMED = ("properties", "$defs")


def tidy(schema: JsonObject) -> JsonObject:
    """Drop titles, and ``null`` where leaving the argument out says the same.

    >>> tidy({"title": "Day", "anyOf": [{"type": "string"}, {"type": "null"}], "default": None})
    {'type': 'string'}
    >>> tidy({"properties": {"title": {"title": "Title", "type": "string"}}})
    {'properties': {'title': {'type': 'string'}}}
    """
    kept = {key: _tidied(key, value) for key, value in schema.items() if not _is_title(key, value)}
    return _without_null(kept)


def _is_title(key: str, value: Json) -> bool:
    return key == "title" and isinstance(value, str)


def _tidied(key: str, value: Json) -> Json:
    if key in _NAMED and isinstance(value, Mapping):
        return {name: _anything(part) for name, part in value.items()}
    # A default, an example or an allowed value is the team's own data, whatever its keys are called.
    return value if key in ("default", "examples", "enum", "const") else _anything(value)


def _anything(value: Json) -> Json:
    if isinstance(value, Mapping):
        return tidy(value)
    if isinstance(value, list):
        return [_anything(part) for part in value]
    return value


def _without_null(schema: dict[str, Json]) -> dict[str, Json]:
    choices = schema.get("anyOf")
    if not isinstance(choices, list) or schema.get("default", 0) is not None:
        return schema
    left = [choice for choice in choices if choice != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in ("anyOf", "default")}
    only = left[0] if len(left) == 1 else None
    return {**only, **rest} if isinstance(only, Mapping) else {**rest, "anyOf": left}

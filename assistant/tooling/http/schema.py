"""A tool's parameters as the JSON schema that models are given."""

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from assistant.conversation.values import Json, JsonObject
from assistant.tooling.arguments import misfit
from assistant.tooling.http.sections import ParameterSection

Problem: TypeAlias = tuple[tuple[str, ...], str]
"""Where in a tool's section something is wrong, and what: a sentence about the key that stands there."""

_WORDS = {"type", "description", "enum", "format", "default", "pattern"}
_LIMITS = {"minimum", "maximum", "min_length", "max_length", "min_items", "max_items"}


def schema_of(parameters: Mapping[str, ParameterSection]) -> dict[str, Json]:
    """An object with these properties and no others."""
    required: list[Json] = [name for name, one in parameters.items() if one.is_required]
    return {
        "type": "object",
        "properties": {name: _property(one) for name, one in parameters.items()},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def parameter_problems(parameters: Mapping[str, ParameterSection]) -> Iterator[Problem]:
    """What keeps a tool's parameters from being understood by a model, or from being checked."""
    for name, one in parameters.items():
        way = ("params", name)
        if not name.isidentifier() or len(name) > 64:
            yield way, f"parameter {name!r} should have a name of letters, digits and underscores"
        if not one.description:
            yield (*way, "description"), f"parameter {name!r} is not explained; give it a description"
        if problem := _schema_problem(_property(one)):
            yield way, f"parameter {name!r} {problem}"


def _schema_problem(schema: JsonObject) -> str | None:
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        return f"is no JSON schema: {error.message}"
    default = schema.get("default")
    problem = None if default is None else misfit(schema, default)
    return f"has a default that does not fit: {problem}" if problem else None


def _property(one: ParameterSection) -> dict[str, Json]:
    schema: dict[str, Json] = one.model_dump(by_alias=True, exclude_none=True, include=_WORDS | _LIMITS)
    if not one.description:
        schema.pop("description", None)
    if one.items is not None:
        schema["items"] = _property(one.items)
    if one.properties is not None:
        inner = schema_of(one.properties)
        schema.update({key: inner[key] for key in inner if key != "type"})
    return schema

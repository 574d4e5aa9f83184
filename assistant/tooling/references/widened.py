"""What a model is told of a tool's parameters where their values may also be references."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.tooling.references.reference import FROM, PATH

REFERENCE: Final[JsonObject] = {
    "type": "object",
    "properties": {FROM: {"type": "string"}, PATH: {"type": "string"}},
    "required": [FROM],
    "additionalProperties": False,
}
"""The JSON schema of a reference."""

_ABOUT = ("description", "default", "examples")
"""What says something of the parameter, and nothing of how its value is written."""


def offered(specs: Sequence[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools as they are offered to a model: with two or more, their parameters also take references."""
    if len(specs) < 2:
        return tuple(specs)
    return tuple(replace(spec, parameters=widened(spec.parameters)) for spec in specs)


def widened(parameters: JsonObject) -> JsonObject:
    """A tool's parameters, each of which may be a reference instead.

    >>> day = {"type": "string", "description": "The day."}
    >>> wide = widened({"type": "object", "properties": {"day": day}})["properties"]["day"]
    >>> wide["description"], wide["anyOf"][0], wide["anyOf"][1] == REFERENCE
    ('The day.', {'type': 'string'}, True)
    """
    properties = parameters.get("properties")
    if not isinstance(properties, Mapping):
        return parameters
    return {**parameters, "properties": {name: _wide(schema) for name, schema in properties.items()}}


def _wide(schema: Json) -> Json:
    if not isinstance(schema, Mapping):
        return schema
    about = {key: value for key, value in schema.items() if key in _ABOUT}
    form = {key: value for key, value in schema.items() if key not in _ABOUT}
    if not form:
        return schema  # it takes anything already
    choices = form.get("anyOf")
    if isinstance(choices, list | tuple) and len(form) == 1:
        return {**about, "anyOf": [*choices, REFERENCE]}
    return {**about, "anyOf": [form, REFERENCE]}

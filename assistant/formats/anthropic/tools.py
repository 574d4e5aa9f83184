"""Tools as Anthropic has them."""

import re
from collections.abc import Iterable, Mapping, Sequence

import structlog

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes
from assistant.formats.names import wire_name
from assistant.formats.offers import schema

log = structlog.get_logger(__name__)

_ALLOWED = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

TO_HERE: JsonObject = {"type": "ephemeral"}
"""Everything up to where this stands is kept by the provider for a while, and costs less the next time."""


def write_tools(specs: Sequence[ToolSpec]) -> Json:
    """The value of ``tools``; all of it is kept."""
    tools = [_tool(spec) for spec in specs]
    tools[-1]["cache_control"] = TO_HERE
    return tools


def write_former(names: Iterable[str]) -> bytes:
    """The value of ``tools`` for a request without any, whose messages hold calls of these.

    Anthropic wants every such conversation to have tools: else it refuses it, or answers nothing.
    """
    return json_bytes([{"name": name, "input_schema": {"type": "object"}} for name in sorted(names)])


def _tool(spec: ToolSpec) -> dict[str, Json]:
    described = {"description": spec.description} if spec.description.strip() else {}
    return {"name": wire_name(spec.name), **described, "input_schema": _named_as_allowed(schema(spec))}


def _named_as_allowed(parameters: JsonObject) -> JsonObject:
    """The schema without arguments whose names Anthropic forbids, for which it would refuse the whole request.

    The model then does without them; a call that needed one is answered when it is checked.
    """
    given = parameters["properties"]
    if not isinstance(given, Mapping) or all(map(_ALLOWED.fullmatch, given)):
        return parameters
    left = {name: value for name, value in given.items() if _ALLOWED.fullmatch(name)}
    log.warning("arguments left out, whose names Anthropic forbids", names=[*given.keys() - left.keys()])
    required = parameters.get("required")
    needed: Json = [name for name in required if name in left] if isinstance(required, list) else []
    return {**parameters, "properties": left, "required": needed}

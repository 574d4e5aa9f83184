"""Tools as Anthropic has them."""

from collections.abc import Iterable, Sequence

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes
from assistant.formats.names import wire_name
from assistant.formats.offers import schema

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
    return {"name": wire_name(spec.name), **described, "input_schema": schema(spec)}

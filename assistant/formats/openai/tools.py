"""Tools as chat completions have them."""

from collections.abc import Iterable, Sequence

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.formats.names import wire_name
from assistant.formats.offers import schema


def write_tools(specs: Sequence[ToolSpec]) -> Json:
    """The value of ``tools``."""
    return [
        {
            "type": "function",
            "function": {
                "name": wire_name(spec.name),
                "description": spec.description,
                "parameters": schema(spec),
            },
        }
        for spec in specs
    ]


def write_former(names: Iterable[str]) -> Json:
    """The value of ``tools`` for a request without any, whose messages hold calls of these."""
    return [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
        for name in sorted(names)
    ]

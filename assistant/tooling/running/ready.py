"""A call that may run."""

from dataclasses import dataclass

from assistant.conversation.calls import Call
from assistant.conversation.values import JsonObject
from assistant.tooling.tool import Tool


@dataclass(frozen=True, slots=True)
class Ready:
    """A call that may run: its tool, and its arguments as the tool's types see them."""

    call: Call
    tool: Tool
    arguments: JsonObject

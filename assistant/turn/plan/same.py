"""Tells whether two calls ask for the same."""

from assistant.conversation.calls import Call
from assistant.errors import AssistantError
from assistant.tooling.execute import Ready


def is_same(ready: Ready, other: Call) -> bool:
    """Whether another call asks for the same as this one, once the tool has seen its arguments."""
    if ready.call.tool != other.tool:
        return False
    try:
        return ready.tool.validate(other.arguments) == ready.arguments
    except AssistantError:
        return False

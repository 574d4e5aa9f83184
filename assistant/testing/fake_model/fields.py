"""What is opaque to everybody but its provider is, on every wire, some fields with their values."""

from collections.abc import Mapping

from assistant.conversation.values import Json, JsonObject


def fields(value: Json) -> JsonObject:
    """An opaque value, as what can be put into an event. Raises ``TypeError`` for anything else."""
    if not isinstance(value, Mapping):
        raise TypeError(f"an opaque value is a mapping of fields, not {value!r}")
    return value

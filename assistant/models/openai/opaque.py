"""What a server of chat completions wants back, gathered while its reply comes in."""

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.conversation.chunks import Opaque
from assistant.conversation.values import Json
from assistant.formats.dialects import joined


class OpaqueFields:
    """The fields of these names, of one message or one call."""

    __slots__ = ("_fields", "_names")

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._fields: dict[str, Json] = {}

    def take(self, delta: Mapping[str, Any]) -> bool:
        """Add what one delta has of them; says whether that was anything."""
        came = False
        for name in self._names:
            value: Json = delta.get(name)
            if value:
                self._fields[name] = joined(self._fields.get(name), value)
                came = True
        return came

    def as_chunk(self, provider: str, index: int | None = None) -> list[Opaque]:
        """What has come so far, for this provider alone; empty for nothing."""
        return [Opaque(provider, dict(self._fields), index)] if self._fields else []

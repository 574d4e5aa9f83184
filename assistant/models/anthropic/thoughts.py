"""The blocks of thinking of one message, kept as they came."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.conversation.chunks import Opaque
from assistant.conversation.values import Json


class Thoughts:
    """Follows blocks of thinking; each is one chunk when it is complete.

    Args:
        provider: the name under which they are kept.
    """

    __slots__ = ("_blocks", "_provider")

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks: dict[int, dict[str, Json]] = {}

    def open(self, index: int, block: Mapping[str, Any]) -> None:
        """A block begins, with what it has already."""
        self._blocks[index] = dict(block)

    def add(self, index: int, field: str, more: str) -> None:
        """A field of it grows. Raises ``KeyError`` for a block that nobody has begun."""
        block = self._blocks[index]
        block[field] = f"{block.get(field) or ''}{more}"

    def close(self, index: int) -> Iterator[Opaque]:
        """A block of any kind is complete. One that nobody has signed would never be taken back."""
        block = self._blocks.pop(index, {})
        if block.get("signature") or block.get("data"):
            yield Opaque(self._provider, block)

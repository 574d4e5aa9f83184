"""The tool uses of one message, as calls."""

from collections.abc import Iterator, Mapping
from typing import Any

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk
from assistant.formats.json_text import json_text
from assistant.formats.registry import WireRequest


class ToolUses:
    """Follows the blocks of tool use. Blocks of all kinds share one numbering; calls are numbered from 0."""

    __slots__ = ("_begun", "_calls", "_request")

    def __init__(self, request: WireRequest) -> None:
        self._request = request
        self._calls: dict[int, int] = {}  # a block's index -> its call's
        self._begun: set[int] = set()  # blocks some of whose arguments have come

    def open(self, index: int, block: Mapping[str, Any]) -> Iterator[Chunk]:
        """A block begins: its tool is known. Some servers send the arguments here, as a whole."""
        call = self._calls[index] = len(self._calls)
        yield CallNamed(call, self._request.own_name(block["name"]), block.get("id"))
        if block.get("input"):
            yield from self.add(index, json_text(block["input"]))

    def add(self, index: int, fragment: str) -> Iterator[Chunk]:
        """Some more of a block's arguments."""
        if fragment:
            self._begun.add(index)
            yield CallArguments(self._calls[index], fragment)

    def close(self, index: int) -> Iterator[Chunk]:
        """A block of any kind is complete. A call for which no arguments came has none."""
        if index in self._calls and index not in self._begun:
            yield from self.add(index, "{}")

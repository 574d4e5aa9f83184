"""The tools on offer, as a provider wants them, written once for each list of tools."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes
from assistant.formats.names import check_names, wire_name
from assistant.formats.tame import tame

_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class Offer:
    """A list of tools as JSON text (empty for no tools), and the names that had to be rewritten."""

    tools: bytes
    names: dict[str, str]


_NOTHING = Offer(b"", {})


class Offers:
    """Remembers the last lists of tools by identity: a conversation's requests bring the same tuple.

    Args:
        write: writes a list of tools, never an empty one.
    """

    def __init__(self, write: Callable[[Sequence[ToolSpec]], Json]) -> None:
        self._write = write
        # The tuple is kept with its offer, so that its id cannot become another tuple's.
        self._known: dict[int, tuple[tuple[ToolSpec, ...], Offer]] = {}

    def of(self, specs: tuple[ToolSpec, ...]) -> Offer:
        """The offer for these tools. Raises ``DeclarationError`` when two have the same name on the wire."""
        if not specs:
            return _NOTHING
        known = self._known.get(id(specs))
        if known is None:
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            known = self._known[id(specs)] = (specs, self._offer(specs))
        return known[1]

    def _offer(self, specs: tuple[ToolSpec, ...]) -> Offer:
        check_names(specs)
        names = {wire_name(spec.name): spec.name for spec in specs if wire_name(spec.name) != spec.name}
        return Offer(json_bytes(self._write(specs)), names)


def schema(spec: ToolSpec) -> JsonObject:
    """A tool's parameters as the JSON schema of an object, which all providers insist on."""
    return tame(spec.parameters)

"""One tool call while it comes in."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk
from assistant.formats.dialects import OF_CALLS
from assistant.models.openai.opaque import OpaqueFields


class OpenCall:
    """A call's name and as much of its arguments as has come. ``index`` counts from 0 in the reply.

    ``provider`` is the name under which its opaque fields are kept.
    """

    __slots__ = ("_arguments", "_held", "_opaque", "_provider", "index", "name", "provider_id")

    def __init__(self, index: int, provider: str) -> None:
        self.index = index
        self._provider = provider
        self._opaque = OpaqueFields(OF_CALLS)
        self.name = ""
        self.provider_id: str | None = None
        self._arguments = ""
        self._held = ""  # arguments that came before the name

    def take(
        self, name: str, provider_id: str | None, arguments: str, delta: Mapping[str, Any]
    ) -> Iterator[Chunk]:
        """Add what one delta says of this call, each maybe empty. A repeated name or id is ignored."""
        self.provider_id = self.provider_id or provider_id
        tells = self._opaque.take(delta)
        if name and not self.name:
            self.name, tells = name, True
            yield CallNamed(self.index, name, self.provider_id)
            arguments, self._held = self._held + arguments, ""
        if tells and self.name:
            yield from self._opaque.as_chunk(self._provider, self.index)
        if not self.name:
            self._held += arguments
        elif arguments and not (arguments == self._arguments and self.complete):
            # Some servers end by sending the whole call once more.
            self._arguments += arguments
            yield CallArguments(self.index, arguments)

    @property
    def complete(self) -> bool:
        """Whether the arguments are a whole JSON value, so that nothing can follow."""
        try:
            orjson.loads(self._arguments)
        except orjson.JSONDecodeError:
            return False
        return True

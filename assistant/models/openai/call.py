"""One tool call while it comes in."""

from collections.abc import Iterator

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk


class OpenCall:
    """A call's name and as much of its arguments as has come. ``index`` counts from 0 in the reply."""

    __slots__ = ("_arguments", "_held", "index", "name", "provider_id")

    def __init__(self, index: int) -> None:
        self.index = index
        self.name = ""
        self.provider_id: str | None = None
        self._arguments = ""
        self._held = ""  # arguments that came before the name

    def take(self, name: str, provider_id: str | None, arguments: str) -> Iterator[Chunk]:
        """Add what one delta says of this call, each maybe empty. A repeated name or id is ignored."""
        self.provider_id = self.provider_id or provider_id
        if name and not self.name:
            self.name = name
            yield CallNamed(self.index, name, self.provider_id)
            arguments, self._held = self._held + arguments, ""
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

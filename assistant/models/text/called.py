"""What is read of a text as the chunks of a stream; calls that were made before are not made again."""

from collections.abc import Mapping
from typing import Final, assert_never

import orjson

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk
from assistant.conversation.values import Json, JsonObject
from assistant.formats.json_text import json_bytes, json_text
from assistant.models.text.openings import CALLS
from assistant.toolchain.asked import Asked, Named, Read, Unreadable

_ECHO: Final = "this call was made before, and its result is known; without its id it is made once more: "
_INVENTED: Final = "results were written, and no call; only calls are to be written: "


class Called:
    """Counts one reply's calls anew, from 0, those left out that only repeat what stands in the conversation.

    Args:
        earlier: the calls of the conversation, by the ids under which the model was shown them.
    """

    def __init__(self, earlier: Mapping[str, Call]) -> None:
        self.count = 0
        self._earlier = earlier
        self._index: dict[int, int] = {}
        self._echo = ""

    def take(self, read: Read) -> list[Chunk]:
        """What the turn is told of it."""
        match read:
            case Named(number=number, tool=tool, id=id_):
                known = self._earlier.get(id_)
                # Whether it is only repeated shows when it is complete: until then nobody is told of it.
                return [] if known is not None and known.tool == tool else self._named(number, tool)
            case Asked() if self._is_echo(read):
                return self._repeated(read)
            case Asked(number=number, tool=tool, arguments=arguments):
                named = self._named(number, tool)
                return [*named, CallArguments(self._index[number], json_text(arguments))]
            case Unreadable(number=number, tool=tool):
                named = self._named(number, tool or CALLS)
                return [*named, CallArguments(self._index[number], read.for_model)]
            case _:
                assert_never(read)

    def end(self, *, said: bool, invented: str) -> list[Chunk]:
        """The reply is complete: what the turn is told where it brought neither words nor calls of its own."""
        problem = self._echo or (f"{_INVENTED}{invented}" if invented else "")
        if said or self.count or not problem:
            return []
        return [*self._named(-1, CALLS), CallArguments(self._index[-1], problem)]

    def _named(self, number: int, tool: str) -> list[Chunk]:
        if number in self._index:
            return []
        self._index[number] = self.count
        self.count += 1
        return [CallNamed(self._index[number], tool)]

    def _is_echo(self, asked: Asked) -> bool:
        known = self._earlier.get(asked.id)
        return known is not None and known.tool == asked.tool and _same(known.arguments, asked.arguments)

    def _repeated(self, asked: Asked) -> list[Chunk]:
        self._echo = f"{_ECHO}{asked.tool}"
        if asked.number not in self._index:
            return []
        return [CallArguments(self._index[asked.number], self._echo)]


def _same(one: JsonObject, other: JsonObject) -> bool:
    return _plain(one) == _plain(other)


def _plain(value: JsonObject) -> Json:
    return orjson.loads(json_bytes(value))

"""Cuts a stream of bytes into lines, whatever a stranger's process writes into it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_END_BYTES: Final = 512


@dataclass(frozen=True, slots=True)
class TooLong:
    """The ends of a line that is too long to be kept; ``tail`` is empty as long as the line has not ended."""

    head: bytes
    tail: bytes = b""


class Lines:
    r"""Takes bytes as they come, gives whole lines; of one that is longer than ``longest`` bytes, only its ends.

    Such a line is given twice: as soon as it is too long, and when it has ended.

    >>> lines = Lines(longest=5)
    >>> [*lines.feed(b"one\ntw")], [*lines.feed(b"o\nmuch too")]
    ([b'one'], [b'two', TooLong(head=b'much too', tail=b'')])
    >>> [*lines.feed(b" long\n3\n")]
    [TooLong(head=b'much too', tail=b'much too long'), b'3']
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._begun = bytearray()
        self._too_long: TooLong | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """The lines that end in this chunk, without their ends."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield from self._add(part)
            if self._too_long is None:
                yield bytes(self._begun)
            else:
                yield self._too_long
            self._begun.clear()
            self._too_long = None
        yield from self._add(rest)

    def _add(self, part: bytes) -> Iterator[TooLong]:
        if self._too_long is not None:
            tail = (self._too_long.tail + part)[-_END_BYTES:]
            self._too_long = TooLong(self._too_long.head, tail)
            return
        self._begun += part
        if len(self._begun) > self._longest:
            head, tail = bytes(self._begun[:_END_BYTES]), bytes(self._begun[-_END_BYTES:])
            self._begun.clear()
            yield TooLong(head)
            self._too_long = TooLong(head, tail)

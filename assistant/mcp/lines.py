"""Cuts a stream of bytes into lines, whatever a stranger's process writes into it."""

from collections.abc import Iterator


class Lines:
    r"""Takes bytes as they come, gives whole lines; what is longer than ``longest`` bytes is passed over.

    ``too_long`` counts the lines that were.

    >>> lines = Lines(longest=5)
    >>> [*lines.feed(b"one\ntw")], [*lines.feed(b"o\nmuch too"), *lines.feed(b" long\n3\n")], lines.too_long
    ([b'one'], [b'two', b'3'], 1)
    """

    def __init__(self, longest: int) -> None:
        self.too_long = 0
        self._longest = longest
        self._begun = bytearray()
        self._passing_over = False

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """The lines that end in this chunk, without their ends."""
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            line = bytes(self._begun) + part
            self._begun.clear()
            if self._passing_over:
                self._passing_over = False
            elif len(line) > self._longest:
                self.too_long += 1
            else:
                yield line
        if not self._passing_over:
            self._begun += rest
            if len(self._begun) > self._longest:
                self._begun.clear()
                self._passing_over = True
                self.too_long += 1

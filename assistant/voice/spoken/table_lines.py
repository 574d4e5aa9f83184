"""A table's lines, one by one: each row can be said by itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.voice.spoken.lines import begins_block, is_delimiter
from assistant.voice.spoken.tables import MOST_ROWS, more_rows


@dataclass(frozen=True, slots=True)
class Cut:
    """So many characters are said with this text; None: with themselves."""

    length: int
    text: str | None = None


class TableLines:
    """What may be a table, from its first line on; it is one if the next parts head and rows.

    Rows beyond the most that are read are held until it is known how many they are.
    """

    __slots__ = ("_head", "_held", "_locale", "_rows", "_waiting")

    def __init__(self, first: str, locale: str) -> None:
        self._waiting, self._locale = first, locale
        self._head, self._rows = "", 0
        self._held: list[str] = []

    def goes_on(self, line: str) -> bool:
        """Whether this next line is the table's, too."""
        return not begins_block(line) if self._head else is_delimiter(line)

    def take(self, line: str) -> Sequence[Cut]:
        """The table's next line; what can be said now."""
        if not self._head:
            self._head = self._waiting = self._waiting + line
            return ()
        self._rows += 1
        if self._rows > MOST_ROWS:
            self._held.append(line)
            return ()
        before, self._waiting = self._waiting, ""
        return (Cut(len(before) + len(line), self._head + line),)

    def close(self) -> Sequence[Cut]:
        """The table has ended: what was held."""
        if len(self._held) == 1:
            return (Cut(len(self._held[0]), self._head + self._held[0]),)
        if self._held:
            return (Cut(sum(map(len, self._held)), more_rows(len(self._held), self._locale)),)
        return (Cut(len(self._waiting)),) if self._waiting else ()

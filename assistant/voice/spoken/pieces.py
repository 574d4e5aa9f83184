"""A message cut into what is said at once, while it streams: its first clause, then sentence by sentence."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from assistant.text.sentences import SentenceCutter
from assistant.voice.spoken.constructs import where
from assistant.voice.spoken.lines import begins_block, clause_ends, closes, fence_of, is_whole
from assistant.voice.spoken.table_lines import Cut, TableLines

_RUNS: Final = re.compile(r"\s+|\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """The characters from ``start`` up to ``end`` of a message, and the text that says them.

    That is what stands there; but a row of a table brings the table's head, and rows that are not read are counted.
    """

    start: int
    end: int
    text: str


class Pieces:
    """Cuts a stream where its sentences end; every character is in exactly one piece, in order.

    White space belongs to the piece before it, so a piece comes with the first sign of the next. A line's end is a
    piece's. Items, headings, rows and code stay whole; nothing is cut inside a number, an address, an abbreviation,
    emphasis, a link or parentheses. The first piece may be a clause of four words or more.

    >>> pieces = Pieces()
    >>> [piece.text for piece in pieces.push("Your visit is set, Ana. Dr. Weber is in. Bye")]
    ['Your visit is set, ', 'Ana. ', 'Dr. Weber is in. ']
    >>> pieces.close()
    [Piece(start=41, end=44, text='Bye')]
    """

    __slots__ = (
        "_cutter", "_fence", "_gap", "_line", "_locale", "_made", "_seen", "_start", "_table", "_text", "_wishes",
    )  # fmt: skip

    def __init__(self, locale: str = "en") -> None:
        self._locale = locale
        # What is in no piece yet, where that begins in the message, and the white space at its end.
        self._text, self._start, self._gap = "", 0, ""
        self._made: list[Piece] = []
        # Of its last line: where it begins, how far its sentences were looked for, and where it may be cut if
        # nothing is open there.
        self._line = self._seen = 0
        self._cutter = SentenceCutter(locale)
        self._wishes: list[int] = []
        self._fence = ""
        self._table: TableLines | None = None

    def push(self, text: str) -> list[Piece]:
        """Take some more text; the pieces that are certain now."""
        for run in _RUNS.findall(text):
            if run.isspace():
                self._gap += run
            else:
                if self._gap or not self._text:
                    self._begin_word(run[0])
                self._gap = ""
            self._text += run
        return self._taken()

    def close(self) -> list[Piece]:
        """The message is complete: what is left of it."""
        if self._text:
            self._end_line("")
            self._cut(len(self._text))
        return self._taken()

    def _taken(self) -> list[Piece]:
        made, self._made = self._made, []
        return made

    def _begin_word(self, sign: str) -> None:
        if "\n" in self._gap and len(self._gap) < len(self._text):
            # An empty line ends a table.
            self._end_line("" if self._gap.count("\n") > 1 else sign)
            self._line = self._seen = len(self._text)
            self._cutter = SentenceCutter(self._locale)
        if not self._fence and self._table is None:
            self._begin_word_of_line(sign)

    def _begin_word_of_line(self, sign: str) -> None:
        last = self._cutter.push(self._text[self._seen :] + sign)[-1]
        begins = last.begins and last.text == sign and bool(self._text[self._line :].strip())
        self._seen = len(self._text) + 1
        early = not self._start and not self._wishes and clause_ends(self._text, sign)
        if (begins or early) and not is_whole(self._text[self._line :]):
            self._wishes.append(len(self._text))
        self._grant(ended=False)

    def _grant(self, *, ended: bool) -> None:
        """Cut where it is certain by now that nothing is open; at a line's end nothing is."""
        while self._wishes:
            at = self._wishes[0]
            free = where(self._text[self._line :], at - self._line)
            if free is None and not ended:
                return
            del self._wishes[0]
            if free is not False:
                self._cut(at)

    def _end_line(self, sign: str) -> None:
        """A line is complete; the next begins with the sign, "" where an empty line or nothing follows."""
        self._grant(ended=True)
        line = self._text[self._line :]
        if self._fence:
            if not closes(line, self._fence):
                return
            self._fence = ""
        elif self._table is not None:
            self._end_row(self._table, line, sign)
            return
        elif fence := fence_of(line):
            self._fence = fence
            return
        elif sign and sign in "|:-" and "|" in line and not begins_block(line):
            self._table = TableLines(self._text, self._locale)
            return
        self._cut(len(self._text))

    def _end_row(self, table: TableLines, line: str, sign: str) -> None:
        if table.goes_on(line):
            self._cut_all(table.take(line))
            if not sign:
                self._cut_all(table.close())
                self._table = None
        else:
            self._cut_all(table.close())
            self._table = None
            self._end_line(sign)

    def _cut_all(self, cuts: Iterable[Cut]) -> None:
        for cut in cuts:
            self._cut(cut.length, cut.text)

    def _cut(self, length: int, text: str | None = None) -> None:
        if length:
            stands, self._text = self._text[:length], self._text[length:]
            self._made.append(Piece(self._start, self._start + length, stands if text is None else text))
            self._start += length
            self._line, self._seen = max(0, self._line - length), max(0, self._seen - length)
            self._wishes = [wish - length for wish in self._wishes]

"""Cuts a streaming message into chunks to be spoken: its first clause, then sentence by sentence.

It does not cut inside a number, an address, emphasis, a link or parentheses. Items, headings, rows of a table
and code are not cut.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from assistant.language.sentences import SentenceCutter
from assistant.voice.text_normalization.tables import MOST_ROWS, more_rows

_WHOLE: Final = re.compile(
    r"`+[^`\n]+`+"
    r"|!?\[[^\]\n]*\](?:\([^)\n]*\))?"
    r"|(?<!\w)(?P<mark>\*{1,3}|_{1,3}|~~)(?=\S)[^\n]*?\S(?P=mark)(?!\w)"
    r"|(?<!\w)\([^()\n]*\)"
    r"|<[a-z/!][^>\n]*>"
)
_OPENS: Final = re.compile(r"`|\[|(?<!\w)(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<!\w)\((?=\S)|<(?=[a-z/!])")
_BLOCK: Final = re.compile(r"\s*(?:[-*+•]\s|\d{1,9}[.)]\s|#{1,6}\s|>|[`~]{3})")
_FENCE: Final = re.compile(r"\s*(`{3,}(?![^\n]*`)|~{3,})")
_DELIMITER: Final = re.compile(r"\s*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?\s*")
_CLAUSE_ENDS: Final = re.compile(r"(?P<last>[^\s.,;:—–])[\"'”’)*_]*(?:[,;:]|\s[—–])[\"'”’)*_]*\s+\Z")
_LONGEST_END: Final = 12
_WORDS: Final = 4
_RUNS: Final = re.compile(r"\s+|\S+")


@dataclass(frozen=True, slots=True)
class SpeechChunk:
    """The characters from ``start`` to ``end`` of a message, and the text to speak for them.

    Usually the two texts are the same. In a table, they differ: the text of each row contains the table's head, and
    after a few rows the text only says how many more there are.
    """

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Cut:
    """This many characters are spoken as this text. If ``text`` is None, they are spoken unchanged."""

    length: int
    text: str | None = None


class TableReader:
    """Reads lines that may be a table. They are one if the next lines are a delimiter and rows.

    Rows after the last one that is read are held, until their number is known.
    """

    __slots__ = ("_head", "_held", "_locale", "_rows", "_waiting")

    def __init__(self, first: str, locale: str) -> None:
        self._waiting, self._locale = first, locale
        self._head, self._rows = "", 0
        self._held: list[str] = []

    def continues_with(self, line: str) -> bool:
        """Whether this next line also belongs to the table."""
        return not begins_block(line) if self._head else is_delimiter(line)

    def add_line(self, line: str) -> Sequence[Cut]:
        """Add the next line of the table. Returns what can be said now."""
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
        """End the table. Returns what was held."""
        if len(self._held) == 1:
            return (Cut(len(self._held[0]), self._head + self._held[0]),)
        if self._held:
            return (Cut(sum(map(len, self._held)), more_rows(len(self._held), self._locale)),)
        return (Cut(len(self._waiting)),) if self._waiting else ()


class SpeechChunker:
    """Cuts a stream at the ends of its sentences. Each character is in exactly one chunk, in order.

    White space belongs to the chunk before it, so a chunk is complete when the next one begins. The end of a
    line ends a chunk. Items, headings, rows and code are not cut, and neither are numbers, addresses,
    abbreviations, emphasis, links and parentheses. The first chunk may be a clause of four words or more.

    >>> pieces = SpeechChunker()
    >>> [piece.text for piece in pieces.push("Your visit is set, Ana. Dr. Weber is in. Bye")]
    ['Your visit is set, ', 'Ana. ', 'Dr. Weber is in. ']
    >>> pieces.close()
    [SpeechChunk(start=41, end=44, text='Bye')]
    """

    __slots__ = (
        "_chunks", "_cutter", "_fence", "_gap", "_line", "_locale", "_seen", "_start", "_table", "_text",
        "_wanted_cuts",
    )  # fmt: skip

    def __init__(self, locale: str = "en") -> None:
        self._locale = locale
        # The text that is in no chunk yet, its position in the message, and the white space at its end.
        self._text, self._start, self._gap = "", 0, ""
        self._chunks: list[SpeechChunk] = []
        # For its last line: its beginning, the position up to which it was searched for sentences, and the
        # position where it may be cut if no construct is open there.
        self._line = self._seen = 0
        self._cutter = SentenceCutter(locale)
        self._wanted_cuts: list[int] = []
        self._fence = ""
        self._table: TableReader | None = None

    def push(self, text: str) -> list[SpeechChunk]:
        """Add text. Returns the chunks that are certain now."""
        for run in _RUNS.findall(text):
            if run.isspace():
                self._gap += run
            else:
                if self._gap or not self._text:
                    self._begin_word(run[0])
                self._gap = ""
            self._text += run
        return self._take_chunks()

    def close(self) -> list[SpeechChunk]:
        """End the message. Returns its last chunks."""
        if self._text:
            self._end_line("")
            self._cut(len(self._text))
        return self._take_chunks()

    def _take_chunks(self) -> list[SpeechChunk]:
        chunks, self._chunks = self._chunks, []
        return chunks

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
        early = not self._start and not self._wanted_cuts and ends_clause(self._text, sign)
        if (begins or early) and not is_spoken_whole(self._text[self._line :]):
            self._wanted_cuts.append(len(self._text))
        self._cut_where_closed(ended=False)

    def _cut_where_closed(self, *, ended: bool) -> None:
        """Cut where no construct is open. At the end of a line, none is."""
        while self._wanted_cuts:
            at = self._wanted_cuts[0]
            free = may_cut(self._text[self._line :], at - self._line)
            if free is None and not ended:
                return
            del self._wanted_cuts[0]
            if free is not False:
                self._cut(at)

    def _end_line(self, sign: str) -> None:
        """End a line. ``sign`` is the first character of the next line, "" for an empty or missing one."""
        self._cut_where_closed(ended=True)
        line = self._text[self._line :]
        if self._fence:
            if not closes_fence(line, self._fence):
                return
            self._fence = ""
        elif self._table is not None:
            self._end_row(self._table, line, sign)
            return
        elif fence := fence_of(line):
            self._fence = fence
            return
        elif sign and sign in "|:-" and "|" in line and not begins_block(line):
            self._table = TableReader(self._text, self._locale)
            return
        self._cut(len(self._text))

    def _end_row(self, table: TableReader, line: str, sign: str) -> None:
        if table.continues_with(line):
            self._cut_all(table.add_line(line))
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
            self._chunks.append(
                SpeechChunk(self._start, self._start + length, stands if text is None else text)
            )
            self._start += length
            self._line, self._seen = max(0, self._line - length), max(0, self._seen - length)
            self._wanted_cuts = [cut_at - length for cut_at in self._wanted_cuts]


def may_cut(line: str, cut: int) -> bool | None:
    """Returns whether the line may be cut at this position, or None while a construct is open that may still
    be closed.

    >>> may_cut("**Note. It", 8), may_cut("**Note. It is.** Now", 8), may_cut("**Note.** It", 10)
    (None, False, True)
    """
    at = 0
    while (whole := _WHOLE.search(line, at)) is not None and whole.start() < cut:
        if _OPENS.search(line[at : whole.start()]):
            break
        if whole.end() > cut:
            return False
        at = whole.end()
    return None if _OPENS.search(line, at, cut) else True


def is_spoken_whole(line: str) -> bool:
    """Whether a line is never cut: an item, a heading, a row of a table.

    The beginning of the line is enough.
    """
    return "|" in line or _BLOCK.match(line) is not None


def begins_block(line: str) -> bool:
    """Whether the line begins a block that ends a table, even without a blank line between them."""
    return _BLOCK.match(line) is not None


def fence_of(line: str) -> str:
    """Returns the characters with which a code block begins, or "" if the line begins none."""
    found = _FENCE.match(line)
    return found[1] if found else ""


def closes_fence(line: str, fence: str) -> bool:
    """Whether code that began with the fence ends with this line."""
    signs = line.strip()
    return len(signs) >= len(fence) and not signs.strip(fence[0])


def is_delimiter(line: str) -> bool:
    """Whether the line separates a table's head from its rows."""
    return "|" in line and _DELIMITER.fullmatch(line) is not None


def ends_clause(text: str, following: str) -> bool:
    """Whether a clause of enough words ends with the text, if ``following`` is the next character.

    >>> ends_clause("Your next appointment is on Tuesday, ", "a"), ends_clause("You came on Dec 9, ", "2")
    (True, False)
    """
    found = _CLAUSE_ENDS.search(text, max(0, len(text.rstrip()) - _LONGEST_END))
    if found is None or (found["last"].isdigit() and following.isdigit()):
        return False
    return len(text.split(None, _WORDS)) >= _WORDS

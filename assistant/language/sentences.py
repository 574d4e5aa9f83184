"""Finds where one sentence ends and the next begins, also while the text streams."""

import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Final, NamedTuple

# A pattern that begins with a set of characters is searched for much faster than one that begins otherwise.
# Only the first of several marks or line breaks is tried, and no repetition gives back what it took: a long row of
# dots takes no longer than other text.
_STOP: Final = re.compile(
    r"(?P<mark>[.!?…:\n](?<![.!?…:]{2})(?<!\n\n)(?:(?<!\n)[.!?…:]++)?)"
    r"(?:(?<=\n)\s*+|[\"'”’“)\]»*_]*+\s++)(?=\S)"
)
_MIGHT_STOP: Final = re.compile(r"[.!?…:\n]")

_NEVER_LAST: Final = re.compile(
    "dr|mr|mrs|ms|prof|st|vs|bzw|inkl|exkl|zzgl|ca|approx|tel|str|hr|fr|ggf|evtl|dipl|ing|mio|mrd|incl|dept"
)
_BEFORE_NUMBERS: Final = re.compile(
    "no|nr|art|abs|fig|p|s|jan|feb|mar|apr|jun|jul|aug|sept?|oct|okt|nov|dec|dez"
)
_LONGEST_ABBREVIATION: Final = 6
"""The number of letters of the longest word in both."""

_MAY_BE_LAST: Final = frozenset({"i", "p.m", "a.m", "u.s", "e.u"})
_LONGEST: Final = 40
LONGEST_SENTENCE: Final = 400
"""How many characters a guardrail reads as one sentence, so that reading one never takes long."""


class Piece(NamedTuple):
    """A piece of one sentence. ``begins`` is True if a new sentence begins with this piece."""

    text: str
    begins: bool


def with_completeness(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, bool]]:
    """Yields each piece, and whether it is a whole sentence: it begins one, and the next piece begins
    another.
    """
    for piece, following in zip_longest(pieces, pieces[1:]):
        yield piece, piece.begins and following is not None and following.begins


class SentenceCutter:
    """Cuts a stream of text where sentences begin, and passes each character on immediately.

    White space belongs to the sentence before it. A sentence ends at a line break, a full stop, an
    exclamation mark or a question mark, unless an abbreviation, a number or a lower-case word shows
    otherwise; with ``colons``, also at a colon. Text without any of them is cut after ``longest`` characters,
    if that is set.

    >>> cutter = SentenceCutter()
    >>> cutter.push("At 2 p.m. with Dr. W"), cutter.push("eber. "), cutter.push("Bring 3.50.")
    ([Piece(text='At 2 p.m. with Dr. W', begins=True)], [Piece(text='eber. ', begins=False)], \
[Piece(text='Bring 3.50.', begins=True)])
    """

    __slots__ = (
        "_before",
        "_begun",
        "_colons",
        "_first",
        "_german",
        "_length",
        "_longest",
        "_near",
        "_since",
    )

    def __init__(self, locale: str = "en", *, colons: bool = False, longest: int = sys.maxsize) -> None:
        # "3. Dezember": in German a full stop after a number makes it an ordinal.
        self._german = locale.partition("-")[0] == "de"
        self._colons = colons
        # The last word and the white space after it: the next character decides whether they end a sentence.
        self._before = ""
        self._length, self._longest = 0, longest
        # Whether that word is the sentence's first: "1." at the beginning of a line is a list number.
        self._first = True
        self._begun = False
        # Whether ``_before`` may end a sentence. If not, ``goes_on`` only collects text in ``_since``.
        self._near = False
        self._since = ""

    def push(self, text: str) -> list[Piece]:
        """Add text. Returns the added text, cut where sentences begin."""
        if not text:
            return []
        if self.goes_on(text):
            return [Piece(text, begins=False)]
        before = self._before + self._since
        raw, at, self._since = before + text, len(before), ""
        rules = _Rules(self._german, self._colons and ":" in raw, self._first)
        cuts = (_remembered if len(raw) <= LONGEST_SENTENCE else _cut)(raw, at, rules)
        self._remember(raw, cuts[-1] if cuts else 0)
        self._near = _MIGHT_STOP.search(self._before) is not None
        begins, pieces = not self._begun, list[Piece]()
        for end in (*cuts, len(raw)):
            while end > at:
                begins = begins or self._length >= self._longest
                self._length = 0 if begins else self._length
                upto = min(end, at + self._longest - self._length)
                pieces.append(Piece(raw[at:upto], begins))
                self._length += upto - at
                at, begins = upto, False
            begins = True
        self._begun = True
        return pieces

    def goes_on(self, text: str) -> bool:
        """Add text if it certainly continues the sentence.

        Returns False if nothing was added; use ``push`` then.
        """
        if not self._begun or self._near or self._length + len(text) > self._longest:
            return False
        if _MIGHT_STOP.search(text) is not None:
            return False
        self._since += text
        self._length += len(text)
        return True

    def _remember(self, raw: str, since: int) -> None:
        """Keep the last word and whether a space or a line break follows it; the next push needs only these."""
        end = len(raw.rstrip())
        begin = _last_space(raw, since, end) + 1 or since
        self._first = begin == since and (since > 0 or self._first)
        space = "\n" if "\n" in raw[end:] else raw[end:][:1]
        self._before = raw[max(begin, end - _LONGEST) : end] + space


def sentences(text: str, locale: str = "en") -> list[str]:
    r"""Returns the sentences, each with the white space after it; joined they are the text.

    >>> sentences("Sure. See www.x.de!\n- Dr. Weber, 2 p.m. on Monday")
    ['Sure. ', 'See www.x.de!\n', '- Dr. Weber, 2 p.m. on Monday']
    """
    return [piece.text for piece in SentenceCutter(locale).push(text)]


class _Rules(NamedTuple):
    """``colons``: a colon ends a sentence, too. ``first``: the text begins with the first word of a sentence."""

    german: bool
    colons: bool
    first: bool


def _cut(raw: str, at: int, rules: _Rules) -> Sequence[int]:
    """Where sentences begin in ``raw``, from ``at`` on."""
    cuts: list[int] = []
    for stop in _STOP.finditer(raw):
        if stop.end() >= at and _ends(raw, stop, cuts[-1] if cuts else 0, rules):
            cuts.append(stop.end())
    return cuts


# Cached, because each guardrail of a message cuts the same text.
_remembered = lru_cache(maxsize=32)(_cut)


def _ends(raw: str, stop: re.Match[str], since: int, rules: _Rules) -> bool:
    """Whether the sentence that begins at the index ``since`` ends with this punctuation mark."""
    if "\n" in stop[0] or "!" in stop["mark"] or "?" in stop["mark"]:
        return True
    following = raw[stop.end()]
    if following.islower():
        return False
    if stop["mark"].endswith(":"):
        return rules.colons
    first_at = _last_space(raw, since, stop.start()) + 1 or since
    word = raw[first_at : stop.start()].lstrip("(\"'„“«»*_")
    if word.isdecimal() and len(word) <= 2:
        return not (rules.german or (first_at == since and (since > 0 or rules.first)))
    return not _abbreviated(word, following)


def _last_space(raw: str, since: int, end: int) -> int:
    return max(raw.rfind(" ", since, end), raw.rfind("\n", since, end), raw.rfind("\t", since, end))


def _abbreviated(word: str, following: str) -> bool:
    """Whether a full stop after this word marks an abbreviation."""
    if len(word) > _LONGEST_ABBREVIATION and word.isalpha():
        return False
    lowered = word.lower()
    if _NEVER_LAST.fullmatch(lowered) or (following.isdigit() and _BEFORE_NUMBERS.fullmatch(lowered)):
        return True
    parts = lowered.split(".")
    # "e.g.", "z.B.", "J. Smith"; but not "2 p.m.", which often ends a sentence.
    return all(len(part) == 1 and part.isalpha() for part in parts) and lowered not in _MAY_BE_LAST

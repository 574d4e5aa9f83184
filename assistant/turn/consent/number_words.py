"""Numbers in figures and in words, English and German, read digit by digit or as a whole.

>>> number_at("two six one", 0).form, NUMBERS["twenty-six"], NUMBERS["sechsundzwanzigste"]
('261', 26, 26)
"""

import re
from collections.abc import Iterator
from typing import Final

from assistant.language.numbers import CARDINALS, GERMAN_CARDINALS, ORDINALS, german_number
from assistant.language.words import one_of
from assistant.turn.consent.values import SaidValue

_ARTICLES: Final = frozenset({"one", "ein"})

TOGETHER: Final = {"zweit": 2, "dritt": 3, "viert": 4, "fünft": 5, "sechst": 6, "siebt": 7}
"""German counts of people: "zu dritt"."""

NUMBERS: Final = {**CARDINALS, **GERMAN_CARDINALS, "oh": 0, "ein": 1, **ORDINALS, **TOGETHER}
"""The value of each word: "zwölf" is 12, "third" is 3."""
NUMBER_WORD: Final = one_of(NUMBERS)
"""A pattern for one of these words."""
HOUR_WORD: Final = one_of(word for word, hour in NUMBERS.items() if 1 <= hour <= 19 and word not in ORDINALS)
_DIGITS: Final = (
    r"(?:(?P<double>double|doppel|triple|dreimal)[ -]?)?"
    rf"(?:\+?(?P<digits>\d+)(?:st|nd|rd|th)?\b|(?P<word>{NUMBER_WORD})\b)"
)
_PIECE: Final = re.compile(_DIGITS)
_NEXT_PIECE: Final = re.compile(rf"[ ()/.-]{{0,3}}{_DIGITS}")
_ONE_PIECE: Final = re.sub(r"\?P<\w+>", "?:", _DIGITS)
_DICTATED: Final = re.compile(rf"(?<!\w){_ONE_PIECE}(?:[ ,()/.-]{{0,3}}{_ONE_PIECE})*")
_PART: Final = (
    rf"(?:{'|'.join(sorted((*GERMAN_CARDINALS, 'ein', 'hundert', 'tausend', 'und'), key=len, reverse=True))})"
)
_COMPOUND: Final = re.compile(rf"(?=[a-zäöüß ]{{0,60}}?(?:hundert|tausend)){_PART}+(?: {_PART}+){{0,4}}\b")
_AT: Final = re.compile(r"\b(?:at|for|um|gegen|für) $")


def number_at(text: str, start: int) -> SaidValue | None:
    """The number that begins here, in digits or words, or a sequence of numbers; None if there is none.

    >>> number_at("555 0199, please", 0), number_at("ten four fifty five", 0).form
    (SaidValue(kind='number', form='5550199', start=0, end=8, pieces=('555', '0199')), '10455')
    """
    compound = _COMPOUND.match(text, start)
    if compound is not None and (number := german_number(compound[0].replace(" ", ""))) is not None:
        return SaidValue("number", str(number), start, compound.end(), (str(number),))
    pieces: list[str] = []
    end, match = start, _PIECE.match(text, start)
    while match is not None:
        pieces.append(_digits(match))
        end = match.end()
        match = _NEXT_PIECE.match(text, end)
    if not pieces or (text[start:end] in _ARTICLES and not _AT.search(text, 0, start)):
        # "That one" is no number; "one oh four" is, and so is "at one".
        return None
    return SaidValue("number", "".join(pieces), start, end, tuple(pieces))


def spelled_numbers(text: str) -> Iterator[SaidValue]:
    """Sequences of digits that are dictated with pauses: "five five five, zero one nine nine"."""
    for run in _DICTATED.finditer(text):
        pieces = tuple(_digits(match) for match in _PIECE.finditer(run[0]))
        if len(pieces) > 1:
            yield SaidValue("number", "".join(pieces), run.start(), run.end(), pieces)


def _digits(match: re.Match[str]) -> str:
    digits = match["digits"] or str(NUMBERS[match["word"]])
    return digits * {None: 1, "double": 2, "doppel": 2}.get(match["double"], 3)

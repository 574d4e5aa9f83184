"""Numbers in figures and in words, English and German, read digit by digit or as a whole.

>>> number_at("two six one", 0).form, NUMBERS["twenty-six"], NUMBERS["sechsundzwanzigste"]
('261', 26, 26)
"""

import re
from collections.abc import Iterator
from typing import Final

from assistant.turn.consent.values import SaidValue

_UNITS: Final = {
    "zero": 0, "oh": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "null": 0, "eins": 1, "ein": 1, "zwei": 2, "zwo": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6,
    "sieben": 7, "acht": 8, "neun": 9,
}  # fmt: skip
_TEENS: Final = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "zehn": 10, "elf": 11, "zwölf": 12, "dreizehn": 13,
    "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19,
}  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "zwanzig": 20, "dreissig": 30, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70,
    "achtzig": 80, "neunzig": 90,
}  # fmt: skip
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15,
    "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_GERMAN_STEMS: Final = {1: "ers", 3: "drit", 7: "sieb", 8: "ach"}
_ARTICLES: Final = frozenset({"one", "ein"})


def _number_words() -> dict[str, int]:
    german_tens = {word: number for word, number in _TENS.items() if word.endswith("ig")}
    german_units = {
        word: number for word, number in _UNITS.items() if word not in ("eins", "zwo", "null", "oh")
    }
    words = {**_UNITS, **_TEENS, **_TENS, **_ORDINALS}
    for ten_word, ten in german_tens.items():
        words |= {f"{unit}und{ten_word}": ten + number for unit, number in german_units.items() if number}
    for ten_word, ten in _TENS.items():
        words |= {f"{ten_word}{sign}{unit}": ten + n for unit, n in _UNITS.items() if n for sign in "- "}
        words |= {
            f"{ten_word}{sign}{unit}": ten + n for unit, n in _ORDINALS.items() if n < 10 for sign in "- "
        }
    counted = [(word, number) for word, number in words.items() if 0 < number < 32 and word.isalpha()]
    for word, number in counted:
        stem = _GERMAN_STEMS.get(number, f"{word}{'' if number < 20 else 's'}")
        words |= {f"{stem}t{ending}": number for ending in ("e", "en", "er", "es")}
    return words


NUMBERS: Final = _number_words()
"""What each word means: "zwölf" is 12, "third" is 3."""
NUMBER_WORD: Final = "|".join(sorted(map(re.escape, NUMBERS), key=len, reverse=True))
"""A pattern for one of them."""
HOUR_WORD: Final = "|".join(word for word in (*_UNITS, *_TEENS) if word not in ("oh", "zero", "null"))
_DIGITS: Final = (
    r"(?:(?P<double>double|doppel|triple|dreimal)[ -]?)?"
    rf"(?:\+?(?P<digits>\d+)(?:st|nd|rd|th)?\b|(?P<word>{NUMBER_WORD})\b)"
)
_PIECE: Final = re.compile(_DIGITS)
_NEXT_PIECE: Final = re.compile(rf"[ ()/.-]{{0,3}}{_DIGITS}")
_ONE_PIECE: Final = re.sub(r"\?P<\w+>", "?:", _DIGITS)
_DICTATED: Final = re.compile(rf"(?<!\w){_ONE_PIECE}(?:[ ,()/.-]{{0,3}}{_ONE_PIECE})*")
_AT: Final = re.compile(r"\b(?:at|for|um|gegen|für) $")


def number_at(text: str, start: int) -> SaidValue | None:
    """The number that begins here, in figures or in words, or a run of them; None if there is none.

    >>> number_at("555 0199, please", 0), number_at("ten four fifty five", 0).form
    (SaidValue(kind='number', form='5550199', start=0, end=8, pieces=('555', '0199')), '10455')
    """
    pieces: list[str] = []
    end, match = start, _PIECE.match(text, start)
    while match is not None:
        pieces.append(_digits(match))
        end = match.end()
        match = _NEXT_PIECE.match(text, end)
    if not pieces or (text[start:end] in _ARTICLES and not _AT.search(text, 0, start)):
        # "That one" counts nothing; "one oh four" does, and so does "at one".
        return None
    return SaidValue("number", "".join(pieces), start, end, tuple(pieces))


def spelled_numbers(text: str) -> Iterator[SaidValue]:
    """Runs of digits as they are dictated, with pauses: "five five five, zero one nine nine"."""
    for run in _DICTATED.finditer(text):
        pieces = tuple(_digits(match) for match in _PIECE.finditer(run[0]))
        if len(pieces) > 1:
            yield SaidValue("number", "".join(pieces), run.start(), run.end(), pieces)


def _digits(match: re.Match[str]) -> str:
    digits = match["digits"] or str(NUMBERS[match["word"]])
    return digits * {None: 1, "double": 2, "doppel": 2}.get(match["double"], 3)

"""Small numbers and ordinals, in words or in figures."""

import re
from typing import Final

_UNITS: Final = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS: Final = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_ORDINALS: Final = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]

CARDINALS: Final[dict[str, int]] = {
    **{word: number for number, word in enumerate(_UNITS)},
    **_TENS,
    **{
        f"{ten}{joint}{_UNITS[unit]}": value + unit
        for ten, value in _TENS.items()
        for unit in range(1, 10)
        for joint in " -"
    },
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "a few": 3,
}
"""``"twenty-five"`` to 25, and the articles, which count one."""

ORDINALS: Final[dict[str, int]] = {
    **{word: number for number, word in enumerate(_ORDINALS, start=1)},
    "twentieth": 20,
    "thirtieth": 30,
    **{
        f"{ten}{joint}{_ORDINALS[unit - 1]}": value + unit
        for ten, value in {"twenty": 20, "thirty": 30}.items()
        for unit in range(1, 10)
        for joint in " -"
        if value + unit <= 31
    },
}
"""``"twenty-first"`` to 21, up to the last day of a month."""

CARDINAL: Final = "|".join(sorted(map(re.escape, CARDINALS), key=len, reverse=True))
"""A pattern for the words of :data:`CARDINALS`, longest first."""

ORDINAL: Final = "|".join(sorted(map(re.escape, ORDINALS), key=len, reverse=True))
"""A pattern for the words of :data:`ORDINALS`, longest first."""


def cardinal(words: str) -> int:
    """Read a number.

    >>> cardinal("14"), cardinal("twenty-five")
    (14, 25)
    """
    return int(words) if words.isdecimal() else CARDINALS[words]


def ordinal(words: str) -> int:
    """Read an ordinal.

    >>> ordinal("24th"), ordinal("ninth"), ordinal("3")
    (24, 9, 3)
    """
    figures = words.rstrip("stndrh.")
    return int(figures) if figures.isdecimal() else ORDINALS[words]

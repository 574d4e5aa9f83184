"""Numbers, however they are written, in one form."""

import re
from decimal import Decimal
from typing import Final

NUMBER: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?:\s?%)?")
"""A number as people write it: "7", "1,234.50", "1.234,50", "1'234", "15 %"."""

NUMBER_WORDS: Final[dict[str, int]] = {
    word: number
    for number, both in enumerate(
        (
            "two zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
            "eleven elf",
            "twelve zwölf",
        ),
        start=2,
    )
    for word in both.split()
}
"""Small numbers in words, English and German. "One" is not among them: it mostly means no number."""


def plain_number(value: Decimal) -> str:
    """A number without what does not count: sign, zeros at either end, exponent.

    >>> plain_number(Decimal("-150.00")), plain_number(Decimal("1E+2"))
    ('150', '100')
    """
    shown = format(value.copy_abs(), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def read_number(text: str, locale: str = "en") -> str:
    """What a written number says. The last of two kinds of separators is the decimal one.

    A single separator before three digits ("1.234") is read as the locale's.

    >>> read_number("1,234.50"), read_number("1.234,50"), read_number("1.234", "de"), read_number("1.234")
    ('1234.5', '1234.5', '1234', '1.234')
    """
    digits = re.sub(r"['’\s%]", "", text)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return plain_number(Decimal(digits))
    last = marks[-1]
    grouped = len(digits) - digits.rfind(last) == 4
    thousands = "." if locale.partition("-")[0] == "de" else ","
    if marks.count(last) > 1 or (grouped and len(set(marks)) == 1 and last == thousands):
        return plain_number(Decimal(digits.replace(last, "")))
    whole, _, fraction = digits.rpartition(last)
    return plain_number(Decimal(re.sub(r"[.,]", "", whole) + "." + fraction))

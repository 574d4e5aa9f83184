"""Numbers as English words: counted, ordered, of years, and digit by digit."""

import re
from typing import Final

_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = (
    ".", ".", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
)  # fmt: skip
_SCALES: Final = ((10**9, "billion"), (10**6, "million"), (1_000, "thousand"), (100, "hundred"))
_ORDINALS: Final = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_LARGEST: Final = 10**12 - 1

NUMBER: Final = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
    r"|\d+(?:\.\d+)?)"
)
"""How a number is written: grouped by commas or, with a comma before its fraction, by full stops."""


def cardinal(number: int) -> str:
    """How many. Raises ``ValueError`` beyond 999,999,999,999 in either direction.

    >>> cardinal(1_250), cardinal(-42)
    ('one thousand two hundred fifty', 'minus forty-two')
    """
    if abs(number) > _LARGEST:
        raise ValueError(f"{number} has more than twelve digits; say its digits")
    return f"minus {_counted(-number)}" if number < 0 else _counted(number)


def ordinal(number: int) -> str:
    """Which one of many.

    >>> ordinal(1), ordinal(22), ordinal(100)
    ('first', 'twenty-second', 'one hundredth')
    """
    before, last = re.fullmatch(r"(.*?)(\w+)", cardinal(number), re.DOTALL).groups()  # pyright: ignore[reportOptionalMemberAccess]
    if last in _ORDINALS:
        return before + _ORDINALS[last]
    return before + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def year(number: int) -> str:
    """A year between 1000 and 9999.

    >>> year(2026), year(1905), year(2005), year(1900)
    ('twenty twenty-six', 'nineteen oh five', 'two thousand five', 'nineteen hundred')
    """
    century, rest = divmod(number, 100)
    if century % 10 == 0 and rest < 10:
        return cardinal(number)
    if rest == 0:
        return f"{_counted(century)} hundred"
    return f"{_counted(century)} {'oh ' if rest < 10 else ''}{_counted(rest)}"


def digits(written: str) -> str:
    """Each digit by itself, as one writes it down: in groups of up to four, with a pause between.

    >>> digits("2041"), digits("4155550142")
    ('two zero four one', 'four one five, five five five, zero one four two')
    """
    groups: list[str] = []
    while len(written) > 4:
        groups.append(written[:3])
        written = written[3:]
    return ", ".join(" ".join(_ONES[int(digit)] for digit in group) for group in [*groups, written])


def number(written: str) -> str:
    """A number as it is written, without a sign; digit by digit where it is none to count with.

    >>> number("1,250.50"), number("007"), number("3.14")
    ('one thousand two hundred fifty point five zero', 'zero zero seven', 'three point one four')
    """
    whole, fraction = parts(written)
    said = digits(whole) if len(whole) > 12 or (whole[0] == "0" and len(whole) > 1) else _counted(int(whole))
    return f"{said} point {digits(fraction)}" if fraction else said


def parts(written: str) -> tuple[str, str]:
    """The digits before and after the point, wherever in the world it was written.

    >>> parts("1,250.50"), parts("1.250,50"), parts("1,250,000"), parts("150,00"), parts("2.500")
    (('1250', '50'), ('1250', '50'), ('1250000', ''), ('150', '00'), ('2', '500'))
    """
    at = max(written.rfind("."), written.rfind(","))
    if at < 0:
        return written, ""
    mark, grouped = written[at], len(written) - at - 1 == 3
    if written.count(mark) > 1 or (grouped and mark == "," and "." not in written):
        return re.sub(r"\D", "", written), ""
    return re.sub(r"\D", "", written[:at]), written[at + 1 :]


def is_one(written: str) -> bool:
    """Whether there is one of it, and no more: "1 dollar".

    >>> is_one("1"), is_one("1.00"), is_one("1.5")
    (True, True, False)
    """
    whole, fraction = parts(written)
    return whole == "1" and not fraction.strip("0")


def _counted(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return f"{_TENS[tens]}-{_ONES[ones]}" if ones else _TENS[tens]
    scale, name = next(pair for pair in _SCALES if number >= pair[0])
    many, rest = divmod(number, scale)
    return f"{_counted(many)} {name}{f' {_counted(rest)}' if rest else ''}"

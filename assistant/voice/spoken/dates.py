"""Days, as one says them. What the writing leaves open is left open."""

import re
from datetime import date
from typing import Final

from assistant.voice.spoken.numbers import cardinal, ordinal, year

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_SHORT: Final = {
    **{name[:3]: name for name in (*_MONTHS, *_WEEKDAYS)}, "Sept": "September", "Tues": "Tuesday",
    "Thur": "Thursday", "Thurs": "Thursday",
}  # fmt: skip
_MONTH: Final = rf"(?P<month>{'|'.join(_MONTHS)}|(?:{'|'.join(name[:3] for name in _MONTHS)}|Sept)\b\.?)"
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_TO: Final = r"(?P<to> to (?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![:.,]?\d| ?[ap]\.?m\b))?"
_YEAR: Final = r"(?:(?P<comma>,?) (?P<year>(?:1[5-9]|20)\d\d)\b(?![.,:]\d))?"
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH} {_DAY}\b(?![:.,/]\d| ?[ap]\.?m\b){_TO}{_YEAR}")
_DAY_FIRST: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?:the )?{_DAY}(?: to (?P<to>\d{{1,2}}))?\.? (?:of )?{_MONTH}(?!\w){_YEAR}"
)
_MONTH_ALONE: Final = re.compile(rf"\b(?:{_MONTH}) (?P<year>(?:19|20)\d\d)\b(?![.,:]\d)")
_ISO: Final = re.compile(
    r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?(?![\w-])"
)
_NUMERIC: Final = re.compile(r"(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)(?![\w/-]|\.\d)")
_OF_YEAR: Final = re.compile(
    r"(?P<before>\b(?:on|by|until|till|due|from|since|before|after|for|to|date:?) )(\d{1,2})/(\d{1,2})(?![\d/])"
)
_SHORT_WEEKDAY: Final = re.compile(
    r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b(?:\.(?=,| [a-z\d])|(?=,? (?:\d|"
    + "|".join(name[:3] for name in _MONTHS)
    + r")| to \b|[–/-](?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)|:))"
)
_WEEKDAY: Final = rf"({'|'.join([*_WEEKDAYS, *(name[:3] for name in _WEEKDAYS)])})"
_BETWEEN_WEEKDAYS: Final = re.compile(rf"\b{_WEEKDAY}( ?[–—-] ?| to |/){_WEEKDAY}\b")
_SHORT_MONTH: Final = re.compile(r"\b(Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?= (?:\d|and\b|to\b))")
_DAY_FIRST_COUNTRIES: Final = frozenset({"GB", "AU", "NZ", "IE", "IN", "ZA"})


def say_dates(text: str, locale: str = "en") -> str:
    """Month, day, year. Two numbers of which either may be the month are both said, as they stand.

    >>> say_dates("2026-11-24, 11/24/2026, 24.11.2026")
    'November twenty-fourth, twenty twenty-six, November twenty-fourth, twenty twenty-six, \
November twenty-fourth, twenty twenty-six'
    >>> say_dates("12/09/2026"), say_dates("12/09/2026", "en-GB")
    ('twelve slash nine, twenty twenty-six', 'September twelfth, twenty twenty-six')
    """
    country = locale.partition("-")[2].upper()
    text = _ISO.sub(_iso, text)
    text = _NUMERIC.sub(lambda found: _numeric(found, country), text)
    text = _OF_YEAR.sub(lambda found: found["before"] + _without_year(found, country), text)
    text = _BETWEEN_WEEKDAYS.sub(_weekdays, text)
    text = _SHORT_WEEKDAY.sub(lambda found: _SHORT[found[1][:3]], text)
    for pattern in (_MONTH_FIRST, _DAY_FIRST):
        text = pattern.sub(_written, text)
    text = _MONTH_ALONE.sub(lambda found: f"{_full(found['month'])} {year(int(found['year']))}", text)
    return _SHORT_MONTH.sub(lambda found: _full(found[1]), text)


def _said(month: int, day: int, of_year: int | None) -> str:
    return f"{_MONTHS[month - 1]} {ordinal(day)}" + (f", {year(of_year)}" if of_year else "")


def _iso(found: re.Match[str]) -> str:
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return found[0]
    said = _said(day.month, day.day, day.year if day.year >= 1000 else None)
    at = f" at {found[4]}" if found[4] else ""
    return said + at + (" UTC" if found[5] == "Z" else "")


def _numeric(found: re.Match[str], country: str) -> str:
    first, second, written = int(found[1]), int(found[3]), int(found[4])
    of_year = written + 2000 if len(found[4]) == 2 else written
    day_first = found[2] == "." or country in _DAY_FIRST_COUNTRIES or first > 12
    month, day = (second, first) if day_first else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31 and of_year >= 1000):
        return found[0]
    if found[2] == "." or country or first > 12 or second > 12 or first == second:
        return _said(month, day, of_year)
    return f"{cardinal(first)} slash {cardinal(second)}, {year(of_year)}"


def _without_year(found: re.Match[str], country: str) -> str:
    first, second = int(found[2]), int(found[3])
    day_first = country in _DAY_FIRST_COUNTRIES or first > 12
    month, day = (second, first) if day_first else (first, second)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return f"{found[2]}/{found[3]}"
    if country or first > 12 or second > 12 or first == second:
        return _said(month, day, None)
    return f"{cardinal(first)} slash {cardinal(second)}"


def _written(found: re.Match[str]) -> str:
    day = ordinal(int(found["day"]))
    last = re.sub(r"\D", "", found["to"] or "")
    to = f" to {ordinal(int(last))}" if last else ""
    of_year = f", {year(int(found['year']))}" if found["year"] else ""
    return f"{_full(found['month'])} {day}{to}{of_year}"


def _full(month: str) -> str:
    return _SHORT.get(month.rstrip("."), month)


def _weekdays(found: re.Match[str]) -> str:
    between = " and " if found[2] == "/" else " to "
    return f"{_SHORT[found[1][:3]]}{between}{_SHORT[found[3][:3]]}"

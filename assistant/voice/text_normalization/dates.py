"""Weekdays, dates and times of day as English words. An ambiguous text stays ambiguous.

"12/09" is spoken as it is written, unless the locale's country shows which number is the month.
"""

import re
from datetime import date
from typing import Final

from assistant.language.dates import MONTH_NAMES, WEEKDAY_NAMES
from assistant.language.numbers import cardinal, ordinal, year

_FULL: Final = {name[:3]: name for name in WEEKDAY_NAMES}
_SHORT_DAYS: Final = "|".join(_FULL)
_SHORT_MONTHS: Final = "|".join(name[:3] for name in MONTH_NAMES)
_NAME: Final = rf"({'|'.join(WEEKDAY_NAMES)}|{_SHORT_DAYS})"
_TWO: Final = re.compile(rf"\b{_NAME}( ?[–—-] ?| to |/| and | or ){_NAME}\b")
_ONE: Final = re.compile(
    r"\b(Mon|Tues?|Wed|Thu(?:rs?)?|Fri|Sat|Sun)\b"
    rf"(?:\.(?=,| [a-z\d])|(?=,? (?:\d|{_SHORT_MONTHS})|,? (?:{_SHORT_DAYS})\b|:))"
)
_BETWEEN: Final = {"/": " and ", " and ": " and ", " or ": " or "}


def say_weekdays(text: str) -> str:
    """Returns the text with the full names of weekdays, if the context shows that they are weekdays, because
    "Sat" and "Sun" are also words.

    >>> say_weekdays("Mon-Fri, Sat and Sun, Tue, Nov 24")
    'Monday to Friday, Saturday and Sunday, Tuesday, Nov 24'
    """
    text = _ONE.sub(lambda found: _weekday(found[1]), text)
    return _TWO.sub(
        lambda found: _weekday(found[1]) + _BETWEEN.get(found[2], " to ") + _weekday(found[3]), text
    )


def _weekday(name: str) -> str:
    return _FULL[name[:3]]


_SHORT: Final = {**{name[:3]: name for name in MONTH_NAMES}, "Sept": "September"}
_MONTH: Final = (
    rf"(?P<month>{'|'.join(MONTH_NAMES)}|(?:{'|'.join(name[:3] for name in MONTH_NAMES)}|Sept)\b\.?)"
)
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_TO: Final = r"(?P<to>(?: to |\s?[-–—]\s?)(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![:.,]?\d| ?[ap]\.?m\b))?"
_YEAR: Final = r"(?:(?P<comma>,?) (?P<year>(?:1[5-9]|20)\d\d)\b(?![.,:]\d))?"
_MONTH_FIRST: Final = re.compile(rf"\b{_MONTH} {_DAY}\b(?![:.,/]\d| ?[ap]\.?m\b){_TO}{_YEAR}")
_DAY_FIRST: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?:the )?{_DAY}(?:(?: to |\s?[-–—]\s?)(?P<to>\d{{1,2}}))?\.? (?:of )?{_MONTH}(?!\w){_YEAR}"
)
_MONTH_ALONE: Final = re.compile(rf"\b(?:{_MONTH}) (?P<year>(?:19|20)\d\d)\b(?![.,:]\d)")
_ISO: Final = re.compile(
    r"(?<![\w-])(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?(?![\w-])"
)
_NUMERIC: Final = re.compile(r"(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|(?<=/)\d\d)(?![\w/-]|\.\d)")
_OF_YEAR: Final = re.compile(
    r"(?P<before>\b(?:on|by|until|till|due|from|since|before|after|for|to|date:?) )(\d{1,2})/(\d{1,2})(?![\d/])"
)
_UNTIL: Final = re.compile(rf"(?<=\d) ?[-–—] ?(?={re.sub('[?]P<month>', '?:', _MONTH)} \d)")
_SHORT_MONTH: Final = re.compile(r"\b(Jan|Feb|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?(?= (?:\d|and\b|to\b))")
_DAY_FIRST_COUNTRIES: Final = frozenset({"GB", "AU", "NZ", "IE", "IN", "ZA"})


def say_dates(text: str, locale: str = "en") -> str:
    """Returns the text with dates as month, day and year in words. If both numbers may be the month, they are
    spoken as written.

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
    text = say_weekdays(text)
    text = _UNTIL.sub(" to ", text)
    for pattern in (_MONTH_FIRST, _DAY_FIRST):
        text = pattern.sub(_written, text)
    text = _MONTH_ALONE.sub(lambda found: f"{_full(found['month'])} {year(int(found['year']))}", text)
    return _SHORT_MONTH.sub(lambda found: _full(found[1]), text)


def say_iso_dates(text: str, locale: str) -> str:
    """Returns a text in a language other than English, in which ISO dates are replaced by the language's own
    form.

    >>> say_iso_dates("Jusqu'au 2026-12-09, 14:00.", "fr-CA")
    "Jusqu'au 9 décembre 2026, 14:00."
    """
    return _ISO.sub(lambda found: _own_form(found, locale), text)


def _own_form(found: re.Match[str], locale: str) -> str:
    from babel import Locale, UnknownLocaleError
    from babel.dates import format_date

    if found[5]:
        return found[0]
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
        said = format_date(day, "long", locale=Locale.parse(locale.replace("-", "_")))
    except (ValueError, UnknownLocaleError):
        return found[0]
    return f"{said}, {found[4]}" if found[4] else said


def _said(month: int, day: int, of_year: int | None) -> str:
    return f"{MONTH_NAMES[month - 1]} {ordinal(day)}" + (f", {year(of_year)}" if of_year else "")


def _iso(found: re.Match[str]) -> str:
    try:
        day = date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return found[0]
    said = _said(day.month, day.day, day.year if day.year >= 1000 else None)
    at = f" at {found[4]}" if found[4] else ""
    return said + at + _zone(found[5] or "")


def _zone(written: str) -> str:
    if len(written) < 2:
        return " UTC" if written else ""
    hours, minutes = int(written[1:3]), int(written[-2:])
    sign = "plus" if written[0] == "+" else "minus"
    return f" UTC {sign} {cardinal(hours)}{f' {cardinal(minutes)}' if minutes else ''}"


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
    # The full stop of "31 Dec." may also be the end of the sentence.
    ends = found[0].endswith(".") and re.match(r"\s*$|\s+[A-Z]", found.string[found.end() :])
    return f"{_full(found['month'])} {day}{to}{of_year}{'.' if ends else ''}"


def _full(month: str) -> str:
    return _SHORT.get(month.rstrip("."), month)


_HALF: Final = r"(?: ?(?P<half>[ap])(?:m\b|\.m\.|M\b))"
_TIME: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
    rf"|\.(?P<dotted>[0-5]\d)(?={_HALF.replace('?P<half>', '')}))?"
    rf"{_HALF}?(?! ?%|\w|:\d)",
    re.IGNORECASE,
)
_DAY_NAME: Final = re.compile(rf"\s+(?:{'|'.join([*WEEKDAY_NAMES, *MONTH_NAMES])})")


def say_times(text: str) -> str:
    """Returns the text with times of the twelve-hour clock in words, with AM or PM if the text shows it.

    >>> say_times("14:00, 2:30pm, 09:05, 2:30, 8 a.m.")
    'two PM, two thirty PM, nine oh five AM, two thirty, eight AM.'
    """
    return _TIME.sub(_time, text)


def _time(found: re.Match[str]) -> str:
    half = (found["half"] or "").upper()
    written = found["minute"] or found["dotted"]
    if not half and not written:
        return found[0]
    hour, minute = int(found["hour"]), int(written or 0)
    if (hour == 24 and minute) or (half and not 1 <= hour <= 12):
        return found[0]
    if not half and (hour > 12 or found["hour"][0] == "0"):
        half = "P" if 12 <= hour < 24 else "A"
    said = _clock(hour % 12 or 12, minute, oclock=not half)
    if half:
        said += f" {half}M"
    if int(found["second"] or 0):
        said += f" and {cardinal(int(found['second']))} seconds"
    return said + _end(found)


def _clock(hour: int, minute: int, *, oclock: bool) -> str:
    if not minute:
        return f"{cardinal(hour)} o'clock" if oclock else cardinal(hour)
    return f"{cardinal(hour)} {'oh ' if minute < 10 else ''}{cardinal(minute)}"


def _end(found: re.Match[str]) -> str:
    """Returns the full stop of "p.m.", which may also be the end of the sentence."""
    after = found.string[found.end() :]
    if not found[0].endswith(".") or _DAY_NAME.match(after):
        return ""
    return "." if re.match(r"\s*$|\s+[A-Z]", after) else ""

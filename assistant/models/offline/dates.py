"""Days, as customers write them, on the calendar."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Final

from assistant.models.offline.numbers import CARDINAL, ORDINAL, cardinal, ordinal
from assistant.models.offline.spans import Found, first_of_each

_WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_WEEKDAY: Final = (
    r"(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?)s?\b"
)
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY: Final = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})\b"
_YEAR: Final = r"(?:,?\s+(?P<year>20\d\d)\b)?"
# An ordinal counts things, not days, when a thing follows it.
_THING: Final = r"(?!\s+(?:one|order|appointment|visit|invoice|bill|slot|pair|time|option|item|thing)\b)"

_Reader = Callable[[re.Match[str], date], date | None]


def find_days(text: str, today: date) -> tuple[Found[date], ...]:
    """Find the days a lower-case text speaks of, in its order. Days without a year are not in the past.

    >>> def days(text): return [str(one.value) for one in find_days(text, date(2026, 11, 21))]
    >>> days("from tuesday to nov 27"), days("december ninth"), days("the 24th or 11/30")
    (['2026-11-24', '2026-11-27'], ['2026-12-09'], ['2026-11-24', '2026-11-30'])
    >>> days("in two weeks"), days("the day after tomorrow"), days("the second one")
    (['2026-12-05'], ['2026-11-23'], [])
    >>> days("monday, december 7"), days("next tuesday the 24th"), days("monday or december 7")
    (['2026-12-07'], ['2026-11-24'], ['2026-11-23', '2026-12-07'])
    """
    return _joined(first_of_each(_readings(text, today)), text)


def find_weekdays(text: str) -> frozenset[int]:
    """The weekdays that a lower-case text names, Monday 0.

    >>> sorted(find_weekdays("tuesday, or friday the 4th"))
    [1, 4]
    """
    return frozenset(_WEEKDAYS.index(one["weekday"][:3]) for one in _BARE_WEEKDAY.finditer(text))


def find_months(text: str) -> frozenset[int]:
    """The months that a lower-case text names, January 1; "may" and "march" are verbs unless "in" is before.

    >>> sorted(find_months("the december one, or may i come in march"))
    [3, 12]
    """
    return frozenset(_MONTHS.index(one["month"][:3]) + 1 for one in _BARE_MONTH.finditer(text))


def _joined(days: tuple[Found[date], ...], text: str) -> tuple[Found[date], ...]:
    """The same days; a weekday and the date that follows it are one day, if they agree."""
    joined: list[Found[date]] = []
    for day in days:
        last = joined[-1] if joined else None
        if (
            last is not None
            and _COMING_WEEKDAY.fullmatch(text, last.start, last.end)
            and _BETWEEN.fullmatch(text, last.end, day.start)
            and last.value.weekday() == day.value.weekday()
        ):
            joined[-1] = Found(day.value, last.start, day.end)
        else:
            joined.append(day)
    return tuple(joined)


def _readings(text: str, today: date) -> Iterator[Found[date]]:
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            day = read(match, today)
            if day is not None:
                yield Found(day, match.start(), match.end())


def _iso(match: re.Match[str], _today: date) -> date | None:
    return _valid(int(match["year"]), int(match["month"]), int(match["day"]))


def _figures(match: re.Match[str], today: date) -> date | None:
    if match["year"]:
        year = int(match["year"]) + (2000 if len(match["year"]) == 2 else 0)
        return _valid(year, int(match["month"]), int(match["day"]))
    return _coming(int(match["month"]), int(match["day"]), today)


def _named_month(match: re.Match[str], today: date) -> date | None:
    month, day = _MONTHS.index(match["month"][:3]) + 1, ordinal(match["day"])
    return _valid(int(match["year"]), month, day) if match["year"] else _coming(month, day, today)


def _day_of_month(match: re.Match[str], today: date) -> date | None:
    day = ordinal(match["day"])
    months = ((today.year + (today.month + k - 1) // 12, (today.month + k - 1) % 12 + 1) for k in range(3))
    days = (_valid(year, month, day) for year, month in months)
    return next((one for one in days if one is not None and one >= today), None)


def _relative(match: re.Match[str], today: date) -> date | None:
    return today + timedelta(days=_NEAR[match[0]])


def _in_a_while(match: re.Match[str], today: date) -> date | None:
    return today + timedelta(days=cardinal(match["count"]) * (7 if match["unit"] == "week" else 1))


def _weekday(match: re.Match[str], today: date) -> date | None:
    wanted, which = _WEEKDAYS.index(match["weekday"][:3]), match["which"] or ""
    if which.startswith(("last", "past")):
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    coming = today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    if which.startswith("next") and match["week"] is None:
        # "next friday" is the one in next week; "friday" and "this friday" are the very next.
        monday = today + timedelta(days=7 - today.weekday())
        return monday + timedelta(days=wanted)
    return coming + timedelta(days=7) if match["week"] else coming


def _coming(month: int, day: int, today: date) -> date | None:
    this_year = _valid(today.year, month, day)
    return _valid(today.year + 1, month, day) if this_year is None or this_year < today else this_year


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


_BARE_WEEKDAY: Final = re.compile(rf"\b{_WEEKDAY}")
_COMING_WEEKDAY: Final = re.compile(rf"(?:(?:next|this coming|this|coming)\s+)?{_WEEKDAY}")
_BETWEEN: Final = re.compile(r",?\s+(?:the\s+)?|,")
_BARE_MONTH: Final = re.compile(rf"\b(?!(?<!\bin )(?:may|mar|march)\b){_MONTH}")
_NEAR: Final = {
    "day after tomorrow": 2,
    "tomorrow": 1,
    "tmrw": 1,
    "tmr": 1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "yesterday": -1,
}

_READERS: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = (
    (re.compile(r"\b(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b"), _iso),
    (
        re.compile(r"(?<![\d/.])(?P<month>\d{1,2})/(?P<day>\d{1,2})(?:/(?P<year>\d{4}|\d\d))?(?![\d/])"),
        _figures,
    ),
    (re.compile(r"(?<![\d.])(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.(?P<year>\d{4})?(?!\d)"), _figures),
    (re.compile(rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}"), _named_month),
    (re.compile(rf"\b{_MONTH}\s*(?:the\s+)?{_DAY}{_YEAR}"), _named_month),
    (re.compile("|".join(rf"\b{words}\b" for words in _NEAR)), _relative),
    (re.compile(rf"\bin (?P<count>\d{{1,2}}|{CARDINAL}) (?P<unit>day|week)s?\b"), _in_a_while),
    (
        re.compile(
            rf"\b(?:(?P<which>next|this coming|this|coming|last|past)\s+)?{_WEEKDAY}(?P<week>\s+(?:week"
            rf"|after next)\b)?"
        ),
        _weekday,
    ),
    (re.compile(rf"\bthe (?P<day>\d{{1,2}}(?:st|nd|rd|th)){_THING}"), _day_of_month),
    (re.compile(rf"\bon the (?P<day>{ORDINAL})\b{_THING}"), _day_of_month),
)

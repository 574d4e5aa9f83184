"""Dates, times and numbers in a text, with their positions."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from typing import Final, Generic, TypeVar

from assistant.language.dates import MONTHS, WEEKDAYS
from assistant.language.numbers import CARDINALS, ORDINAL, ORDINALS
from assistant.language.times import find_times as language_times
from assistant.language.values import ClockTime
from assistant.language.words import one_of

_WEEKDAY: Final = rf"(?P<weekday>{one_of(WEEKDAYS)})s?\b"
_MONTH: Final = rf"(?P<month>{one_of(MONTHS)})\b\.?"
_DAY: Final = rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?|{ORDINAL})\b"
_YEAR: Final = r"(?:,?\s+(?P<year>20\d\d)\b)?"
# An ordinal before a thing is its position in a list, not a day.
_THING: Final = r"(?!\s+(?:one|order|appointment|visit|invoice|bill|slot|pair|time|option|item|thing)\b)"

_Reader = Callable[[re.Match[str], date], date | None]

Value = TypeVar("Value", bound="str | int | date | time")


@dataclass(frozen=True, slots=True)
class Found(Generic[Value]):
    """A value and the half-open range of characters from which it was read."""

    value: Value
    start: int
    end: int


def find_days(text: str, today: date) -> tuple[Found[date], ...]:
    """Returns the days in a lower-case text, in order. A day without a year is never in the past.

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
    """Returns the weekdays in a lower-case text, as numbers from 0 for Monday.

    >>> sorted(find_weekdays("tuesday, or friday the 4th"))
    [1, 4]
    """
    return frozenset(WEEKDAYS[one["weekday"]] for one in _BARE_WEEKDAY.finditer(text))


def find_months(text: str) -> frozenset[int]:
    """Returns the months in a lower-case text, as numbers from 1 for January. "may" and "march" are verbs
    unless "in" is before them.

    >>> sorted(find_months("the december one, or may i come in march"))
    [3, 12]
    """
    return frozenset(MONTHS[one["month"]] for one in _BARE_MONTH.finditer(text))


def _joined(days: tuple[Found[date], ...], text: str) -> tuple[Found[date], ...]:
    """Returns the same days, with a weekday and the date after it joined into one day if they agree."""
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
    month, day = MONTHS[match["month"]], ordinal(match["day"])
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
    wanted, which = WEEKDAYS[match["weekday"]], match["which"] or ""
    if which.startswith(("last", "past")):
        return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)
    coming = today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    if which.startswith("next") and match["week"] is None:
        # "next friday" is in the next week; "friday" and "this friday" are the next one from today.
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

_ARTICLES: Final = {"a": 1, "an": 1, "a couple of": 2, "a few": 3}
_COUNTS: Final = {**CARDINALS, **_ARTICLES}
CARDINAL: Final = one_of(_COUNTS)
"""A pattern for a number below a hundred in words, or an article that counts one."""


def cardinal(words: str) -> int:
    """Read a number.

    >>> cardinal("14"), cardinal("twenty-five")
    (14, 25)
    """
    return int(words) if words.isdecimal() else _COUNTS[words]


def ordinal(words: str) -> int:
    """Read an ordinal.

    >>> ordinal("24th"), ordinal("ninth"), ordinal("3")
    (24, 9, 3)
    """
    figures = words.rstrip("stndrh.")
    return int(figures) if figures.isdecimal() else ORDINALS[words]


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

_HOURS_ALONE: Final = (
    re.compile(
        rf"\b(?:at|by|around|about|until|till|before|after|from) (?P<hour>\d{{1,2}}|{one_of(CARDINALS)})\b"
        r"(?:\.(?P<minute>[0-5]\d)\b)?(?!\s*(?:%|/|\.\d|st\b|nd\b|rd\b|th\b|days?\b|weeks?\b|months?\b|hours?\b|minutes?\b|[a-z]*\s*euros?\b))"
    ),
    # Only an hour: the answer to "at what time?".
    re.compile(
        r"^(?:(?:ok|okay|at|then|make it|rather|no|yes),? )*(?P<hour>\d{1,2})(?P<minute>)(?: then| please)*\W*$"
    ),
)


def find_times(text: str) -> tuple[Found[time], ...]:
    """Returns the times of day in a lower-case text, in order.

    An hour from 1 to 6 without "am" or "pm" is in the afternoon, because shops are closed in the night.

    >>> def times(text): return [f"{one.value:%H:%M}" for one in find_times(text)]
    >>> times("at 2 or half past three"), times("14:30"), times("9.15 am"), times("quarter to ten")
    (['14:00', '15:30'], ['14:30'], ['09:15'], ['09:45'])
    """
    return first_of_each(_time_readings(text))


def _time_readings(text: str) -> Iterator[Found[time]]:
    for found in language_times(text):
        if isinstance(found.value, ClockTime):
            hour = found.value.hour if found.value.half_said else _in_the_day(found.value.hour)
            yield Found(time(hour, found.value.minute), found.start, found.end)
    for pattern in _HOURS_ALONE:
        for match in pattern.finditer(text):
            if (hour := cardinal(match["hour"])) < 24:
                yield Found(time(_in_the_day(hour), int(match["minute"] or 0)), match.start(), match.end())


def _in_the_day(hour: int) -> int:
    return hour + 12 if 1 <= hour <= 6 else hour


def first_of_each(found: Iterable[Found[Value]]) -> tuple[Found[Value], ...]:
    """Remove overlapping readings, and keep the one that is first in ``found``. The result is in the order of
    the text.

    ``found`` is in the order of preference.

    >>> [one.value for one in first_of_each([Found("b", 4, 6), Found("a", 0, 2), Found("c", 5, 9)])]
    ['a', 'b']
    """
    kept: list[Found[Value]] = []
    for one in found:
        if not crosses(one.start, one.end, spans_of(kept)):
            kept.append(one)
    return tuple(sorted(kept, key=lambda one: one.start))


def inside(found: Sequence[Found[Value]], start: int, end: int) -> tuple[Found[Value], ...]:
    """Returns the readings inside a range.

    >>> [one.value for one in inside([Found("a", 0, 2), Found("b", 4, 6)], 3, 9)]
    ['b']
    """
    return tuple(one for one in found if start <= one.start and one.end <= end)


def in_order(found: Sequence[Found[Value]]) -> tuple[Found[Value], ...]:
    """Returns the readings sorted by their position in the text."""
    return tuple(sorted(found, key=lambda one: one.start))


def spans_of(found: Sequence[Found[Value]]) -> list[tuple[int, int]]:
    """Returns the ranges of characters of the readings."""
    return [(one.start, one.end) for one in found]


def free_of(found: Sequence[Found[Value]], taken: list[tuple[int, int]]) -> tuple[Found[Value], ...]:
    """Returns the readings that overlap no range in ``taken``; their ranges are added to it.

    >>> taken = [(0, 3)]
    >>> free_of([Found("a", 2, 4), Found("b", 5, 6)], taken), taken
    ((Found(value='b', start=5, end=6),), [(0, 3), (5, 6)])
    """
    kept = tuple(one for one in found if not crosses(one.start, one.end, taken))
    taken += spans_of(kept)
    return kept


def crosses(start: int, end: int, taken: Iterable[tuple[int, int]]) -> bool:
    """Whether a range overlaps one of the others.

    >>> crosses(2, 4, [(3, 9)]), crosses(2, 4, [(4, 9)])
    (True, False)
    """
    return any(start < last and first < end for first, last in taken)

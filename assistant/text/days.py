"""Days, however they are written, in one form; English and German."""

import re
from datetime import date
from typing import Final

_MONTHS: Final = (
    "january januar jan jänner",
    "february februar feb",
    "march märz mar mrz",
    "april apr",
    "may mai",
    "june juni jun",
    "july juli jul",
    "august aug",
    "september sept sep",
    "october oktober oct okt",
    "november nov",
    "december dezember dec dez",
)
_WEEKDAYS: Final = (
    "monday montag mon",
    "tuesday dienstag tue tues",
    "wednesday mittwoch wed",
    "thursday donnerstag thu thur thurs",
    "friday freitag fri",
    "saturday samstag sonnabend",
    "sunday sonntag",
)
MONTHS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
WEEKDAYS: Final = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}


def _either(names: dict[str, int]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_WHOLE: Final = {name: number for name, number in MONTHS.items() if len(name) > 3 or name in {"may", "mai"}}
_MONTH: Final = rf"(?:{_either(MONTHS)})\b\.?"
_YEAR: Final = r"(?:,?\s+(?P<{}>(?:19|20)\d\d)\b)?"
DAYS: Final = re.compile(
    rf"(?P<iso>\b\d{{4}}-\d\d-\d\d)(?!\d)"
    rf"|\b(?P<day_first>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month_after>{_MONTH}){_YEAR.format('year_a')}"
    rf"|\b(?P<month_first>{_MONTH})\s+(?:the\s+)?(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]\d)"
    rf"{_YEAR.format('year_b')}"
    r"|\b(?P<dotted>\d{1,2}\.\d{1,2}\.(?:(?:\d\d){1,2}\b)?)"
    r"|\b(?P<slashed>\d{1,2}/\d{1,2}/\d{4})\b"
    rf"|\b(?P<weekday>{_either(WEEKDAYS)})s?\b"
    rf"|\b(?P<month>{_either(_WHOLE)})\b",
    re.IGNORECASE,
)
"""A day: by its date, by day and month, or by its weekday; or a month alone."""


def read_day(found: re.Match[str], locale: str = "en") -> str | None:
    """A day found by :data:`DAYS`: "2026-11-24", "11-24", "w0" for Monday, "m11"; None when there is none.

    A date with slashes is read the American way, except in German, and where only the other way is a date.
    """
    groups = {name: (value or "").lower() for name, value in found.groupdict().items()}
    if groups["iso"]:
        year, month, day = map(int, groups["iso"].split("-"))
        return _day(year, month, day)
    if groups["weekday"]:
        return f"w{WEEKDAYS[groups['weekday']]}"
    if groups["month"]:
        # "may" and "march" are months with a capital only.
        return f"m{MONTHS[groups['month']]:02}" if found["month"][0].isupper() else None
    if groups["dotted"]:
        day, month, year = groups["dotted"].split(".")
        # "3.10." ends an English sentence with a number.
        return _day(_full(year), int(month), int(day)) if year or _german(locale) else None
    if groups["slashed"]:
        first, second, year = map(int, groups["slashed"].split("/"))
        swapped = _german(locale) or first > 12
        return _day(year, second, first) if swapped else _day(year, first, second)
    name = (groups["month_after"] or groups["month_first"]).rstrip(".")
    year = groups["year_a"] or groups["year_b"] or ""
    return _day(_full(year), MONTHS[name], int(groups["day_first"] or groups["day_after"]))


def weekday_of(day: str) -> str:
    """The weekday of a full date.

    >>> weekday_of("2026-11-24")
    'w1'
    """
    return f"w{date.fromisoformat(day).weekday()}"


def _german(locale: str) -> bool:
    return locale.partition("-")[0] == "de"


def _full(year: str) -> int | None:
    return int(year) + (2000 if len(year) == 2 else 0) if year else None


def _day(year: int | None, month: int, day: int) -> str | None:
    try:
        # A leap year stands in for one that is not said.
        read = date(year or 2024, month, day)
    except ValueError:
        return None
    return read.isoformat() if year else f"{month:02}-{day:02}"

"""Dates and times in plain words, for clauses that a customer hears."""

from collections.abc import Sequence
from datetime import date, datetime, time


def day(value: date) -> str:
    """A date.

    >>> day(date(2026, 11, 24))
    'Tuesday, November 24'
    """
    return f"{value:%A, %B} {value.day}"


def clock(value: time) -> str:
    """A time of day.

    >>> clock(time(14)), clock(time(9, 30)), clock(time(0, 5))
    ('2 pm', '9:30 am', '12:05 am')
    """
    minutes = f":{value.minute:02}" if value.minute else ""
    return f"{value.hour % 12 or 12}{minutes} {'am' if value.hour < 12 else 'pm'}"


def when(value: datetime) -> str:
    """A moment.

    >>> when(datetime(2026, 11, 24, 14))
    'Tuesday, November 24 at 2 pm'
    """
    return f"{day(value)} at {clock(value.time())}"


def listing(items: Sequence[str], joint: str = "and") -> str:
    """Several things.

    >>> listing(["a", "b", "c"]), listing(["a", "b"], "or"), listing(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    *first, last = items
    return f"{', '.join(first)} {joint} {last}" if first else last


def count(number: int) -> str:
    """How many, from two on.

    >>> count(2), count(12)
    ('two', '12')
    """
    words = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
    return words[number - 2] if number - 2 < len(words) else str(number)


def thing(service: str) -> str:
    """A service with its article.

    >>> thing("eye test"), thing("lens fitting")
    ('an eye test', 'a lens fitting')
    """
    return f"{'an' if service[0] in 'aeiou' else 'a'} {service}"

"""Values that a text means beside those that it writes: the days within "Mon-Fri", the next "15th"."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from assistant.language.values import ClockTime, Day, Found, Number, Value


def meant(found: Sequence[Found], today: date) -> Iterator[Value]:
    """What a customer means by less: "the 15th" is the next one or the one after it, "10" may be an hour."""
    for one in found:
        match one.value:
            case Day(day=int(day), month=None):
                ahead = [today + timedelta(days=days) for days in range(_TWO_MONTHS)]
                yield from (Day(each.year, each.month, each.day) for each in ahead if each.day == day)
            case Number(amount=amount) if amount == int(amount) and 0 < amount <= _LAST_HOUR:
                yield ClockTime(int(amount) % _LAST_HOUR, 0, half_said=amount > _LAST_HOUR // 2)
            case _:
                pass


_TWO_MONTHS: Final = 60
_LAST_HOUR: Final = 24
_FROM_TO: Final = re.compile(r"\.?\s?(?:-|–|—|to|through|until|till|bis)\s?(?:to\s)?")
_GROUPS: Final = (
    (re.compile(r"\b(?:weekdays|workdays|werktags|wochentags)\b", re.IGNORECASE), range(5)),
    (re.compile(r"\b(?:weekends?|wochenenden?)\b", re.IGNORECASE), range(5, 7)),
    (re.compile(r"\b(?:daily|every day|täglich|jeden tag)\b", re.IGNORECASE), range(7)),
)


def weekday_range(text: str, found: Sequence[Found]) -> Iterator[Value]:
    """The weekdays between those that a text gives as a range: "Mon-Fri"."""
    for one, other in pairwise(found):
        match (one.value, other.value):
            case Day(weekday=int(first), day=None), Day(weekday=int(last), day=None):
                if _FROM_TO.fullmatch(text, one.end, other.start):
                    yield from (Day(weekday=(first + step) % 7) for step in range((last - first) % 7))
            case _:
                pass
    for pattern, weekdays in _GROUPS:
        if pattern.search(text):
            yield from (Day(weekday=weekday) for weekday in weekdays)


def hours(text: str, found: Sequence[Found]) -> Iterator[Value]:
    """The hours that a text gives as a bare range: "Mon-Fri 9-17"."""
    for one, other in pairwise(found):
        match (one.value, other.value):
            case Number(amount=first), Number(amount=last):
                if first <= 24 and last <= 24 and _FROM_TO.fullmatch(text, one.end, other.start):
                    for hour in (first, last):
                        yield ClockTime(int(hour) % 24, 0, half_said=hour > 12)
            case _:
                pass

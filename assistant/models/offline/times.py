"""Times of day, as customers write them."""

import re
from collections.abc import Iterator
from datetime import time
from typing import Final

from assistant.models.offline.numbers import CARDINAL, cardinal
from assistant.models.offline.spans import Found, first_of_each

_HOUR: Final = rf"(?P<hour>\d{{1,2}}|{CARDINAL})"
_HALF: Final = (
    r"(?:\s*(?P<half>a\.?m\b\.?|p\.?m\b\.?|o'?clock\b|in the (?:morning|afternoon|evening)|at night))"
)

_PATTERNS: Final = (
    re.compile(rf"\b(?P<part>half|quarter|ten|twenty|five) (?P<side>past|to|after|before) {_HOUR}\b{_HALF}?"),
    re.compile(rf"\b(?P<hour>\d{{1,2}})[:.h](?P<minute>[0-5]\d){_HALF}?(?![\d.])"),
    re.compile(rf"\b{_HOUR}(?:\s(?P<minute>[0-5]\d))?{_HALF}"),
    re.compile(
        rf"\b(?:at|by|around|about|until|till|before|after|from) {_HOUR}\b(?!\s*(?:%|/|\.\d|st\b|nd\b"
        rf"|rd\b|th\b|days?\b|weeks?\b|months?\b|hours?\b|minutes?\b|[a-z]*\s*euros?\b))"
    ),
    re.compile(r"\b(?P<name>noon|midday|midnight)\b"),
    # Nothing but an hour: the answer to "at what time?".
    re.compile(r"^(?:(?:ok|okay|at|then|make it|rather|no|yes),? )*(?P<hour>\d{1,2})(?: then| please)*\W*$"),
)
_MINUTES: Final = {"half": 30, "quarter": 15, "ten": 10, "twenty": 20, "five": 5}
_ARTICLES: Final = frozenset({"a", "an", "a few", "a couple of"})


def find_times(text: str) -> tuple[Found[time], ...]:
    """Find the times of day in a lower-case text, in its order.

    An hour from 1 to 6 without "am" or "pm" is in the afternoon: shops are closed before dawn.

    >>> def times(text): return [f"{one.value:%H:%M}" for one in find_times(text)]
    >>> times("at 2 or half past three"), times("14:30"), times("9.15 am"), times("quarter to ten")
    (['14:00', '15:30'], ['14:30'], ['09:15'], ['09:45'])
    """
    return first_of_each(_readings(text))


def _readings(text: str) -> Iterator[Found[time]]:
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            read = _read({name: value for name, value in match.groupdict().items() if value})
            if read is not None:
                yield Found(read, match.start(), match.end())


def _read(parts: dict[str, str]) -> time | None:
    if "name" in parts:
        return time(0 if parts["name"] == "midnight" else 12)
    if parts["hour"] in _ARTICLES:
        return None
    hour, minute = _on_the_clock(cardinal(parts["hour"]), parts.get("half", "")), int(parts.get("minute", 0))
    if "part" in parts:
        minute = _MINUTES[parts["part"]]
        if parts["side"] in ("to", "before"):
            hour, minute = hour - 1, 60 - minute
    return time(hour, minute) if 0 <= hour < 24 else None


def _on_the_clock(hour: int, half: str) -> int:
    if (half.startswith("a") and not half.startswith("at")) or half.endswith("morning"):
        return hour % 12
    if half.startswith("p") or half.endswith(("afternoon", "evening", "night")):
        return hour % 12 + 12
    return hour + 12 if 1 <= hour <= 6 else hour

"""Times of day, as one says them."""

import re
from typing import Final

from assistant.voice.text_normalization.numbers import cardinal

_HALF: Final = r"(?: ?(?P<half>[ap])(?:m\b|\.m\.|M\b))"
_TIME: Final = re.compile(
    rf"(?<![\w.,:/$€£-])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?"
    rf"|\.(?P<dotted>[0-5]\d)(?={_HALF.replace('?P<half>', '')}))?"
    rf"{_HALF}?(?! ?%|\w|:\d)",
    re.IGNORECASE,
)
_DAY_NAME: Final = re.compile(
    r"\s+(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|\s+(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)


def say_times(text: str) -> str:
    """By the clock of twelve hours; whether it is before noon is said where the writing tells.

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
    """The full stop of "p.m." ends a sentence, too, if one ends there."""
    after = found.string[found.end() :]
    if not found[0].endswith(".") or _DAY_NAME.match(after):
        return ""
    return "." if re.match(r"\s*$|\s+[A-Z]", after) else ""

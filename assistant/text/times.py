"""Times of day, however they are written, in one form; English and German."""

import re
from typing import Final

from assistant.text.numbers import NUMBER_WORDS

_HOUR_WORDS: Final = {**NUMBER_WORDS, "one": 1, "ein": 1}
_HOURS: Final = "|".join(_HOUR_WORDS)
_HALF: Final = r"(?:[ap]\s?m\b|[ap]\.\s?m\b\.?)"
TIMES: Final = re.compile(
    rf"\b(?P<hour>\d{{1,2}})(?:[:.](?P<minute>[0-5]\d))?\s*(?P<half>{_HALF})"
    rf"|\b(?P<hour_word>{_HOURS})\s+(?P<half_word>{_HALF}|o['’]clock|uhr\b)"
    r"|\b(?P<hour_uhr>\d{1,2})(?:[:.](?P<minute_uhr>[0-5]\d))?\s*uhr\b(?:\s+(?P<minute_after>[0-5]\d)\b)?"
    r"|(?:\b|(?<=T))(?P<hour_colon>\d{1,2}):(?P<minute_colon>[0-5]\d)(?::[0-5]\d(?:[.,]\d+)?)?(?!\d)"
    r"|\b(?P<named>noon|midday|midnight|mittag|mitternacht)\b",
    re.IGNORECASE,
)
"""A time of day."""


def read_time(found: re.Match[str]) -> str | None:
    """A time found by :data:`TIMES`, as "14:00"; with "?" where the half of the day is not said ("2:00?")."""
    groups = {name: (value or "").lower() for name, value in found.groupdict().items()}
    if groups["named"]:
        return "00:00" if groups["named"] in {"midnight", "mitternacht"} else "12:00"
    digits = groups["hour"] or groups["hour_uhr"] or groups["hour_colon"]
    hour = int(digits) if digits else _HOUR_WORDS[groups["hour_word"]]
    minutes = ("minute", "minute_uhr", "minute_after", "minute_colon")
    minute = int(next(filter(None, (groups[name] for name in minutes)), 0))
    half = (groups["half"] or groups["half_word"] or "")[:1]
    if hour > 24:
        return None
    if half in {"a", "p"}:
        return f"{hour % 12 + (12 if half == 'p' else 0):02}:{minute:02}" if hour <= 12 else None
    unsaid = 1 <= hour <= 12 and not digits.startswith("0")
    return f"{hour % 24:02}:{minute:02}" + ("?" if unsaid else "")

"""Durations: units after a number, and German words that contain both."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from assistant.language.numbers import plain, word_list
from assistant.language.values import Duration, DurationUnit
from assistant.language.words import one_of

_MINUTES: Final = {
    "second seconds sec secs sekunde sekunden": Decimal(1) / 60,
    "minute minutes min mins minuten": Decimal(1),
    "hour hours hr hrs stunde stunden std": Decimal(60),
    "day days tag tage tagen tages werktag werktage werktagen arbeitstag arbeitstage arbeitstagen"
    " kalendertage kalendertagen weekday weekdays": Decimal(24 * 60),
    "week weeks woche wochen": Decimal(7 * 24 * 60),
}
_MONTHS: Final = {
    "month months monat monate monaten monats": Decimal(1),
    "year years yr yrs jahr jahre jahren jahres": Decimal(12),
}
_NIGHTS: Final = "night nights nacht nächte nächten"
_UNITS: Final[dict[str, tuple[Decimal, DurationUnit]]] = {
    **{word: (each, "minute") for words, each in _MINUTES.items() for word in words.split()},
    **{word: (each, "month") for words, each in _MONTHS.items() for word in words.split()},
    **{word: (Decimal(1), "night") for word in _NIGHTS.split()},
}
_ADJECTIVES: Final = (
    "working|business|calendar|full|whole|more|further|consecutive|volle[nrs]?|ganze[nrs]?|weitere[nrs]?"
)
_ENDINGS: Final = {
    "minütig": "minute",
    "stündig": "hour",
    "tägig": "day",
    "wöchig": "week",
    "monatig": "month",
    "jährig": "year",
}
AFTER: Final = re.compile(
    rf"[\s\u00a0-]*(?:(?:{_ADJECTIVES})[\s-]+)*(?P<unit>{one_of(_UNITS)})"
    rf"(?![^\W\d_])|-?(?P<ending>{'|'.join(_ENDINGS)})\w*",
    re.IGNORECASE,
)
"""A unit of time that follows a number."""

UNIT_WORDS: Final = frozenset(_UNITS)
"""The words for units of time, in lower case."""

MOMENTS: Final = frozenset({"minute", "minuten", "second", "sekunde", "moment"})
"""Units that are not a duration after "one": "one minute, please" means a moment."""

COMPOUND: Final = re.compile(
    rf"\b(?P<number>[^\W\d_]{{2,12}})(?P<ending>{'|'.join(_ENDINGS)})\w*", re.IGNORECASE
)
"""A German word that holds number and unit: "zweijährige"."""

HALF_HOUR: Final = re.compile(
    r"\b(?:half an hour|half-hour|halbe[nr]? stunde|viertelstunde|dreiviertelstunde"
    r"|(?:a )?quarter of an hour|three quarters of an hour|half a year|halbe[ns]? jahr)\b",
    re.IGNORECASE,
)
HALF_HOUR_WORDS: Final = frozenset(
    word_list("half quarter quarters halbe halben halber halbes viertelstunde dreiviertelstunde")
)
"""Each text that :data:`HALF_HOUR` matches has one of these words."""

_HALVES: Final = {
    "viertelstunde": Duration(Decimal(15), "minute"),
    "dreiviertelstunde": Duration(Decimal(45), "minute"),
    "a quarter of an hour": Duration(Decimal(15), "minute"),
    "quarter of an hour": Duration(Decimal(15), "minute"),
    "three quarters of an hour": Duration(Decimal(45), "minute"),
}


def duration(amount: Decimal, unit: str) -> Duration:
    """Returns a duration in the unit that is used for comparison.

    >>> duration(Decimal(2), "weeks") == duration(Decimal(14), "Tage"), str(duration(Decimal(2), "Jahre").amount)
    (True, '24')
    """
    each, base = _UNITS[_ENDINGS.get(unit.lower(), unit.lower())]
    return Duration(plain(amount * each), base)


def half_an_hour(written: str) -> Duration:
    """Returns the duration of a phrase found by :data:`HALF_HOUR`."""
    lowered = written.lower()
    if lowered in _HALVES:
        return _HALVES[lowered]
    return (
        Duration(Decimal(6), "month")
        if "year" in lowered or "jahr" in lowered
        else duration(Decimal(30), "minute")
    )


_UNIT: Final = rf"(?P<unit>{one_of(_UNITS)})\b"
_LATER: Final = (
    "later|earlier|after|before|more|longer|shorter|from|ahead|früher|später|darauf|danach|davor|drauf|vorher|zuvor"
    "|nach|vor|mehr|länger|kürzer|weiter"
)
_ONE: Final = re.compile(
    rf"\b(?:an?|the|the\s(?:very\s)?(?:next|following|previous)|am|den|die|der|dem|das|zum)\s{_UNIT}\s(?:{_LATER})\b",
    re.IGNORECASE,
)
_FURTHER: Final = re.compile(
    r"\b(?:another|an?\s(?:extra|additional|further)|the\s(?:next|following|previous)|nächste\w*|folgende\w*|vorige\w*"
    rf"|zusätzliche\w*)\s{_UNIT}",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def lengths_named(sentence: str) -> frozenset[Duration]:
    """Returns the durations of one unit that are written without a number: "a week later", "the day before".

    >>> [int(one.amount / 1440) for one in lengths_named("A week later would be Friday.")]
    [7]
    >>> lengths_named("It costs $12 a day.")
    frozenset()
    """
    return frozenset(
        duration(Decimal(1), match["unit"])
        for pattern in (_ONE, _FURTHER)
        for match in pattern.finditer(sentence)
    )

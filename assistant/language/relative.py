"""What a sentence counts with beside its values: "a week later", "the day before", "one day after your visit"."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from assistant.language.durations import UNIT_WORDS, duration
from assistant.language.values import Duration

_UNIT: Final = rf"(?P<unit>{'|'.join(sorted(UNIT_WORDS, key=len, reverse=True))})\b"
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
_COMPARES: Final = re.compile(
    r"\b(?:later|earlier|after|before|apart|between|follow(?:s|ing)|später|früher|nach|vor|danach|davor|darauf|vorher"
    r"|zuvor|zwischen|dazwischen|auseinander)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def lengths_named(sentence: str) -> frozenset[Duration]:
    """The lengths of one unit that no number tells.

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


def compares_days(sentence: str) -> bool:
    """Whether a sentence tells how far days are from each other, rather than from today.

    >>> compares_days("one day after your eye test"), compares_days("25 days to go")
    (True, False)
    """
    return _COMPARES.search(sentence) is not None

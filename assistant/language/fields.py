"""What the values of a result's fields are, as the fields' names say."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from assistant.language.addresses import identifier_form
from assistant.language.durations import UNIT_WORDS, duration
from assistant.language.numbers import plain, word_list
from assistant.language.values import ClockTime, Day, Identifier, Number, Percent, Phone, Value

_NUMBERED: Final = frozenset(
    word_list(
        "number no nr id ids code ref reference nummer phone telephone tel fax mobile zip plz postcode "
        "iban account sku tracking key"
    )
)
_SHARES: Final = frozenset(["percent", "percentage", "prozent", "rate", "discount", "rabatt"])
_HUNDREDTHS: Final = frozenset(["cent", "cents", "minor"])
_LENGTHS: Final = frozenset(["duration", "dauer", "length"])
_MOMENTS: Final = frozenset(
    word_list("at on time timestamp ts date expires due created updated start end from until")
)
_KEY_WORDS: Final = re.compile(r"[A-Z]?[a-zäöüß]+|[A-Z]+(?![a-z])")
_LEAST_PHONE: Final = 7


def values_of_number(amount: Decimal, key: str) -> Iterator[Value]:
    """A number of JSON: its key may say what it counts."""
    words = key_words(key)
    if words & _NUMBERED:
        yield from values_of_identifier(str(amount))
        return
    units = [word for word in words if word in UNIT_WORDS and "per" not in words]
    for unit in ("minute", "hour", "day") if not units and words & _LENGTHS else units:
        yield duration(amount, unit)
    if words & _SHARES:
        yield Percent(amount)
        yield Percent(plain(amount * 100))
    if words & _HUNDREDTHS:
        yield Number(plain(amount / 100))
    if words & _MOMENTS and amount == int(amount) and (stamp := _moment(int(amount))) is not None:
        yield Day(year=stamp.year, month=stamp.month, day=stamp.day)
        yield ClockTime(stamp.hour, stamp.minute)
    # "price_a_night" is an amount, whatever it is counted by.
    yield Number(amount)


def _moment(number: int) -> datetime | None:
    """The moment that Unix seconds or milliseconds stand for."""
    seconds = number / 1000 if number > 10**11 else number
    return datetime.fromtimestamp(seconds, UTC) if 10**9 <= seconds < 4 * 10**9 else None


def values_of_identifier(text: str) -> Iterator[Value]:
    """An identifier, and the telephone number that it may be."""
    form = identifier_form(text)
    yield Identifier(form)
    digits = re.sub(r"\D", "", text)
    if len(digits) >= _LEAST_PHONE:
        yield Phone(digits)


def is_numbered(key: str) -> bool:
    """Whether a field holds a number by which something is called, and not an amount."""
    return not key_words(key).isdisjoint(_NUMBERED)


def key_words(key: str) -> set[str]:
    """The words of a field's name.

    >>> sorted(key_words("pricePerNight")), sorted(key_words("due_date"))
    (['night', 'per', 'price'], ['date', 'due'])
    """
    return {word.lower() for word in _KEY_WORDS.findall(key)}

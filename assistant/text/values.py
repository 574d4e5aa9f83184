"""What of a text is a fact: the numbers, times, days and names in it, in forms that can be compared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from assistant.text.days import DAYS, read_day
from assistant.text.names import ADDRESSES, IDENTIFIERS, names_in
from assistant.text.numbers import NUMBER, NUMBER_WORDS, plain_number, read_number
from assistant.text.times import TIMES, read_time
from assistant.text.words import words

Kind: TypeAlias = Literal["number", "count", "time", "day", "name"]

Data: TypeAlias = bool | int | float | str | Sequence["Data"] | Mapping[str, "Data"] | None
"""What JSON can hold."""

_NUMBER_WORDS: Final = re.compile(rf"\b(?:{'|'.join(NUMBER_WORDS)})\b", re.IGNORECASE)
_PHONES: Final = re.compile(r"(?<![\w.])(?:\+|0)\d[\d ()/-]{5,}\d(?!\w)")
_DIGITS: Final = re.compile(r"\d+")
_DECIMAL: Final = re.compile(r"-?\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Value:
    """A fact. Equal when kind and form are, however they were ``said``.

    Forms: a number without signs and needless zeros ("1234.5"); a time "14:00", or "2:00?" where the half of
    the day was not said; a day "2026-11-24", "11-24", "w1" (Tuesday) or "m11" (November); a name's word, an
    address or an identifier in lower case. A ``count`` is a number that data do not hold but give: how many
    there are, and what they come to.
    """

    kind: Kind
    form: str
    said: str = field(default="", compare=False)


def values_in(text: str, locale: str = "en") -> frozenset[Value]:
    """The facts that a text states.

    >>> sorted(value.form for value in values_in("You owe $1,234.50 to Anna on Tuesday, Nov 24th at 2 pm."))
    ['11-24', '1234.5', '14:00', 'anna', 'w1']
    """
    return frozenset(_Reader(text, locale).read())


def values_of(data: Data, locale: str = "en") -> frozenset[Value]:
    """The facts that data hold, those in their texts too; every word of a text may be a name.

    >>> known = values_of([{"due": "2026-11-24", "amount": "10.00"}, {"due": "2026-12-01", "amount": "5.50"}])
    >>> sorted((value.kind, value.form) for value in known if value.kind == "count")
    [('count', '15.5'), ('count', '2')]
    """
    return frozenset(_values_of(data, locale))


class _Reader:
    """Reads a text kind by kind; what one kind has taken is no longer there for the next."""

    def __init__(self, text: str, locale: str) -> None:
        self._left, self._locale = text, locale

    def read(self) -> Iterator[Value]:
        for found in self._take(ADDRESSES):
            yield Value("name", _address(found[0]), found[0])
        for found in self._take(DAYS):
            yield from self._value("day", read_day(found, self._locale), found[0])
        for found in self._take(TIMES):
            yield from self._value("time", read_time(found), found[0])
        for found in self._take(IDENTIFIERS):
            yield Value("name", re.sub(r"[-_/#]", "", found[0]).lower(), found[0])
        for found in self._take(_PHONES):
            yield Value("number", plain_number(Decimal(re.sub(r"\D", "", found[0]))), found[0])
        yield from self._numbers(self._take(NUMBER))
        for found in self._take(_NUMBER_WORDS):
            yield Value("number", str(NUMBER_WORDS[found[0].lower()]), found[0])
        for name in names_in(self._left, self._locale):
            yield from (Value("name", word, name) for word in words(name))

    def _value(self, kind: Kind, form: str | None, said: str) -> Iterator[Value]:
        """The day or time, or the numbers in what only looks like one."""
        if form is not None:
            yield Value(kind, form, said)
        else:
            yield from self._numbers(NUMBER.finditer(said))

    def _numbers(self, found: Iterable[re.Match[str]]) -> Iterator[Value]:
        for number in found:
            yield Value("number", read_number(number[0], self._locale), number[0])

    def _take(self, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        found = list(pattern.finditer(self._left))
        if found:
            # A sign that is neither letter, digit nor space keeps the neighbours where they were.
            self._left = pattern.sub(lambda one: "\0" * len(one[0]), self._left)
        return found


def _values_of(data: Data, locale: str) -> Iterator[Value]:
    match data:
        case None | bool():
            return
        case int() | float():
            yield Value("number", plain_number(Decimal(str(data))), str(data))
        case str():
            yield from _values_of_text(data, locale)
        case Mapping():
            for key, value in data.items():
                yield from _values_of_text(key, locale)
                yield from _values_of(value, locale)
        case _:
            yield Value("count", str(len(data)))
            yield from (Value("count", sum_) for sum_ in _sums(data))
            for one in data:
                yield from _values_of(one, locale)


def _values_of_text(text: str, locale: str) -> Iterator[Value]:
    yield from (Value("name", word, word) for word in words(text) if not _DIGITS.search(word))
    for value in values_in(text, locale):
        yield value
        if value.kind == "name":
            # "Your order 10482" tells of A-10482.
            yield from (
                Value("number", plain_number(Decimal(digits))) for digits in _DIGITS.findall(value.form)
            )


def _sums(data: Sequence[Data]) -> Iterator[str]:
    """What the same field of all of them comes to."""
    rows = [row for row in data if isinstance(row, Mapping)]
    for key in rows[0] if rows else ():
        numbers = [number for row in rows if (number := _number(row.get(key))) is not None]
        if len(numbers) > 1:
            yield plain_number(sum(numbers, Decimal(0)))


def _number(data: Data) -> Decimal | None:
    if isinstance(data, bool) or not isinstance(data, int | float | str):
        return None
    return Decimal(str(data)) if _DECIMAL.fullmatch(str(data)) else None


def _address(text: str) -> str:
    return re.sub(r"^(?:https?://)?(?:www\.)?", "", text.lower()).rstrip("/")

"""Reads all values of a text; each character belongs to at most one value. Begin here."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

from assistant.language import durations, money
from assistant.language.addresses import TITLES, find_addresses, find_identifiers, find_people, find_phones
from assistant.language.dates import DAYS_AWAY, MONTH, MONTHS, WEEKDAYS, find_days
from assistant.language.durations import (
    COMPOUND,
    HALF_HOUR,
    HALF_HOUR_WORDS,
    MOMENTS,
    UNIT_WORDS,
    duration,
    half_an_hour,
)
from assistant.language.numbers import (
    NUMBER_WORDS,
    ORDINALS,
    NumberFound,
    find_numbers,
    german_number,
    word_list,
)
from assistant.language.times import TIME_WORDS, find_times
from assistant.language.values import ClockTime, Day, Found, Money, Number, Percent, Value
from assistant.language.words import runs

_NAMED: Final = frozenset(
    {
        *NUMBER_WORDS,
        *MONTHS,
        *WEEKDAYS,
        *DAYS_AWAY,
        *UNIT_WORDS,
        *TITLES,
        *word_list(
            "hundred noon midday midnight mittag mittags mitternacht mitternachts half quarter halb halbe halben "
            "viertel dreiviertel viertelstunde anderthalb morgen"
        ),
    }
)
_SIGNS: Final = re.compile(r"[\d@€£]|www\.|https?:|\w\.\w")
_COMPOUNDS: Final = re.compile(
    r"hundert|tausend|und(?:zwanzig|dreißig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)|"
    r"(?:jähr|monat|täg|wöch|stünd|minüt)ig"
)
_IN_COMPOUNDS: Final = ("und", "tausend", "ig")
"""Each of the compounds has one of these, which are found faster."""

_NOT_VALUES: Final = re.compile(
    rf"^[ \t]*(?:[-*•]\s*)?\d{{1,2}}[.)](?=\s)(?!\s(?:bis|und|oder|{MONTH})\b)"  # the number of a list's line
    r"|\b[\w-]{1,40} (?:days?|nights?|tagen?|tage) (?:a|per|in der|die|pro) (?:week|woche)\b"  # how often
    r"|\b24/7\b|\b24\s?(?:hours|stunden) (?:a|am) (?:day|tag)\b",
    re.MULTILINE | re.IGNORECASE,
)
_LISTED: Final = re.compile(r"^[ \t]*(?:[-*•]\s*)?\d{1,2}[.)]\s", re.MULTILINE)
_ALWAYS: Final = "24"
"""Without one of both, or a word for a week, nothing is in :data:`_NOT_VALUES`: "24/7", "24 hours a day"."""

_RANGE: Final = re.compile(r"\s*(?:-|–|—|to|or|and|bis|oder|und)\s*", re.IGNORECASE)
_PERCENT: Final = re.compile(r"[\s\u00a0-]?(?:%|percent\b|per cent\b|prozent\b)", re.IGNORECASE)
_SCALE: Final = re.compile(r"\s?(?P<scale>k|thousand|mn|million|bn|billion|tausend|mio\.?)\b", re.IGNORECASE)
_SCALES: Final = {"k": 3, "thousand": 3, "tausend": 3, "mn": 6, "million": 6, "mio": 6, "bn": 9, "billion": 9}
_PLUS_HALF: Final = re.compile(r"\s?(?:½|1/2\b|and a half\b)|\s(?=und ein halb)", re.IGNORECASE)
_AND_CENTS: Final = re.compile(r"\s(?:(?:and|und)\s)?", re.IGNORECASE)
_LEAST_CENTS: Final = 10
_MOST_CENTS: Final = 99
_HOUR_BEFORE: Final = re.compile(
    r"\b(?:at|um|by|until|till|from|ab|gegen|before|after|vor|nach|bis)\s$", re.IGNORECASE
)
_DEFINITE: Final = re.compile(r"\b(?:the|that|this|only|der|die|das|dem|den)\s$", re.IGNORECASE)
_NOTHING_COUNTED: Final = re.compile(
    r"\s*(?:[.,;:!?)*–—-]|$)|\s+(?:on|or|and|to|with|tomorrow|today|for|if|in|at|but|then|this|next|as|is|was|am|oder"
    r"|und|bis|mit|wenn|heute|beim|bei|is|ist)\b",
    re.IGNORECASE,
)
_LAST_HOUR: Final = 24
_MASK: Final = "\0"
_DIGIT: Final = re.compile(r"\d")
_WEEKS: Final = frozenset({"week", "woche"})
_LONGEST_REMEMBERED: Final = 2000


READ_LANGUAGES: Final = frozenset({"en", "de"})
"""The languages whose values are read. Other languages write dates and numbers in words that are not listed
here."""


def read(text: str, locale: str = "en") -> Sequence[Found]:
    """Returns the values of a text, in order. No character belongs to two of them.

    >>> [type(found.value).__name__ for found in read("Order 10482: $120.00, due Dec 3 at 2 pm, in 5 days")]
    ['Number', 'Money', 'Day', 'ClockTime', 'Duration']
    """
    return _remembered(text, locale) if len(text) <= _LONGEST_REMEMBERED else _read(text, locale)


def _read(text: str, locale: str) -> Sequence[Found]:
    words = frozenset(run for run, _ in runs(text))
    if not _may_hold_value(text, words):
        return ()
    return tuple(sorted(_Reader(text, locale, words).read(), key=_start))


def _start(found: Found) -> int:
    return found.start


# Cached: several callers read the same sentence, and results and questions return in each turn.
_remembered = lru_cache(maxsize=512)(_read)


def is_worth_reading(text: str) -> bool:
    """Whether a text may contain a value. It is fast, and never wrongly returns False."""
    return _may_hold_value(text, frozenset(run for run, _ in runs(text)))


def _may_hold_value(text: str, words: AbstractSet[str]) -> bool:
    return not _NAMED.isdisjoint(words) or _SIGNS.search(text) is not None or _has_compound(text.lower())


def _has_compound(lowered: str) -> bool:
    return any(part in lowered for part in _IN_COMPOUNDS) and _COMPOUNDS.search(lowered) is not None


def begins_value(word: str, *, growing: bool = False) -> bool:
    """Whether a word may begin or end a value.

    ``growing``: more letters may follow, so "tom" may become "tomorrow".

    >>> begins_value("$"), begins_value("Tues"), begins_value("tom"), begins_value("tom", growing=True)
    (True, True, False, True)
    """
    if word[:1] in "$€£¥₹₩#+" or any(letter.isdigit() for letter in word):
        return True
    lowered = word.lower()
    if lowered in _ALSO_WORDS and not growing:
        return word[0].isupper()
    return (
        lowered in _NAMED
        or (growing and lowered in _BEGINNINGS)
        or (len(lowered) > _SHORTEST_COMPOUND and _has_compound(lowered))
    )


_SHORTEST_COMPOUND: Final = 6
_LEAST_BEGINNING: Final = 3
_ALSO_WORDS: Final = frozenset(
    {"may", "sat", "sun", "mar", "wed", "mon", "march", "second", "seconds", "sec"}
)
_BEGINNINGS: Final = frozenset(
    word[:length]
    for word in (*_NAMED, *ORDINALS)
    if word != "anderthalb"
    for length in range(_LEAST_BEGINNING, len(word) + 1)
)


class _Reader:
    """Reads a text kind by kind. Characters of a value that was found are masked for the kinds after it."""

    def __init__(self, text: str, locale: str, words: AbstractSet[str]) -> None:
        self._text, self._left, self._locale = text, text, locale
        self._words = words
        self._has_digits = _DIGIT.search(text) is not None

    def read(self) -> Iterator[Found]:
        # Each kind is searched for only if the text contains one of its words or signs.
        yield from self._take(find_addresses(self._left))
        if self._has(TITLES):
            yield from self._take(find_people(self._left))
        if self._has(_WEEKS) or (self._has_digits and (_ALWAYS in self._left or _LISTED.search(self._left))):
            for match in list(_NOT_VALUES.finditer(self._left)):
                self._mask(match.start(), match.end())
        yield from self._take(find_days(self._left, self._locale))
        if ":" in self._left or self._has(TIME_WORDS):
            yield from self._take(find_times(self._left))
        if self._has_digits:
            yield from self._take(self._units_left_alone(find_identifiers(self._left)))
            yield from self._take(find_phones(self._left))
        if self._has(HALF_HOUR_WORDS):
            yield from self._take(
                Found(half_an_hour(one[0]), *one.span()) for one in HALF_HOUR.finditer(self._left)
            )
        if "ig" in self._left.lower():
            yield from self._take(self._compounds())
        yield from self._quantities(find_numbers(self._left, self._locale))

    def _has(self, words: AbstractSet[str]) -> bool:
        return not words.isdisjoint(self._words)

    def _units_left_alone(self, found: Iterable[Found]) -> Iterator[Found]:
        """Yields the identifiers, except a currency that is written together with its amount: "EUR120"."""
        for one in found:
            written = self._left[one.start : one.end]
            letters = written.rstrip("0123456789.,")
            if letters and money.BEFORE.fullmatch(letters):
                continue
            if COMPOUND.fullmatch(written) or durations.AFTER.fullmatch(written.lstrip("0123456789")):
                continue
            yield one

    def _compounds(self) -> Iterator[Found]:
        for match in COMPOUND.finditer(self._left):
            if (number := german_number(_stem_of(match["number"].lower()))) is not None:
                yield Found(duration(Decimal(number), match["ending"]), match.start(), match.end())

    def _take(self, found: Iterable[Found]) -> list[Found]:
        taken = list(found)
        free: list[Found] = []
        for one in taken:
            if _MASK not in self._left[one.start : one.end]:
                free.append(one)
                self._mask(one.start, one.end)
        return free

    def _mask(self, start: int, end: int) -> None:
        # The mask is neither letter, digit nor space, so positions and the neighbouring words do not change.
        self._left = f"{self._left[:start]}{_MASK * (end - start)}{self._left[end:]}"

    def _quantities(self, numbers: Sequence[NumberFound]) -> list[Found]:
        """Returns the numbers with their units.

        In a range, the last number's unit also applies to the first: "2 to 4 days".
        """
        found: list[Found] = []
        following: Found | None = None
        for number in reversed(numbers):
            one = self._quantity(number, following)
            if one is not None:
                found.append(one)
                following = one
        return self._without_cents(found[::-1])

    def _quantity(self, number: NumberFound, following: Found | None) -> Found | None:
        text, end, amount = self._left, number.end, number.amount
        start = number.start
        if scale := _SCALE.match(text, end):
            amount, end = amount * Decimal(10) ** _SCALES[scale["scale"].lower().rstrip(".")], scale.end()
        if half := _PLUS_HALF.match(text, end):
            amount, end = amount + Decimal("0.5"), half.end()
        written = "words" if number.in_words else "digits"
        if before := money.BEFORE.search(text, max(0, start - 6), start):
            return Found(Money(amount, money.currency_of(before[0])), before.start(), end, written)
        if after := money.AFTER.match(text, end):
            name = (after["name"] or "").lower()
            if name in money.CENTS:
                return Found(Money(amount / 100, ""), start, after.end(), written)
            currency = money.currency_of(after["sign"] or after["name"])
            return Found(Money(amount, currency), start, after.end(), written)
        if percent := _PERCENT.match(text, end):
            return Found(Percent(amount), start, percent.end(), written)
        if unit := durations.AFTER.match(text, end):
            word = unit["unit"] or unit["ending"]
            if number.weak and word.lower() in MOMENTS:
                return None
            if number.in_words and amount == 1 and _DEFINITE.search(text, 0, start):
                # "Sunday is the one day when we're closed" contains no duration.
                return None
            return Found(duration(amount, word), start, unit.end(), written)
        if number.weak:
            return None
        if following is not None and _RANGE.fullmatch(text, end, following.start):
            shared = self._as_following(number, following)
            if shared is not None:
                return Found(shared, start, end, written)
        if self._is_hour(number):
            return Found(ClockTime(int(amount), 0, half_said=False), start, end, written)
        return Found(Number(amount), start, end, written)

    def _as_following(self, number: NumberFound, following: Found) -> Value | None:
        match following.value:
            case Money(currency=currency):
                return Money(number.amount, currency)
            case Percent():
                return Percent(number.amount)
            case ClockTime() if number.amount <= _LAST_HOUR and number.amount == int(number.amount):
                # "from 7 to 10:30"
                return ClockTime(int(number.amount) % _LAST_HOUR, 0, half_said=number.amount > 12)
            case _:
                unit = durations.AFTER.search(self._left, following.start, following.end)
                return duration(number.amount, unit["unit"] or unit["ending"]) if unit is not None else None

    def _is_hour(self, number: NumberFound) -> bool:
        if number.amount > _LAST_HOUR or number.amount != int(number.amount) or number.amount < 1:
            return False
        before = self._text[max(0, number.start - 8) : number.start]
        return _HOUR_BEFORE.search(before) is not None and (
            _NOTHING_COUNTED.match(self._left, number.end) is not None
        )

    def _without_cents(self, found: list[Found]) -> list[Found]:
        """Join "12 Euro 50" and "twelve dollars fifty" into one amount."""
        joined: list[Found] = []
        for one in found:
            last = joined[-1] if joined else None
            cents = _cents(one.value)
            if (
                last is not None
                and cents
                and isinstance(last.value, Money)
                and last.value.amount == int(last.value.amount)
                and _AND_CENTS.fullmatch(self._left, last.end, one.start) is not None
                and self._left[last.end - 1] not in "0123456789"
            ):
                amount = last.value.amount + cents
                joined[-1] = Found(Money(amount, last.value.currency), last.start, one.end)
            else:
                joined.append(one)
        return joined


def _cents(value: Value) -> Decimal:
    """Returns the cents that a value means after a whole amount, or zero if the value cannot mean cents."""
    match value:
        case Number(amount=amount) if amount == int(amount) and _LEAST_CENTS <= amount <= _MOST_CENTS:
            return amount / 100
        case Money(amount=amount, currency=""):
            return amount
        case _:
            return Decimal(0)


def _stem_of(word: str) -> str:
    """Returns the number word in "einjährig" without its ending."""
    return "eins" if word == "ein" else word


_TWO_MONTHS: Final = 60
_FROM_TO: Final = re.compile(r"\.?\s?(?:-|–|—|to|through|until|till|bis)\s?(?:to\s)?")
_GROUPS: Final = (
    (re.compile(r"\b(?:weekdays|workdays|werktags|wochentags)\b", re.IGNORECASE), range(5)),
    (re.compile(r"\b(?:weekends?|wochenenden?)\b", re.IGNORECASE), range(5, 7)),
    (re.compile(r"\b(?:daily|every day|täglich|jeden tag)\b", re.IGNORECASE), range(7)),
)


def meant(found: Sequence[Found], today: date) -> Iterator[Value]:
    """Yields the possible meanings of a customer's short form: "the 15th" is the next one or the one after
    it, "10" may be an hour.
    """
    for one in found:
        match one.value:
            case Day(day=int(day), month=None):
                ahead = [today + timedelta(days=days) for days in range(_TWO_MONTHS)]
                yield from (Day(each.year, each.month, each.day) for each in ahead if each.day == day)
            case Number(amount=amount) if amount == int(amount) and 0 < amount <= _LAST_HOUR:
                yield ClockTime(int(amount) % _LAST_HOUR, 0, half_said=amount > _LAST_HOUR // 2)
            case _:
                pass


def weekday_range(text: str, found: Sequence[Found]) -> Iterator[Value]:
    """Yields the weekdays inside a range in a text: "Mon-Fri"."""
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
    """Yields the hours of a bare range in a text: "Mon-Fri 9-17"."""
    for one, other in pairwise(found):
        match (one.value, other.value):
            case Number(amount=first), Number(amount=last):
                if first <= 24 and last <= 24 and _FROM_TO.fullmatch(text, one.end, other.start):
                    for hour in (first, last):
                        yield ClockTime(int(hour) % 24, 0, half_said=hour > 12)
            case _:
                pass

"""The facts in a text or in data, in one comparable form, and whether one follows from others.

Summaries, replay checks and repetition compare these. The guardrails for facts use the typed values of
:mod:`assistant.language.reader` directly.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final, Literal, TypeAlias, assert_never

from assistant.language.numbers import amount_of, find_numbers
from assistant.language.reader import read
from assistant.language.sentences import sentences
from assistant.language.values import (
    Address,
    ClockTime,
    Data,
    Day,
    DaysAway,
    Duration,
    Found,
    Identifier,
    Money,
    Number,
    Percent,
    Person,
    Phone,
    Street,
)
from assistant.language.words import carries_meaning, words

_DIGITS: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"[^\W\d_][\w'’]*|\S")
_TITLE: Final = re.compile(r"\b(?:Herrn?|Frau|Dr\.|Prof\.|Familie)\s+((?:Dr\.\s+)?[^\W\d_][\w'’-]*)")
_CAPITALS: Final = re.compile(r"\b[A-ZÄÖÜ]{2,}\b")
_BEGIN_ANEW: Final = frozenset(':-*•–—“„"(')
_NO_NAMES: Final = frozenset({"ok", "mr", "mrs", "ms", "dr", "prof", "pm", "am", "id", "uhr"})
_NOON: Final = 12
_MASK: Final = "\0"
_FULL_DATE: Final = len("2026-11-24")

Kind: TypeAlias = Literal["number", "count", "time", "day", "name"]


@dataclass(frozen=True, slots=True)
class Value:
    """A fact. Equal if kind and form are equal; ``said`` is its notation in the text.

    Forms: a number without a sign and trailing zeros ("1234.5"); a time "14:00", or "2:00?" if the half of
    the day is unknown; a day "2026-11-24", "11-24", "w1" (Tuesday) or "m11" (November); a word of a name, an
    address or an identifier in lower case. A ``count`` is a number that data imply: the number of rows, and
    the sum of their amounts.
    """

    kind: Kind
    form: str
    said: str = field(default="", compare=False)


def values_in(text: str, locale: str = "en") -> frozenset[Value]:
    """Returns the facts that a text states.

    >>> sorted(value.form for value in values_in("You owe $1,234.50 to Anna on Tuesday, Nov 24th at 2 pm."))
    ['11-24', '1234.5', '14:00', 'anna', 'w1']
    """
    left, values = text, set[Value]()
    for found in read(text, locale):
        values.update(_values_found(found, text[found.start : found.end], locale))
        if not isinstance(found.value, Street | Person):
            # A character that is neither a letter nor a space keeps the words around it apart.
            left = f"{left[: found.start]}{_MASK * (found.end - found.start)}{left[found.end :]}"
    values.update(Value("name", word, name) for name in names_in(left, locale) for word in words(name))
    return frozenset(values)


def values_of(data: Data, locale: str = "en") -> frozenset[Value]:
    """Returns the facts in data and in its texts; each word of a text may be a name.

    >>> known = values_of([{"due": "2026-11-24", "amount": "10.00"}, {"due": "2026-12-01", "amount": "5.50"}])
    >>> sorted((value.kind, value.form) for value in known if value.kind == "count")
    [('count', '15.5'), ('count', '2')]
    """
    return frozenset(_values_of(data, locale))


def is_supported(value: Value, known: AbstractSet[Value]) -> bool:
    """Whether the value is known, or follows from known values.

    A date implies its weekday, month, day and year. A full hour may be given without minutes, and without the
    half of the day. "15 %" is 0.15 too. A small number may be a count, and any number a sum.
    """
    if value in known:
        return True
    match value.kind:
        case "name":
            return False
        case "time":
            return any(_same_time(value.form, other.form) for other in known if other.kind == "time")
        case "day":
            return any(_same_day(value.form, other.form) for other in known if other.kind == "day")
        case "number" | "count":
            return _number_follows(value, known)
        case _:
            assert_never(value.kind)


def names_in(text: str, locale: str = "en") -> Iterator[str]:
    """Yields the single words of names, as written.

    In English, words with a capital inside a sentence; a sentence's first word is ambiguous and is skipped.
    In German, where each noun has a capital, words after a title and words in capitals.

    >>> list(names_in("Please ask Anna Weber at our Berlin shop."))
    ['Anna', 'Weber', 'Berlin']
    >>> list(names_in("Ihr Termin ist bei Frau Weber, per DHL.", "de"))
    ['Weber', 'DHL']
    """
    found = _german_names(text) if locale.partition("-")[0] == "de" else _english_names(text)
    for word in found:
        name = re.sub(r"['’]s$", "", word)
        lowered = name.lower().replace("’", "'")
        if lowered not in _NO_NAMES and carries_meaning(lowered):
            yield name


def _german_names(text: str) -> Iterator[str]:
    yield from (found[1] for found in _TITLE.finditer(text))
    yield from (found[0] for found in _CAPITALS.finditer(text))


def _english_names(text: str) -> Iterator[str]:
    for sentence in sentences(text):
        begun = False
        for token in _WORD.findall(sentence):
            # After a colon, a bullet or a quotation mark, the capital only marks the beginning of a sentence.
            if token in _BEGIN_ANEW:
                begun = False
                continue
            if begun and token[0].isupper():
                yield token
            begun = True


def _values_found(found: Found, said: str, locale: str) -> Iterator[Value]:
    match found.value:
        case ClockTime() if said.isdecimal() or found.written == "words":
            # "at 3" may be an hour or a count.
            yield from _numbers(said, locale)
        case ClockTime(hour=hour, minute=minute, half_said=half_said):
            yield Value("time", f"{hour:02}:{minute:02}{'' if half_said else '?'}", said)
        case Day():
            yield from _day_forms(found.value, said)
        case Number(amount=amount) | Money(amount=amount) | Percent(amount=amount):
            yield Value("number", _plain(amount), said)
        case Phone(digits=digits):
            yield Value("number", _plain(Decimal(digits)), said)
        case Identifier(form=form) | Address(form=form):
            yield Value("name", form, said)
        case Duration() | Street():
            yield from _numbers(said, locale)
        case DaysAway() | Person():
            return
        case _:
            assert_never(found.value)


def _numbers(said: str, locale: str) -> Iterator[Value]:
    for number in find_numbers(said, locale):
        if not number.weak:
            yield Value("number", _plain(number.amount), said)


def _day_forms(day: Day, said: str) -> Iterator[Value]:
    if day.weekday is not None:
        yield Value("day", f"w{day.weekday}", said)
    if day.month is not None and day.day is not None:
        year = f"{day.year}-" if day.year is not None else ""
        yield Value("day", f"{year}{day.month:02}-{day.day:02}", said)
    elif day.month is not None:
        yield Value("day", f"m{day.month:02}", said)
        if day.year is not None:
            yield Value("number", str(day.year), said)
    elif day.day is not None:
        yield Value("number", str(day.day), said)


def _plain(amount: Decimal) -> str:
    """Returns a number without its sign and without zeros at its end.

    >>> _plain(Decimal("-150.00")), _plain(Decimal("1E+2"))
    ('150', '100')
    """
    shown = format(amount.copy_abs(), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _values_of(data: Data, locale: str) -> Iterator[Value]:
    match data:
        case None | bool():
            return
        case int() | float():
            yield Value("number", _plain(Decimal(str(data))), str(data))
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
            # "Your order 10482" refers to A-10482.
            yield from (Value("number", _plain(Decimal(digits))) for digits in _DIGITS.findall(value.form))


def _sums(data: Sequence[Data]) -> Iterator[str]:
    """Yields the sums of the fields that contain numbers in at least two rows, one sum for each field."""
    rows = [row for row in data if isinstance(row, Mapping)]
    for key in rows[0] if rows else ():
        numbers = [number for row in rows if (number := amount_of(row.get(key))) is not None]
        if len(numbers) > 1:
            yield _plain(sum(numbers, Decimal(0)))


def _number_follows(value: Value, known: AbstractSet[Value]) -> bool:
    hour = len(value.form) <= len(str(_NOON)) and value.form.isdecimal() and int(value.form) <= _NOON
    wanted = {value.form}
    if value.said.endswith("%"):
        wanted.add(_plain(Decimal(value.form) / 100))
    for other in known:
        match other.kind:
            case "number" if other.form in wanted:
                return True
            case "count" if other.form == value.form:
                return True
            case "day" if _day_holds(other.form, value.form):
                return True
            case "time" if hour and _same_time(f"{value.form}:00?", other.form):
                return True
            case _:
                pass
    return False


def _same_time(said: str, known: str) -> bool:
    """Whether both can be the same time: "2:00?" is 02:00 or 14:00."""
    if said.endswith("?") or known.endswith("?"):
        (hour, minute), (other_hour, other_minute) = _clock(said), _clock(known)
        return minute == other_minute and hour % 12 == other_hour % 12
    return said == known


def _clock(form: str) -> tuple[int, int]:
    hour, _, minute = form.rstrip("?").partition(":")
    return int(hour), int(minute)


def _same_day(said: str, known: str) -> bool:
    """Whether the stated day can be the known one, and the known one is not less precise."""
    if said.startswith("w"):
        return len(known) == _FULL_DATE and f"w{date.fromisoformat(known).weekday()}" == said
    if known.startswith(("w", "m")):
        return False
    if said.startswith("m"):
        return known[-5:-3] == said[1:]
    return known.endswith(said) or said.endswith(known)


def _day_holds(day: str, number: str) -> bool:
    """Whether the number is the day of the month, or the year."""
    if day.startswith(("w", "m")):
        return False
    return day[-2:].lstrip("0") == number or (len(day) == _FULL_DATE and day[:4] == number)

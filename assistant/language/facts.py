"""The facts in a text: numbers, times, days and names in one comparable form, and whether one follows from others.

Summaries, replay checks and repetition use this reader; guardrails use :mod:`assistant.language.reader`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final, Literal, TypeAlias, assert_never

from assistant.language.sentences import sentences
from assistant.language.words import carries_meaning, words

_MONTHS: Final = (
    "january januar jan jänner",
    "february februar feb",
    "march märz mar mrz",
    "april apr",
    "may mai",
    "june juni jun",
    "july juli jul",
    "august aug",
    "september sept sep",
    "october oktober oct okt",
    "november nov",
    "december dezember dec dez",
)
_WEEKDAYS: Final = (
    "monday montag mon",
    "tuesday dienstag tue tues",
    "wednesday mittwoch wed",
    "thursday donnerstag thu thur thurs",
    "friday freitag fri",
    "saturday samstag sonnabend",
    "sunday sonntag",
)
MONTHS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
WEEKDAYS: Final = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}


def _either(names: dict[str, int]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_WHOLE: Final = {name: number for name, number in MONTHS.items() if len(name) > 3 or name in {"may", "mai"}}
_MONTH: Final = rf"(?:{_either(MONTHS)})\b\.?"
_YEAR: Final = r"(?:,?\s+(?P<{}>(?:19|20)\d\d)\b)?"
DAYS: Final = re.compile(
    rf"(?P<iso>\b\d{{4}}-\d\d-\d\d)(?!\d)"
    rf"|\b(?P<day_first>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?(?P<month_after>{_MONTH}){_YEAR.format('year_a')}"
    rf"|\b(?P<month_first>{_MONTH})\s+(?:the\s+)?(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?\b(?![:.,]\d)"
    rf"{_YEAR.format('year_b')}"
    r"|\b(?P<dotted>\d{1,2}\.\d{1,2}\.(?:(?:\d\d){1,2}\b)?)"
    r"|\b(?P<slashed>\d{1,2}/\d{1,2}/\d{4})\b"
    rf"|\b(?P<weekday>{_either(WEEKDAYS)})s?\b"
    rf"|\b(?P<month>{_either(_WHOLE)})\b",
    re.IGNORECASE,
)
"""A day: by its date, by day and month, or by its weekday; or a month alone."""


def read_day(found: re.Match[str], locale: str = "en") -> str | None:
    """A day found by :data:`DAYS`: "2026-11-24", "11-24", "w0" for Monday, "m11"; None when there is none.

    A date with slashes is read the American way, except in German, and where only the other way is a date.
    """
    groups = {name: (value or "").lower() for name, value in found.groupdict().items()}
    if groups["iso"]:
        year, month, day = map(int, groups["iso"].split("-"))
        return _day(year, month, day)
    if groups["weekday"]:
        return f"w{WEEKDAYS[groups['weekday']]}"
    if groups["month"]:
        # "may" and "march" are months with a capital only.
        return f"m{MONTHS[groups['month']]:02}" if found["month"][0].isupper() else None
    if groups["dotted"]:
        day, month, year = groups["dotted"].split(".")
        # "3.10." ends an English sentence with a number.
        return _day(_full(year), int(month), int(day)) if year or _german(locale) else None
    if groups["slashed"]:
        first, second, year = map(int, groups["slashed"].split("/"))
        swapped = _german(locale) or first > 12
        return _day(year, second, first) if swapped else _day(year, first, second)
    name = (groups["month_after"] or groups["month_first"]).rstrip(".")
    year = groups["year_a"] or groups["year_b"] or ""
    return _day(_full(year), MONTHS[name], int(groups["day_first"] or groups["day_after"]))


def weekday_of(day: str) -> str:
    """The weekday of a full date.

    >>> weekday_of("2026-11-24")
    'w1'
    """
    return f"w{date.fromisoformat(day).weekday()}"


def _german(locale: str) -> bool:
    return locale.partition("-")[0] == "de"


def _full(year: str) -> int | None:
    return int(year) + (2000 if len(year) == 2 else 0) if year else None


def _day(year: int | None, month: int, day: int) -> str | None:
    try:
        # A leap year stands in for one that is not said.
        read = date(year or 2024, month, day)
    except ValueError:
        return None
    return read.isoformat() if year else f"{month:02}-{day:02}"


NUMBER: Final = re.compile(r"\d+(?:[.,'’\u00a0\u202f]\d{3})*(?:[.,]\d+)?(?:\s?%)?")
"""A number as people write it: "7", "1,234.50", "1.234,50", "1'234", "15 %"."""

NUMBER_WORDS: Final[dict[str, int]] = {
    word: number
    for number, both in enumerate(
        (
            "two zwei",
            "three drei",
            "four vier",
            "five fünf",
            "six sechs",
            "seven sieben",
            "eight acht",
            "nine neun",
            "ten zehn",
            "eleven elf",
            "twelve zwölf",
        ),
        start=2,
    )
    for word in both.split()
}
"""Small numbers in words, English and German. "One" is not among them: it mostly means no number."""


def plain_number(value: Decimal) -> str:
    """A number without what does not count: sign, zeros at either end, exponent.

    >>> plain_number(Decimal("-150.00")), plain_number(Decimal("1E+2"))
    ('150', '100')
    """
    shown = format(value.copy_abs(), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def read_number(text: str, locale: str = "en") -> str:
    """What a written number says. The last of two kinds of separators is the decimal one.

    A single separator before three digits ("1.234") is read as the locale's.

    >>> read_number("1,234.50"), read_number("1.234,50"), read_number("1.234", "de"), read_number("1.234")
    ('1234.5', '1234.5', '1234', '1.234')
    """
    digits = re.sub(r"['’\s%]", "", text)
    marks = [char for char in digits if char in ".,"]
    if not marks:
        return plain_number(Decimal(digits))
    last = marks[-1]
    grouped = len(digits) - digits.rfind(last) == 4
    thousands = "." if locale.partition("-")[0] == "de" else ","
    if marks.count(last) > 1 or (grouped and len(set(marks)) == 1 and last == thousands):
        return plain_number(Decimal(digits.replace(last, "")))
    whole, _, fraction = digits.rpartition(last)
    return plain_number(Decimal(re.sub(r"[.,]", "", whole) + "." + fraction))


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


# Every part is bounded, so that no text of whatever kind takes longer than its length.
ADDRESSES: Final = re.compile(
    r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
    r"|\b(?:https?://|www\.)[^\s<>\"')\]]{0,500}[^\s<>\"')\].,;:!?]"
    r"|(?<![\w-])[\w-]{1,63}\.(?:com|org|net|de|eu)\b",
    re.IGNORECASE,
)
"""An e-mail address or a link."""

IDENTIFIERS: Final = re.compile(
    r"(?<![\w-])(?:[^\W\d_]{1,20}[-_/]?(?=\d)|\d{1,20}[-_/]?(?=[A-Z])|#)[^\W_]{1,40}(?:[-_/][^\W_]{1,40}){0,4}"
)
"""A word with digits in it, such as an order's number; "24th" and "3-day" are none."""

_WORD: Final = re.compile(r"[^\W\d_][\w'’]*|\S")
_TITLE: Final = re.compile(r"\b(?:Herrn?|Frau|Dr\.|Prof\.|Familie)\s+((?:Dr\.\s+)?[^\W\d_][\w'’-]*)")
_CAPITALS: Final = re.compile(r"\b[A-ZÄÖÜ]{2,}\b")
_BEGIN_ANEW: Final = frozenset(':-*•–—“„"(')
_NO_NAMES: Final = frozenset({"ok", "mr", "mrs", "ms", "dr", "prof", "pm", "am", "id", "uhr"})


def names_in(text: str, locale: str = "en") -> Iterator[str]:
    """The single words of names, as they are written.

    In English what has a capital within a sentence; a sentence's first word is not told from any other. In
    German, where every noun has a capital, what follows a title and what is in capitals throughout.

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
            # After a colon, a bullet or a quotation mark a capital begins something, and names nothing.
            if token in _BEGIN_ANEW:
                begun = False
                continue
            if begun and token[0].isupper():
                yield token
            begun = True


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


_LAST_HOUR: Final = 12
_FULL_DATE: Final = len("2026-11-24")


def is_supported(value: Value, known: AbstractSet[Value]) -> bool:
    """Whether the value is known, or follows from what is.

    A date gives its weekday, its month, its day and its year; an hour may be said without minutes, and
    without the half of the day; "15 %" is 0.15 too; a small number may be how many there are, and any
    number what they come to.
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


def _number_follows(value: Value, known: AbstractSet[Value]) -> bool:
    hour = (
        len(value.form) <= len(str(_LAST_HOUR)) and value.form.isdecimal() and int(value.form) <= _LAST_HOUR
    )
    wanted = {value.form}
    if value.said.endswith("%"):
        wanted.add(plain_number(Decimal(value.form) / 100))
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
    """Whether both can be meant: "2:00?" is 02:00 or 14:00."""
    if said.endswith("?") or known.endswith("?"):
        (hour, minute), (other_hour, other_minute) = _clock(said), _clock(known)
        return minute == other_minute and hour % 12 == other_hour % 12
    return said == known


def _clock(form: str) -> tuple[int, int]:
    hour, _, minute = form.rstrip("?").partition(":")
    return int(hour), int(minute)


def _same_day(said: str, known: str) -> bool:
    """Whether the day that was said can be the known one, and is no less certain."""
    if said.startswith("w"):
        return len(known) == _FULL_DATE and weekday_of(known) == said
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

"""What the results, texts and messages of a conversation state, and whether a value follows from it.

A :class:`Source` holds the values of one result or text, read once. A source proves a value if it states the
same value in any notation, states it more exactly, or contains amounts of which it is the sum, difference,
product or share.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Final, Literal, TypeAlias

import orjson

from assistant.language.addresses import identifier_form
from assistant.language.dates import WEEKDAYS, away, on_calendar
from assistant.language.durations import UNIT_WORDS, duration
from assistant.language.numbers import amount_of, plain, word_list
from assistant.language.reader import hours, is_worth_reading, meant, read, weekday_range
from assistant.language.stated import stated_by
from assistant.language.values import (
    ClockTime,
    Data,
    Day,
    DaysAway,
    Duration,
    Identifier,
    Money,
    Number,
    Percent,
    Person,
    Phone,
    Value,
)
from assistant.language.worked_out import LARGEST_COUNT, Terms, days_between, nights_between, terms_of

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
    """Yields the possible values of a number in JSON; the key may name its unit."""
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
    # "price_a_night" is an amount, whatever its unit.
    yield Number(amount)


def _moment(number: int) -> datetime | None:
    """Returns the moment of a Unix timestamp in seconds or milliseconds, or None for an implausible number."""
    seconds = number / 1000 if number > 10**11 else number
    return datetime.fromtimestamp(seconds, UTC) if 10**9 <= seconds < 4 * 10**9 else None


def values_of_identifier(text: str) -> Iterator[Value]:
    """Yields an identifier, and the telephone number that it may also be.

    Seven digits are enough for a telephone number.
    """
    form = identifier_form(text)
    yield Identifier(form)
    digits = re.sub(r"\D", "", text)
    if len(digits) >= _LEAST_PHONE:
        yield Phone(digits)


@lru_cache(maxsize=2048)
def is_numbered(key: str) -> bool:
    """Whether a field holds a reference number, not an amount."""
    return not key_words(key).isdisjoint(_NUMBERED)


@lru_cache(maxsize=2048)
def key_words(key: str) -> frozenset[str]:
    """Returns the words of a field's name; results have few names, again and again.

    >>> sorted(key_words("pricePerNight")), sorted(key_words("due_date"))
    (['night', 'per', 'price'], ['date', 'due'])
    """
    return frozenset(word.lower() for word in _KEY_WORDS.findall(key))


MOST_CHARACTERS: Final = 32_000
"""The limit for one result."""

_MOST_RECORDS: Final = 200
"""The rows of a longer list are no records, and its columns have no sums: this would take 20 ms for 2,000 rows."""

_FEW: Final = 6
"""Up to this number of amounts, any two may be added, subtracted or multiplied."""

_STATES: Final = frozenset({"status", "state", "stage", "zustand"})
_NUMERIC: Final = ("-", *"0123456789")
"""How a text begins that is only a number, a date or a time."""

_DECIMAL: Final = re.compile(r"-?\d{1,18}(?:\.\d{1,6})?")
_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_CLOCK: Final = re.compile(r"([01]\d|2[0-4]):([0-5]\d)(?::\d\d)?")
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_HALF: Final = re.compile(r"\b(?:half|halbe[nrms]?|hälfte)\b", re.IGNORECASE)
_DIGIT_GROUPS: Final = re.compile(r"\d+")
# The number of a record and nothing else. A longer word may be a month or a currency.
_CODE: Final = re.compile(r"[a-zA-Z]-?\d{2,20}")
_DAY_MINUTES: Final = 24 * 60


@dataclass(eq=False)
class Record:
    """One object of a list in a result. ``group`` is the number of the list; records of one list are
    siblings. A list with more than ``_MOST_RECORDS`` rows has none.

    ``row`` is the object, ``texts`` are its texts, each with the name of its field, and ``labels`` are words for
    these texts in the customer's language, each with the names of the fields.
    """

    group: int
    row: Mapping[str, Data] = field(default_factory=dict[str, Data])
    values: set[Value] = field(default_factory=set[Value])
    texts: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    amounts: list[Decimal] = field(default_factory=list[Decimal])
    labels: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _implied: AbstractSet[Value] | None = None

    @cached_property
    def words(self) -> Mapping[str, AbstractSet[str]]:
        """The words of the record's texts, each with the names of the fields that contain it."""
        found = {word: set(keys) for word, keys in self.labels.items()}
        for text, key in self.texts:
            for word in _WORDS.findall(text.lower()):
                found.setdefault(word, set()).add(key)
        return found

    def implied(self, today: date) -> AbstractSet[Value]:
        """The nights between the days of the record, and its amounts for one of them."""
        if self._implied is None:
            nights = set(nights_between(dates_of(self.values, today)))
            self._implied = {
                *(Duration(each, "night") for each in nights),
                *(Money(plain(amount / each), "") for amount in self.amounts for each in nights),
            }
        return self._implied


Kind: TypeAlias = Literal["result", "document", "message"]


class Source:
    """The values of one result, or of a text.

    ``is_cut``: whether some of the data was not read. ``counted``: the whole numbers of its fields, by field
    name. ``rows``: how many rows its lists have together; None without a list.

    Args:
        data: JSON, or a text.
        today: the date from which "tomorrow" in the data is counted.
        locale: how its texts write numbers.
        kind: a customer's "message" also gives factors: its numbers of guests and nights. A "document" has no
            groups of records, because the words of a passage do not show what a value belongs to.
        most: the number of characters to read. Values beyond them are found only by searching the data for the same
            notation.
    """

    def __init__(
        self,
        data: Data,
        today: date,
        locale: str = "en",
        kind: Kind = "result",
        *,
        most: int = MOST_CHARACTERS,
    ) -> None:
        self.data, self._today, self._locale, self.kind = data, today, locale, kind
        self.values: set[Value] = set()
        self.records: list[Record] = []
        self.counted: dict[str, set[Decimal]] = {}
        self.rows: int | None = None
        self._columns: list[list[Decimal]] = []
        self._counts: set[int] = set()
        self._most = self._left = most
        self.is_cut = False
        self._groups = 0
        self._amounts: set[Decimal] = set()
        self._multipliers: set[Decimal] = set()
        self._walk(data, "", ())

    def states(self, value: Value, written: str) -> bool:
        """Whether the source states the value, or implies it. ``written`` is the value's notation in the
        sentence.
        """
        return (
            value in self.values
            or stated_by(value, self._by_type, self._today)
            or self._follows(value)
            or (self.is_cut and self._word_for_word(written))
        )

    @property
    def characters(self) -> int:
        """The number of characters that were read."""
        return self._most - self._left

    @cached_property
    def _by_type(self) -> Mapping[type[Value], Sequence[Value]]:
        found: dict[type[Value], list[Value]] = {}
        for value in self.values:
            found.setdefault(type(value), []).append(value)
        return found

    @cached_property
    def groups(self) -> list[list[Record]]:
        """The lists of the data with at least two records."""
        found: dict[int, list[Record]] = {}
        if self.kind == "document":
            return []
        for record in self.records:
            found.setdefault(record.group, []).append(record)
        return [group for group in found.values() if len(group) > 1]

    @cached_property
    def terms(self) -> Terms:
        """The terms for calculations; counts in the texts of documents are not used as factors."""
        found = terms_of((value for value in self.values if not isinstance(value, Number)), self._today)
        nights = {
            each
            for record in self.records or [Record(0, values=self.values)]
            for each in nights_between(self._dates(record.values))
        }
        return replace(
            found,
            amounts=found.amounts | self._amounts,
            counts=frozenset(self._multipliers | nights),
            apart=self._between_rows,
        )

    def _follows(self, value: Value) -> bool:
        match value:
            case Money(amount=amount):
                return amount in self.sums
            case Number(amount=amount):
                return amount in self.sums or (amount == int(amount) and int(amount) in self._counts)
            case Duration():
                return self._between_dates(value)
            case Person(name=name):
                return not self._words.isdisjoint((name, name.removesuffix("s")))
            case _:
                return False

    @cached_property
    def _raw(self) -> str:
        return self.data if isinstance(self.data, str) else orjson.dumps(self.data, default=str).decode()

    @cached_property
    def _words(self) -> AbstractSet[str]:
        """All words of the texts: a name may stand there without a title."""
        return frozenset(_WORDS.findall(self._raw.replace("\\n", " ").lower()))

    @cached_property
    def sums(self) -> AbstractSet[Decimal]:
        """Sums, averages, differences and products of amounts that belong to one record or one column."""
        found: set[Decimal] = set()
        for column in self._columns:
            total = sum(column, Decimal(0))
            found |= {total, total / len(column)}
            if len(column) <= _FEW:
                found.update(_of_two(column))
        for record in self.records:
            if 1 < len(record.amounts) <= _FEW:
                found.update(_of_two(record.amounts))
                found.update(one * other for one, other in combinations(record.amounts, 2))
        for group in self.groups:
            found.update(self._of_two_a_night(group))
        return {plain(abs(one)) for one in found}

    def _of_two_a_night(self, rows: Sequence[Record]) -> Iterator[Decimal]:
        """Yields the differences of the prices per night between two rows, if the rows give the price of all
        nights.
        """
        if len(rows) > _FEW:
            return
        nights = [next(nights_between(self._dates(row.values)), Decimal(1)) for row in rows]
        for amounts in zip(*(row.amounts for row in rows), strict=False):
            yield from _of_two([amount / count for amount, count in zip(amounts, nights, strict=True)])

    def _between_dates(self, value: Duration) -> bool:
        """Whether a duration is the time from today to a known day, or between two days of the same record."""
        days = self._dates(self.values)
        if value.unit == "month":
            years = value.amount / 12
            return value.amount % 12 == 0 and any(
                (abs(self._today - day).days + 1) * 4 // 1461 == years for day in days
            )
        count = value.amount if value.unit == "night" else value.amount / _DAY_MINUTES
        if count != int(count):
            return False
        if value.unit == "minute" and any(abs((day - self._today).days) == count for day in days):
            return True
        return int(count) in self._apart

    @cached_property
    def _apart(self) -> AbstractSet[int]:
        """The numbers of days between any two days of one record."""
        return self._days_between([record.values for record in self.records] or [self.values])

    @cached_property
    def _between_rows(self) -> AbstractSet[int]:
        """The numbers of days between any two days of one list."""
        lists: dict[int, set[Value]] = {}
        for record in self.records:
            lists.setdefault(record.group, set()).update(record.values)
        return self._days_between(lists.values())

    def _days_between(self, together: Iterable[AbstractSet[Value]]) -> AbstractSet[int]:
        return frozenset[int]().union(*(days_between(self._dates(values)) for values in together))

    def _dates(self, values: Iterable[Value]) -> list[date]:
        return dates_of(values, self._today)

    def _word_for_word(self, written: str) -> bool:
        """Whether the notation occurs in the raw data, for data that was too large to be read completely."""
        said = written.strip().strip("$€£# ")
        return (
            any(char.isdigit() for char in said)
            and said in self._raw
            and re.search(rf"(?<![\d]){re.escape(said)}(?![\d])", self._raw) is not None
        )

    def _walk(self, data: Data, key: str, within: tuple[Record, ...]) -> None:
        if self._left <= 0:
            self.is_cut = True
            return
        match data:
            case None | bool():
                pass
            case int() | float():
                self._number(data, key, within)
            case str():
                self._string(data, key, within)
            case Mapping():
                for name, one in data.items():
                    if _is_value(name):
                        self._name(name, within)
                    self._walk(one, name, within)
            case _:
                self._list(data, key, within)

    def _name(self, name: str, within: tuple[Record, ...]) -> None:
        if (weekday := WEEKDAYS.get(name.lower())) is not None:
            self._add([Day(weekday=weekday)], within)
        else:
            self._string(name, "", within)

    def _list(self, rows: Sequence[Data], key: str, within: tuple[Record, ...]) -> None:
        self._counts.add(len(rows))
        self.rows = (self.rows or 0) + len(rows)
        self._groups += 1
        group = self._groups
        for row in rows:
            if self._left <= 0:
                self.is_cut = True
                break
            if isinstance(row, Mapping) and len(rows) <= _MOST_RECORDS:
                record = Record(group, row)
                self.records.append(record)
                self._walk(row, key, (*within, record))
            else:
                self._walk(row, key, within)
        self._add_columns([row for row in rows if isinstance(row, Mapping)])

    def _add_columns(self, rows: Sequence[Mapping[str, Data]]) -> None:
        """Collect the amounts of each field: of all rows, and of the rows with the same value in another field."""
        if len(rows) < 2 or len(rows) > _MOST_RECORDS:
            return
        numeric = [key for key in rows[0] if not is_numbered(key) and amount_of(rows[0][key]) is not None]
        alike = [
            key for key, value in rows[0].items() if isinstance(value, str | bool) and key not in numeric
        ]
        for key in numeric:
            amounts = [(row, amount_of(row.get(key))) for row in rows]
            column = [amount for _, amount in amounts if amount is not None]
            self._columns.append(column)
            for other in alike:
                groups: dict[Data, list[Decimal]] = {}
                for row, amount in amounts:
                    value = row.get(other)
                    if amount is not None and isinstance(value, str | bool):
                        groups.setdefault(value, []).append(amount)
                if len(groups) < len(rows):
                    self._columns += [group for group in groups.values() if len(group) > 1]

    def _number(self, data: int | float, key: str, within: tuple[Record, ...]) -> None:
        written = str(data)
        self._left -= len(written)
        try:
            amount = plain(abs(Decimal(written)))
        except InvalidOperation:
            return
        self._add(values_of_number(amount, key), within)
        if not is_numbered(key):
            if amount == int(amount) and key.isidentifier() and isinstance(data, int):
                self.counted.setdefault(key.lower(), set()).add(amount)
            self._add_amount(amount)
            for record in within:
                record.amounts.append(amount)

    def _add_amount(self, amount: Decimal, *, counts: bool = True) -> None:
        self._amounts.add(amount)
        if counts and amount == int(amount) and 1 < amount <= LARGEST_COUNT:
            self._multipliers.add(amount)

    def _string(self, text: str, key: str, within: tuple[Record, ...]) -> None:
        text = text if len(text) <= self._left else self._shorten(text)
        self._left -= len(text)
        if not text.startswith(_NUMERIC):
            self._text(text, key, within)
        elif _DECIMAL.fullmatch(text):
            if is_numbered(key) or (text[0] == "0" and text[1:2].isdigit()):
                self._add(values_of_identifier(text), within)
            else:
                amount = plain(abs(Decimal(text)))
                self._add(values_of_number(amount, key), within)
                self._add_amount(amount, counts="." not in text)
                for record in within:
                    record.amounts.append(amount)
        elif iso := _ISO.fullmatch(text):
            year, month, day, hour, minute = iso.groups()
            values: list[Value] = [Day(year=int(year), month=int(month), day=int(day))]
            if hour:
                values.append(ClockTime(int(hour) % 24, int(minute)))
            self._add(values, within)
        elif clock := _CLOCK.fullmatch(text):
            self._add([ClockTime(int(clock[1]) % 24, int(clock[2]))], within)
        else:
            self._text(text, key, within)

    def _shorten(self, text: str) -> str:
        self.is_cut = True
        return text[: self._left]

    def _text(self, text: str, key: str, within: tuple[Record, ...]) -> None:
        if within and not _is_state(key):
            for record in within:
                record.texts.append((text, key))
        if is_numbered(key) and len(text) <= 40:
            self._add(values_of_identifier(text), within)
            if _CODE.fullmatch(text):
                return
        if is_worth_reading(text):
            found = read(text, self._locale)
            numbers = [one.value.amount for one in found if isinstance(one.value, Number)]
            self._amounts.update(numbers)
            if self.kind == "message":
                self._multipliers |= terms_of((one.value for one in found), self._today).counts
                self._add(meant(found, self._today), within)
            if _HALF.search(text):
                self._add([Percent(Decimal(50))], within)
            values = (_settled(one.value, self._today) for one in found)
            self._add([*values, *weekday_range(text, found), *hours(text, found)], within)

    def _add(self, values: Iterable[Value], within: tuple[Record, ...]) -> None:
        for value in values:
            self.values.add(value)
            if isinstance(value, Identifier):
                self.values.update(map(Identifier, _DIGIT_GROUPS.findall(value.form)))
            elif isinstance(value, Phone):
                self.values.update(map(Identifier, _DIGIT_GROUPS.findall(value.digits)))
            for record in within:
                record.values.add(value)


def dates_of(values: Iterable[Value], today: date) -> list[date]:
    """Returns the days among these values that are complete."""
    days = (on_calendar(value, today) for value in values if isinstance(value, Day))
    return list({day for day in days if day is not None})[:64]


@lru_cache(maxsize=2048)
def _is_value(key: str) -> bool:
    """Whether the name of a field is itself a value: a weekday, a date."""
    return key.lower() in WEEKDAYS or _DIGIT_GROUPS.search(key) is not None


@lru_cache(maxsize=2048)
def _is_state(key: str) -> bool:
    return not key_words(key).isdisjoint(_STATES)


def _settled(value: Value, today: date) -> Value:
    """Turn "tomorrow" into a date."""
    return away(value.days, today) if isinstance(value, DaysAway) else value


def _of_two(amounts: Sequence[Decimal]) -> Iterator[Decimal]:
    for one, other in combinations(amounts, 2):
        yield one + other
        yield one - other

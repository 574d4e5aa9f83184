"""Values that follow from others by simple arithmetic: sums, products, days before or after a day."""

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from functools import reduce
from itertools import combinations, product
from typing import Final

from assistant.language.dates import on_calendar
from assistant.language.numbers import plain
from assistant.language.values import ClockTime, Day, DaysAway, Duration, Money, Number, Percent, Value

LARGEST_COUNT: Final = 31
"""A whole number up to this may be a factor of an amount."""

_SMALL: Final = 12
"""A number without a unit up to this is a count and not an amount."""

_FEW: Final = 6
_MOST: Final = 24
"""Above these numbers of terms, no pairs are calculated, because there would be too many."""

_DAY_MINUTES: Final = 24 * 60
_MONTH_DAYS: Final = 30
_LONGEST_DAYS: Final = 400
_ROUNDED: Final = {7: 3, 30: 7}
"""The tolerance in days for durations in weeks (7) and in months (30), which may be rounded. A week has one day."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms for calculations.

    ``counts``: whole numbers; ``lengths``: in days; ``minutes``: times of day; ``sums``: sums and differences
    of two amounts of different sources; ``spans``: durations of less than a day, in minutes; ``apart``:
    numbers of days between two rows of a list.
    """

    amounts: AbstractSet[Decimal] = field(default_factory=frozenset[Decimal])
    counts: AbstractSet[Decimal] = field(default_factory=frozenset[Decimal])
    shares: AbstractSet[Decimal] = field(default_factory=frozenset[Decimal])
    days: AbstractSet[date] = field(default_factory=frozenset[date])
    weekdays: AbstractSet[int] = field(default_factory=frozenset[int])
    lengths: AbstractSet[Decimal] = field(default_factory=frozenset[Decimal])
    minutes: AbstractSet[int] = field(default_factory=frozenset[int])
    sums: AbstractSet[Decimal] = field(default_factory=frozenset[Decimal])
    spans: AbstractSet[int] = field(default_factory=frozenset[int])
    apart: AbstractSet[int] = field(default_factory=frozenset[int])

    def __or__(self, other: "Terms") -> "Terms":
        few = len(self.amounts) <= _MOST and len(other.amounts) <= _FEW
        pairs = product(self.amounts, other.amounts) if few else ()
        sums = {each for one, another in pairs for each in (one + another, abs(one - another))}
        return Terms(
            self.amounts | other.amounts,
            self.counts | other.counts,
            self.shares | other.shares,
            self.days | other.days,
            self.weekdays | other.weekdays,
            self.lengths | other.lengths,
            self.minutes | other.minutes,
            self.sums | other.sums | sums,
            self.spans | other.spans,
            self.apart | other.apart,
        )


NO_TERMS: Final = Terms()


def together(terms: Iterable[Terms]) -> Terms:
    """Combine the terms of several sources, with the sums and differences between them."""
    return reduce(Terms.__or__, terms, NO_TERMS)


def terms_of(values: Iterable[Value], today: date) -> Terms:
    """Collect the amounts, counts, days and durations among facts, and the nights between the days."""
    amounts, counts, shares = set[Decimal](), set[Decimal](), set[Decimal]()
    days, weekdays, lengths, minutes = set[date](), set[int](), set[Decimal](), set[int]()
    spans = set[int]()
    for value in values:
        match value:
            case Money(amount=amount):
                amounts.add(amount)
            case Number(amount=amount):
                whole = amount == int(amount)
                if not whole or amount > _SMALL:
                    amounts.add(amount)
                if whole and 1 < amount <= LARGEST_COUNT:
                    counts.add(amount)
            case Percent(amount=amount):
                shares.add(amount)
            case Duration():
                if (length := in_days(value)) is not None:
                    lengths.add(length)
                elif value.unit == "minute" and value.amount < _DAY_MINUTES:
                    spans.add(int(value.amount))
                if (count := _counted(value)) is not None:
                    counts.add(count)
            case Day(day=None, month=None, weekday=int(weekday)):
                weekdays.add(weekday)
            case Day():
                if (day := on_calendar(value, today)) is not None:
                    days.add(day)
            case DaysAway(days=away):
                days.add(today + timedelta(days=away))
            case ClockTime(hour=hour, minute=minute):
                minutes.add(hour * 60 + minute)
            case _:
                pass
    counts.update(nights_between(days))
    return Terms(amounts, counts, shares, days, weekdays, lengths, minutes, spans=spans)


def nights_between(days: Iterable[date]) -> Iterator[Decimal]:
    """Yields the numbers of nights between any two of these days, up to ``LARGEST_COUNT``."""
    for one, other in combinations(sorted(days)[:_MOST], 2):
        nights = (other - one).days
        if 1 < nights <= LARGEST_COUNT:
            yield Decimal(nights)


def days_between(days: Iterable[date]) -> frozenset[int]:
    """Returns the numbers of days between any two of these days.

    >>> sorted(days_between([date(2026, 12, 1), date(2026, 12, 4), date(2026, 12, 13)]))
    [3, 9, 12]
    """
    return frozenset((other - one).days for one, other in combinations(sorted(days)[:_MOST], 2))


def in_days(length: Duration) -> Decimal | None:
    """Returns a duration in days, with 30 days for a month.

    Returns None if the number of days is not whole, or larger than ``_LONGEST_DAYS``.
    """
    match length.unit:
        case "night":
            days = length.amount
        case "month":
            days = length.amount * _MONTH_DAYS
        case "minute":
            days = length.amount / _DAY_MINUTES
    return plain(days) if days == int(days) and 0 < days <= _LONGEST_DAYS else None


def _counted(length: Duration) -> Decimal | None:
    count = length.amount / _DAY_MINUTES if length.unit == "minute" else length.amount
    return plain(count) if count == int(count) and 1 < count <= LARGEST_COUNT else None


def is_worked_out(
    value: Value, said: Terms, known: Terms, today: date, named: AbstractSet[Decimal] = frozenset()
) -> bool:
    """Whether a value can be calculated from values that are ``said`` with it and values that are ``known``.

    ``named`` are the durations in the value's own sentence, in days. If there are any, a day must be one of
    them away from another day.
    """
    match value:
        case Money(amount=amount):
            return _is_amount(amount, said, known)
        case Number(amount=amount):
            return _is_amount(amount, said, known)
        case Percent(amount=amount):
            return any(
                amount * whole == part * 100 or (100 - amount) * whole == part * 100
                for whole in said.amounts | known.amounts
                for part in said.amounts
            ) or (100 - amount in said.shares | known.shares)
        case Duration():
            return _is_length(value, said, known, today)
        case Day():
            return _is_day(value, said, known, today, named)
        case ClockTime(hour=hour, minute=minute):
            return _is_time(hour * 60 + minute, said, known)
        case _:
            return False


def _is_amount(amount: Decimal, said: Terms, known: Terms) -> bool:
    """Whether an amount is a sum, difference, multiple, fraction or percentage of other amounts."""
    if not amount:
        return False
    everything = set(said.amounts) | set(known.amounts)
    counts = {*said.counts, *known.counts}
    times = counts | {one * other for one in said.counts for other in counts}
    for one in everything:
        if one and amount / one in times:
            return True
        # "A night is $129.00" of a stay. A known amount may be divided only by factors of its own source.
        parts = said.counts | known.counts if one in said.amounts else known.counts
        if any(round(one / count, 2) == amount for count in parts):
            return True
        if any(amount * 100 in (one * share, one * (100 - share)) for share in said.shares | known.shares):
            return True
    if amount in known.sums:
        return True
    for one in said.amounts:
        if one != amount and not everything.isdisjoint((amount - one, amount + one, one - amount)):
            return True
    if any(
        abs(one - other) * count == amount
        for one, other in combinations(said.amounts, 2)
        for count in said.counts
    ):
        return True
    # A product that occurs only inside a sum: two nights plus the breakfast. The "two" of "two invoices" is none.
    nights = {*said.lengths, *known.counts}
    return any(
        one and (amount - other) / one in nights
        for other in said.amounts
        if other != amount
        for one in said.amounts
    )


def _is_time(minute: int, said: Terms, known: Terms) -> bool:
    """Whether a time is a known span before or after another time.

    At least one of the two must be ``said``.
    """
    pairs = [*product(said.minutes, said.spans | known.spans), *product(known.minutes, said.spans)]
    return any(
        minute in ((start + span) % _DAY_MINUTES, (start - span) % _DAY_MINUTES) for start, span in pairs
    )


def _is_sum(amount: Decimal, counts: AbstractSet[Decimal]) -> bool:
    return any(amount in (one + other, abs(one - other)) for one, other in combinations(counts, 2))


def _is_length(value: Duration, said: Terms, known: Terms, today: date) -> bool:
    if value.unit == "minute" and value.amount < _DAY_MINUTES:
        times = said.minutes | known.minutes
        return any(abs(one - other) == value.amount for one, other in combinations(times, 2))
    if value.unit == "minute" and value.amount % (7 * _DAY_MINUTES) == 0:
        slack = min(_ROUNDED[7], int(value.amount) // (7 * _DAY_MINUTES))
    else:
        slack = _ROUNDED[30] if value.unit == "month" else 0
    length = in_days(value)
    if length is None:
        return False
    # A stated weekday means the known day of that weekday.
    near = {*said.days, *(day for day in known.days if day.weekday() in said.weekdays), today}
    apart = {abs((one - other).days) for one in near for other in near} | said.apart
    apart |= {abs((one - today).days) for one in known.days}
    if any(abs(days - length) <= slack for days in apart if days > slack):
        return True
    passed = {Decimal(days) for days in apart}
    lengths = said.lengths | known.lengths | passed
    if any(abs(one - length) <= slack for one in lengths if slack):
        return True
    # "20 days are left" of 30, of which 10 have passed.
    if any(length in (one + other, abs(one - other)) for one, other in combinations(said.lengths, 2)):
        return True
    if any(length == one - other for one in known.lengths | said.lengths for other in passed if other):
        return True
    if value.unit != "night":
        return False
    counts = said.counts | known.counts
    return (
        length in counts
        or _is_sum(length, said.counts)
        or any(abs(one - other) == length for one, other in combinations(counts, 2))
    )


def _is_day(value: Day, said: Terms, known: Terms, today: date, named: AbstractSet[Decimal]) -> bool:
    """Whether a day is a known length before or after another day, or a known weekday within two weeks."""
    day = on_calendar(value, today)
    if day is not None:
        if value.weekday is not None and value.weekday != day.weekday():
            return False
        if day.weekday() in known.weekdays and abs((day - today).days) <= 14:
            return True
        if named:
            return _is_away(day, {*known.days, *said.days, today}, {int(one) for one in named})
        counted = {int(one) for one in known.lengths}
        return _is_away(day, known.days, counted) or _is_away(
            day, said.days | {today}, counted | {int(one) for one in said.lengths}
        )
    if value.day is None and value.month is None:
        return False
    bases = {*said.days, *known.days, today}
    return any(
        (value.day is None or other.day == value.day) and (value.month is None or other.month == value.month)
        for base in bases
        for length in said.lengths
        for other in (base + timedelta(days=int(length)), base - timedelta(days=int(length)))
        if value.weekday is None or value.weekday == other.weekday()
    )


def _is_away(day: date, bases: AbstractSet[date], lengths: AbstractSet[int]) -> bool:
    """Whether the day is one of the lengths before or after one of these days. Calendar months count, too."""
    return any(abs((day - base).days) in lengths or _months_apart(day, base, lengths) for base in bases)


def _months_apart(day: date, base: date, lengths: AbstractSet[int]) -> bool:
    months = (day.year - base.year) * 12 + day.month - base.month
    return day.day == base.day and months != 0 and abs(months) * _MONTH_DAYS in lengths

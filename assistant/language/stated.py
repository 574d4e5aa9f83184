"""Whether known values contain a value, in any notation, or one that is more exact."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Final, TypeAlias, TypeVar, assert_never, cast

from assistant.language.dates import away, same_day
from assistant.language.durations import duration
from assistant.language.money import same_currency
from assistant.language.numbers import plain
from assistant.language.times import same_time
from assistant.language.values import (
    Address,
    ClockTime,
    Day,
    DaysAway,
    Duration,
    Identifier,
    Money,
    Number,
    Percent,
    Person,
    Phone,
    Street,
    Value,
)

_LEAST_PHONE: Final = 7
_DAY_MINUTES: Final = 24 * 60


_Known: TypeAlias = Mapping[type[Value], Sequence[Value]]
_Kind = TypeVar("_Kind", bound=Value)


def states_value(values: Iterable[Value], value: Value, today: date) -> bool:
    """Whether one of these values is the same, or is more exact."""
    by_type: dict[type[Value], list[Value]] = {}
    for one in values:
        by_type.setdefault(type(one), []).append(one)
    return stated_by(value, by_type, today)


def stated_by(value: Value, known: _Known, today: date) -> bool:
    """Like :func:`states_value`, for known values that are already grouped by type."""
    match value:
        case Number(amount=amount):
            return _number_stated(amount, known)
        case Money(amount=amount, currency=currency):
            money = [one.currency for one in _of(known, Money) if one.amount == amount]
            if money:
                return any(not currency or not one or same_currency(one, currency) for one in money)
            return Number(amount) in _of(known, Number)
        case Percent(amount=amount):
            as_number = {Number(amount), Number(plain(amount / 100))}
            return value in _of(known, Percent) or not as_number.isdisjoint(_of(known, Number))
        case Duration(amount=amount, unit=unit):
            lengths = _of(known, Duration)
            return value in lengths or (
                unit == "month" and Duration(amount * 30 * _DAY_MINUTES, "minute") in lengths
            )
        case Day():
            # "bis 11." may be an hour at the end of a sentence.
            alone = Decimal(value.day) if value.day and value == Day(day=value.day) else None
            if alone is not None and (Number(alone) in _of(known, Number) or _is_full_hour(alone, known)):
                return True
            return any(same_day(value, one, today) for one in _of(known, Day))
        case DaysAway(days=days):
            meant = today + timedelta(days=days)
            return days == 0 or any(
                same_day(one, away(days, today), today)
                if one.day is not None
                else one == Day(weekday=meant.weekday())
                for one in _of(known, Day)
            )
        case ClockTime():
            return any(same_time(value, one) for one in _of(known, ClockTime))
        case Identifier(form=form):
            return value in _of(known, Identifier) or (
                form.isdecimal() and Number(Decimal(form)) in _of(known, Number)
            )
        case Phone(digits=digits):
            written = [
                *(one.digits for one in _of(known, Phone)),
                *(one.form for one in _of(known, Identifier)),
            ]
            return any(_same_phone(digits, one) for one in written)
        case Address(form=form):
            return any(
                one.form == form or ("@" not in one.form and one.form.partition("/")[0] == form)
                for one in _of(known, Address)
            )
        case Street() | Person():
            return value in _of(known, type(value))
        case _:
            assert_never(value)


def _of(known: _Known, kind: type[_Kind]) -> Sequence[_Kind]:
    return cast("Sequence[_Kind]", known.get(kind, ()))


def _number_stated(amount: Decimal, known: _Known) -> bool:
    if Number(amount) in _of(known, Number) or Percent(amount) in _of(known, Percent):
        return True
    if any(one.amount == amount for one in _of(known, Money)):
        return True
    if amount != int(amount):
        return False
    if Identifier(str(int(amount))) in _of(known, Identifier) or _is_full_hour(amount, known):
        return True
    if any(amount in (one.year, one.day) for one in _of(known, Day)):
        return True
    lengths = _of(known, Duration)
    return bool(lengths) and any(
        duration(amount, unit) in lengths for unit in ("day", "hour", "minute", "week", "month", "year")
    )


def _is_full_hour(hour: Decimal, known: _Known) -> bool:
    return any(one.minute == 0 and hour in (one.hour, one.hour % 12) for one in _of(known, ClockTime))


def _same_phone(digits: str, other: str) -> bool:
    one, other = digits.lstrip("0"), re.sub(r"\D", "", other).lstrip("0")
    short, long = sorted((one, other), key=len)
    return len(short) >= _LEAST_PHONE and long.endswith(short)

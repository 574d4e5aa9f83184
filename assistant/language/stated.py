"""Whether known values state a value, in any notation or more exactly."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, assert_never

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
    Phone,
    Street,
    Value,
)

_LEAST_PHONE: Final = 7
_DAY_MINUTES: Final = 24 * 60


def states_value(values: Iterable[Value], value: Value, today: date) -> bool:
    """Whether one of these values is the same, or more exact."""
    by_type: dict[type[Value], list[Value]] = {}
    for one in values:
        by_type.setdefault(type(one), []).append(one)
    return stated_by(value, by_type, today)


def stated_by(value: Value, known: Mapping[type[Value], Sequence[Value]], today: date) -> bool:
    """Whether one of the values, grouped by type, is the same or more exact."""
    match value:
        case Number(amount=amount):
            return _number_stated(amount, known)
        case Money(amount=amount, currency=currency):
            money = [one for one in known.get(Money, ()) if isinstance(one, Money) and one.amount == amount]
            if money:
                return any(
                    not currency or not one.currency or same_currency(one.currency, currency) for one in money
                )
            return Number(amount) in known.get(Number, ())
        case Percent(amount=amount):
            numbers = known.get(Number, ())
            return (
                value in known.get(Percent, ())
                or Number(amount) in numbers
                or Number(plain(amount / 100)) in numbers
            )
        case Duration(amount=amount, unit=unit):
            return value in known.get(Duration, ()) or (
                unit == "month" and Duration(amount * 30 * _DAY_MINUTES, "minute") in known.get(Duration, ())
            )
        case Day(day=int(day), month=None, weekday=None) if (
            # "bis 11." may end a sentence with an hour.
            Number(Decimal(day)) in known.get(Number, ()) or _is_full_hour(Decimal(day), known)
        ):
            return True
        case Day():
            return any(isinstance(one, Day) and same_day(value, one, today) for one in known.get(Day, ()))
        case DaysAway(days=days):
            meant = away(days, today)
            weekday = date(meant.year or 1, meant.month or 1, meant.day or 1).weekday()
            return days == 0 or any(
                isinstance(one, Day)
                and (same_day(one, meant, today) if one.day is not None else one == Day(weekday=weekday))
                for one in known.get(Day, ())
            )
        case ClockTime():
            return any(
                isinstance(one, ClockTime) and same_time(value, one) for one in known.get(ClockTime, ())
            )
        case Identifier(form=form):
            numbers = known.get(Number, ())
            return value in known.get(Identifier, ()) or (
                form.isdecimal() and (Number(Decimal(form)) in numbers)
            )
        case Phone(digits=digits):
            return any(
                _same_phone(digits, one) for kind in (Phone, Identifier) for one in known.get(kind, ())
            )
        case Address(form=form):
            addresses = known.get(Address, ())
            return value in addresses or any(
                isinstance(one, Address) and "@" not in one.form and one.form.partition("/")[0] == form
                for one in addresses
            )
        case Street():
            return value in known.get(Street, ())
        case _:
            assert_never(value)


def _number_stated(amount: Decimal, known: Mapping[type[Value], Sequence[Value]]) -> bool:
    if Number(amount) in known.get(Number, ()) or Percent(amount) in known.get(Percent, ()):
        return True
    if any(isinstance(one, Money) and one.amount == amount for one in known.get(Money, ())):
        return True
    if amount != int(amount):
        return False
    if Identifier(str(int(amount))) in known.get(Identifier, ()):
        return True
    if any(isinstance(one, Day) and amount in (one.year, one.day) for one in known.get(Day, ())):
        return True
    if _is_full_hour(amount, known):
        return True
    lengths = known.get(Duration, ())
    return any(
        duration(amount, unit) in lengths for unit in ("day", "hour", "minute", "week", "month", "year")
    )


def _is_full_hour(hour: Decimal, known: Mapping[type[Value], Sequence[Value]]) -> bool:
    return any(
        isinstance(one, ClockTime) and one.minute == 0 and hour in (one.hour, one.hour % 12)
        for one in known.get(ClockTime, ())
    )


def _same_phone(digits: str, known: Value) -> bool:
    other = known.digits if isinstance(known, Phone) else known.form if isinstance(known, Identifier) else ""
    one, other = digits.lstrip("0"), re.sub(r"\D", "", other).lstrip("0")
    short, long = sorted((one, other), key=len)
    return len(short) >= _LEAST_PHONE and long.endswith(short)

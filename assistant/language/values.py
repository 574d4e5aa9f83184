"""The typed values that a text can contain: equal if they mean the same, in any notation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

Data: TypeAlias = bool | int | float | str | Sequence["Data"] | Mapping[str, "Data"] | None
"""What JSON can hold."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number without a unit. "two" and "2" are equal; :class:`Found` has the notation."""

    amount: Decimal


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money.

    ``currency`` is three letters, "$" for an unknown dollar, or "" if it is unknown.
    """

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Percent:
    """A percentage."""

    amount: Decimal


DurationUnit: TypeAlias = Literal["minute", "month", "night"]


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration. Its unit is "minute" (seconds to weeks), "night", or "month" (months and years)."""

    amount: Decimal
    unit: DurationUnit


@dataclass(frozen=True, slots=True)
class Day:
    """A day, as far as it is known. ``weekday`` counts from Monday, 0; None means unknown.

    At least one field is set. "November" is a day of which only the month is known.
    """

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None


@dataclass(frozen=True, slots=True)
class DaysAway:
    """A day counted from today: 0 is today, 1 tomorrow, -1 yesterday."""

    days: int


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day. ``half_said`` says whether the half of the day is known (for "2:00" it is not)."""

    hour: int
    minute: int
    half_said: bool = True


@dataclass(frozen=True, slots=True)
class Identifier:
    """The number of an order, invoice or ticket: letters and digits in lower case without separators."""

    form: str


@dataclass(frozen=True, slots=True)
class Phone:
    """A telephone number: only its digits."""

    digits: str


@dataclass(frozen=True, slots=True)
class Address:
    """An e-mail address or a link, in lower case, without scheme and trailing slash."""

    form: str


@dataclass(frozen=True, slots=True)
class Street:
    """A street with a house number, both normalized ("harbour st", "12")."""

    name: str
    number: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person with a title: the name after "Dr.", "Ms" or "Frau", in lower case."""

    name: str


Value: TypeAlias = (
    Number
    | Money
    | Percent
    | Duration
    | Day
    | DaysAway
    | ClockTime
    | Identifier
    | Phone
    | Address
    | Street
    | Person
)


@dataclass(frozen=True, slots=True)
class Found:
    """A value and its position in the text.

    ``written`` is "words" for a number in letters, which is often only a count.
    """

    value: Value
    start: int
    end: int
    written: Literal["digits", "words"] = "digits"

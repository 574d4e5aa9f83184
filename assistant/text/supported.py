"""Whether a fact that was said follows from the facts that are known."""

from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Final, assert_never

from assistant.text.days import weekday_of
from assistant.text.numbers import plain_number
from assistant.text.values import Value

_LAST_HOUR: Final = 12
_FULL_DATE: Final = len("2026-11-24")


def supported(value: Value, known: AbstractSet[Value]) -> bool:
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

"""Values in a question and in an answer, in forms that can be compared: "2 pm" and "14 Uhr" are both "14:00".

:mod:`find_values` finds them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal, TypeAlias

ValueKind: TypeAlias = Literal[
    "address", "weekday", "date", "month", "time", "part_of_day", "number", "shift", "duration"
]

_FULL_DATE: Final = len("2026-11-24")
_LEAST_SUFFIX: Final = 3
"""The last digits of a longer number can name it, if there are at least this many: "the one ending in
455"."""
_DAYS_BEFORE: Final = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)


@dataclass(frozen=True, slots=True)
class SaidValue:
    """A value and its position in the text.

    Forms: an address in lower case; "w1" (Tuesday); "11-24" or "2026-11-24"; "m11"; "14:00", or "2:00?"
    without the half of the day; "12-18", the hours of an afternoon; "7", the days by which a "shift" is
    later. The form of a number is its digits, "5550199", and ``pieces`` are its spoken parts: "26" and "2" in
    "the twenty sixth at two".
    """

    kind: ValueKind
    form: str
    start: int
    end: int
    pieces: tuple[str, ...] = ()


def is_said(said: SaidValue, asked: SaidValue) -> bool:
    """Whether the value in the answer can mean that of the question.

    A number may be an hour or a day of the month.
    """
    match said.kind, asked.kind:
        case "number", "number":
            return said.form == asked.form or _ends(said.form, asked.form)
        case "number", "date":
            return len(said.pieces) == 1 and said.form.lstrip("0") == asked.form[-2:].lstrip("0")
        case "number", "time":
            return _clock_of(said.pieces) in _ways_to_say(asked.form)
        case "date", "date":
            return asked.form.endswith(said.form) or said.form.endswith(asked.form)
        case "date", "number":
            return False
        case "month", "date":
            return asked.form[-5:-3] == said.form[1:]
        case "time", "time":
            return _same_time(said.form, asked.form)
        case "part_of_day", "time":
            first, last = map(int, said.form.split("-"))
            return first <= int(asked.form.rstrip("?").partition(":")[0]) < last
        case _:
            return said.kind == asked.kind and said.form == asked.form


def is_weekday_of(said: SaidValue, day: SaidValue) -> bool:
    """Whether a weekday is the weekday of a full date."""
    full = day.kind == "date" and len(day.form) == _FULL_DATE
    return said.kind == "weekday" and full and f"w{date.fromisoformat(day.form).weekday()}" == said.form


def in_pieces(said: SaidValue) -> Sequence[SaidValue]:
    """A sequence of numbers as single numbers: "the twenty sixth at two" is a day and an hour."""
    return [SaidValue("number", piece, said.start, said.end, (piece,)) for piece in said.pieces]


def is_comparable(said: SaidValue, asked: SaidValue) -> bool:
    """Whether both are values of the same kind, so that a different one contradicts the question."""
    times, days = {"time", "part_of_day"}, {"weekday", "date", "month"}
    return any(
        {said.kind, asked.kind} <= sort for sort in (times, days, {"address"}, {"number"}, {"shift"})
    ) or (said.kind == "number" and asked.kind in ("date", "time"))


def shift_between(old: Sequence[SaidValue], new: Sequence[SaidValue]) -> str:
    """The days from the old dates to the new ones; "" if they differ or a date is missing.

    >>> eighth, tenth, fifteenth = (SaidValue("date", f"01-{day}", 0, 0) for day in ("08", "10", "15"))
    >>> shift_between([eighth], [fifteenth]), shift_between([eighth, tenth], [fifteenth])
    ('7', '')
    """
    if len(old) != len(new):
        return ""
    days = {
        (_day_of_year(after.form) - _day_of_year(before.form)) % 365
        for before, after in zip(old, new, strict=True)
    }
    return str(days.pop()) if len(days) == 1 else ""


def _day_of_year(form: str) -> int:
    month, day = map(int, form.split("-")[-2:])
    return _DAYS_BEFORE[month - 1] + day


def _ends(said: str, asked: str) -> bool:
    return len(said) >= _LEAST_SUFFIX and len(asked) > len(said) and asked.endswith(said)


def _clock_of(pieces: Sequence[str]) -> str:
    return ":".join(piece.lstrip("0") or "0" for piece in pieces) if len(pieces) <= 2 else ""


def _ways_to_say(time: str) -> frozenset[str]:
    """An hour with and without the half of the day, and without minutes if there are none."""
    hour, minute = map(int, time.rstrip("?").split(":"))
    hours = {hour, hour % 12 or 12, (hour % 12) + 12 if time.endswith("?") else hour}
    return frozenset(f"{one}:{minute}" if minute else f"{one}" for one in hours)


def _same_time(one: str, other: str) -> bool:
    if one.endswith("?") or other.endswith("?"):
        (hour, minute), (other_hour, other_minute) = (
            map(int, each.rstrip("?").split(":")) for each in (one, other)
        )
        return minute == other_minute and hour % 12 == other_hour % 12
    return one == other

"""When a company's people can be reached: `[hours]` of `voice.toml`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field

from assistant.prompts.toml_files import Section

Span: TypeAlias = tuple[time, time]
"""From when to when, within one day; midnight at its end is 00:00."""

Days: TypeAlias = tuple[date, date, time, time]
"""From one day of the week to another, as any dates that fall on them, from when to when."""

_MONDAY = date(2024, 1, 1)
_SPAN = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """A week, Monday first, each day with its spans in order, and the dates on which all is closed."""

    week: tuple[tuple[Span, ...], ...]
    closed: frozenset[date] = frozenset()

    def open_at(self, moment: datetime) -> bool:
        """Whether somebody is there at this moment of the company's own clock.

        >>> nine_to_five = ((time(9), time(17)),)
        >>> hours = Hours(week=(*(nine_to_five,) * 5, (), ()))
        >>> hours.open_at(datetime(2026, 11, 20, 16, 59)), hours.open_at(datetime(2026, 11, 20, 17))
        (True, False)
        """
        if moment.date() in self.closed:
            return False
        now = moment.time()
        return any(
            opens <= now and (now < closes or not _is_set(closes)) for opens, closes in self._of(moment)
        )

    @property
    def in_words(self) -> tuple[Days, ...]:
        """The week in as few pieces as it can be told in; days that are alike and follow each other are one.

        >>> [(f"{first:%a}", f"{last:%a}", opens.hour) for first, last, opens, _ in Hours(
        ...     week=(*(((time(9), time(17)),),) * 5, ((time(10), time(14)),), ())).in_words]
        [('Mon', 'Fri', 9), ('Sat', 'Sat', 10)]
        """
        return tuple(self._pieces())

    def _of(self, moment: datetime) -> tuple[Span, ...]:
        return self.week[moment.weekday()]

    def _pieces(self) -> Iterator[Days]:
        first = 0
        for last in range(7):
            if last < 6 and self.week[last + 1] == self.week[first]:
                continue
            for opens, closes in self.week[first]:
                yield _MONDAY + timedelta(first), _MONDAY + timedelta(last), opens, closes
            first = last + 1


def _is_set(closes: time) -> bool:
    return closes != time(0)


def _spans(given: tuple[str, ...]) -> tuple[str, ...]:
    """Each a span such as "09:00-18:00", and none before the end of the one before it."""
    until = time(0)
    for text in given:
        opens, closes = _span(text)
        if opens < until or (_is_set(closes) and closes <= opens):
            raise ValueError(f"{text!r} does not come after what stands before it, or ends before it begins")
        until = closes if _is_set(closes) else time.max
    return given


def _span(text: str) -> Span:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a span of a day; write it as '09:00-18:00'")
    return time.fromisoformat(found[1]), time.fromisoformat(found[2])


_Day = Annotated[tuple[str, ...], Field(max_length=6), AfterValidator(_spans)]


class HoursSection(Section):
    """The section as it is written: days without a line are closed."""

    mon: _Day = ()
    tue: _Day = ()
    wed: _Day = ()
    thu: _Day = ()
    fri: _Day = ()
    sat: _Day = ()
    sun: _Day = ()
    closed: frozenset[date] = frozenset()

    def hours(self) -> Hours:
        """The hours that it means."""
        days = (self.mon, self.tue, self.wed, self.thu, self.fri, self.sat, self.sun)
        return Hours(week=tuple(tuple(map(_span, day)) for day in days), closed=self.closed)

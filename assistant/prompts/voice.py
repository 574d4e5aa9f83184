"""The company's voice, from ``voice.toml``: name, tone, greeting, and when its people can be reached."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from assistant.prompts.folder import Section, read_toml
from assistant.prompts.forbidden_phrases import ForbiddenPhrases, is_usable_phrase
from assistant.prompts.locale import language

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


_Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
_Locale = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """How the assistant presents itself.

    ``currency`` is an ISO 4217 code; ``tone`` a phrase after "Your tone is"; ``avoid`` holds topics that a
    model is told to decline; ``forbidden`` phrases are never shown, whoever says them, in whatever language.
    ``hours`` is when people can be reached; None: always.
    ``locales`` has the voices of other locales: what they do not say themselves is the same in all.
    """

    name: str
    company: str
    currency: str
    tone: str
    greeting: str
    starters: tuple[str, ...]
    disclosure: str
    avoid: tuple[str, ...]
    forbidden: tuple[str, ...]
    hours: Hours | None = None
    locales: Mapping[str, "Voice"] = field(default_factory=dict[str, "Voice"], hash=False)

    def in_locale(self, locale: str) -> "Voice":
        """The voice as it greets in this locale ("de-AT"), in its language, or else as it stands."""
        return self.locales.get(locale) or self.locales.get(language(locale)) or self

    def forbids(self, text: str) -> bool:
        """Whether a forbidden phrase stands in the text, as words of their own, in whatever case."""
        guard = self.guard()
        return guard.push(text) + guard.close() != text

    def guard(self) -> ForbiddenPhrases:
        """A fresh filter for one message's stream."""
        return ForbiddenPhrases(self.forbidden)


class _InLocale(Section):
    greeting: _Text | None = None
    starters: tuple[_Text, ...] | None = Field(default=None, max_length=6)
    disclosure: _Text | None = None


class _VoiceFile(Section):
    name: _Text
    company: _Text
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    tone: _Text
    greeting: _Text
    starters: tuple[_Text, ...] = Field(default=(), max_length=6)
    disclosure: _Text
    avoid: tuple[_Text, ...] = ()
    forbidden: tuple[_Text, ...] = ()
    hours: HoursSection | None = None
    locales: dict[_Locale, _InLocale] = Field(default_factory=dict[str, _InLocale])

    @field_validator("forbidden")
    @classmethod
    def _has_words(cls, phrases: tuple[str, ...]) -> tuple[str, ...]:
        for phrase in phrases:
            if not is_usable_phrase(phrase):
                raise ValueError(f"{phrase!r} has no word in it")
        return phrases


def read_voice(source: str, where: str) -> Voice:
    """Read ``voice.toml``; ``where`` names it in errors. Raises ``DeclarationError``."""
    file = read_toml(source, _VoiceFile, where)
    hours = file.hours.hours() if file.hours is not None else None
    plain = {name: value for name, value in file if name not in ("locales", "hours")}
    everywhere = Voice(**plain, hours=hours)
    return replace(
        everywhere,
        locales=MappingProxyType(
            {
                locale: replace(everywhere, **own.model_dump(exclude_none=True))
                for locale, own in file.locales.items()
            }
        ),
    )

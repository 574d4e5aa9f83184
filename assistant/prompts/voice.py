"""The company's voice, from voice.toml: name, tone, greeting, opening hours, and forbidden phrases."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from assistant.prompts.folder import Section, read_toml
from assistant.prompts.locale import language

MASK = "…"
"""The text that replaces a forbidden phrase."""


def is_usable_phrase(phrase: str) -> bool:
    """Whether a phrase can be searched for: it contains a word, and is not part of the mask."""
    return MASK not in phrase and re.search(r"\w", phrase) is not None


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """Patterns for complete phrases, for the beginning of a phrase at the end of a text, and for both."""

    complete: re.Pattern[str]
    begun: re.Pattern[str]
    either: re.Pattern[str]


@lru_cache(maxsize=64)
def _made_ready(phrases: tuple[str, ...]) -> _Forbidden | None:
    folded = tuple(" ".join(_fold(phrase).split()) for phrase in phrases if is_usable_phrase(phrase))
    if not folded:
        return None
    longest_first = sorted(folded, key=len, reverse=True)
    complete = "|".join(map(_pattern, longest_first))
    begun = "|".join(map(_begun_pattern, longest_first))
    return _Forbidden(
        complete=re.compile(complete), begun=re.compile(begun), either=re.compile(f"{complete}|{begun}")
    )


class ForbiddenPhrases:
    """A filter for one message that replaces forbidden phrases: whole words, in any case, across white space.

    It only holds text that may become a phrase; other text passes unchanged, however the stream is cut. Of
    several phrases with the same beginning, the longest applies.
    """

    __slots__ = ("_before", "_forbidden", "_held")

    def __init__(self, phrases: Sequence[str]) -> None:
        self._forbidden = _made_ready(tuple(phrases))
        self._held: str = ""
        # The last character that was passed on. It decides whether the held text begins a word.
        self._before: str = ""

    def push(self, text: str) -> str:
        """Add text. Returns the text that can be shown now; it may be empty."""
        if self._forbidden is None or not text:
            return text
        return self._release(self._forbidden, text, last=False)

    def close(self) -> str:
        """End the text. Returns the held text."""
        return self._release(self._forbidden, "", last=True) if self._forbidden and self._held else ""

    def _release(self, forbidden: _Forbidden, text: str, *, last: bool) -> str:
        context = self._before
        raw = context + self._held + text
        folded = _fold(raw)
        at, shown = len(context), list[str]()
        if forbidden.either.search(folded, at) is None:
            self._held = ""
            self._before = raw[-1:]
            return raw[at:]
        while True:
            held_from = len(raw) if last else self._could_begin(forbidden, folded, at)
            found = forbidden.complete.search(folded, at)
            if found is None or held_from <= found.start():
                break
            shown += (raw[at : found.start()], MASK)
            at = found.end()
        shown.append(raw[at:held_from])
        self._held = raw[held_from:]
        self._before = raw[:held_from][-1:]
        return "".join(shown)

    def _could_begin(self, forbidden: _Forbidden, folded: str, at: int) -> int:
        """Returns the first position from ``at`` on where a phrase may have begun, or the text's length if
        there is no such position.
        """
        found = forbidden.begun.search(folded, at)
        return found.start() if found is not None else len(folded)


def _fold(text: str) -> str:
    """Returns the text in lower case, with one character for each character, so that positions stay the same."""
    if text.isascii():
        return text.lower()
    return "".join(folded if len(folded := char.casefold()) == 1 else char for char in text)


def _is_word(char: str) -> bool:
    return re.match(r"\w", char) is not None


def _pattern(phrase: str) -> str:
    before = r"(?<!\w)" if _is_word(phrase[0]) else ""
    after = r"(?!\w)" if _is_word(phrase[-1]) else ""
    return before + re.escape(phrase).replace(r"\ ", r"\s+") + after


def _begun_pattern(phrase: str) -> str:
    r"""Returns a pattern for any beginning of the phrase at the end of the text: "ab" becomes ``a(?:b)?\\Z``."""
    # A complete phrase is held, too, if a letter may follow: "hell" may become "hello".
    last = len(phrase) if _is_word(phrase[-1]) else len(phrase) - 1
    open_ = ""
    for char in reversed(phrase[1:last]):
        open_ = f"(?:{_sign(char)}{open_})?"
    before = r"(?<!\w)" if _is_word(phrase[0]) else ""
    return rf"{before}{_sign(phrase[0])}{open_}\Z"


def _sign(char: str) -> str:
    return r"\s+" if char == " " else re.escape(char)


Span: TypeAlias = tuple[time, time]
"""The beginning and end of a time within one day. Midnight at the end is 00:00."""

Days: TypeAlias = tuple[date, date, time, time]
"""The first and last day, as any dates with these weekdays, and the first and last time."""

_MONDAY = date(2024, 1, 1)
_SPAN = re.compile(r"(\d\d:\d\d)-(\d\d:\d\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """The opening hours of a week, Monday first, each day with its times in order, and the closed dates."""

    week: tuple[tuple[Span, ...], ...]
    closed: frozenset[date] = frozenset()

    def open_at(self, moment: datetime) -> bool:
        """Whether agents are available at this time of the company's own clock.

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

    def after(self, moment: datetime, minutes: float) -> datetime | None:
        """The time at which this many minutes have passed within the hours; None if that takes over a year.

        >>> hours = Hours(week=(((time(9), time(17)),), *((),) * 6))
        >>> str(hours.after(datetime(2026, 11, 23, 16), 90)), hours.after(datetime(2026, 11, 23), 99_999)
        ('2026-11-30 09:30:00', None)
        """
        left = timedelta(minutes=minutes)
        for number in range(366):
            day = moment.date() + timedelta(number)
            for opens, closes in () if day in self.closed else self.week[day.weekday()]:
                begin = datetime.combine(day, opens, moment.tzinfo)
                last = day if _is_set(closes) else day + timedelta(1)
                begin, end = max(begin, moment), datetime.combine(last, closes, moment.tzinfo)
                if begin >= end:
                    continue
                if left <= end - begin:
                    return begin + left
                left -= end - begin
        return None

    @property
    def in_words(self) -> tuple[Days, ...]:
        """The week in as few parts as possible. Consecutive days with the same hours are one part.

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
    """Check that each text is a time such as "09:00-18:00", and begins after the end of the one before it."""
    until = time(0)
    for text in given:
        opens, closes = _span(text)
        if opens < until or (_is_set(closes) and closes <= opens):
            raise ValueError(
                f"{text!r} does not begin after the end of the one before it, or ends before it begins"
            )
        until = closes if _is_set(closes) else time.max
    return given


def _span(text: str) -> Span:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a span of a day; write it as '09:00-18:00'")
    return time.fromisoformat(found[1]), time.fromisoformat(found[2])


_Day = Annotated[tuple[str, ...], Field(max_length=6), AfterValidator(_spans)]


class HoursSection(Section):
    """The section ``[hours]`` of the file. The company is closed on a day that has no line."""

    mon: _Day = ()
    tue: _Day = ()
    wed: _Day = ()
    thu: _Day = ()
    fri: _Day = ()
    sat: _Day = ()
    sun: _Day = ()
    closed: frozenset[date] = frozenset()

    def hours(self) -> Hours:
        """Returns the opening hours of the section."""
        days = (self.mon, self.tue, self.wed, self.thu, self.fri, self.sat, self.sun)
        return Hours(week=tuple(tuple(map(_span, day)) for day in days), closed=self.closed)


_Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
_Locale = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """How the assistant presents itself.

    ``about`` says what the company does; "" if it is not given. ``currency`` is an ISO 4217 code. ``tone`` is
    a phrase after "Your tone is". ``avoid`` has topics that a model must decline. ``forbidden`` phrases are
    never shown, from any source and in any language. ``hours`` is when agents are available; None: always.
    ``locale`` is the language of these texts. ``locales`` has the differences for other locales.
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
    about: str = ""
    locale: str = "en"
    hours: Hours | None = None
    locales: Mapping[str, "Voice"] = field(default_factory=dict[str, "Voice"], hash=False)

    def in_locale(self, locale: str) -> "Voice":
        """Returns the voice in this locale ("de-AT"), in its language, or else the default."""
        return self.locales.get(locale) or self.locales.get(language(locale)) or self

    def guard(self) -> ForbiddenPhrases:
        """Returns a new filter for one message."""
        return ForbiddenPhrases(self.forbidden)


class _InLocale(Section):
    greeting: _Text | None = None
    starters: tuple[_Text, ...] | None = Field(default=None, max_length=6)
    disclosure: _Text | None = None


class _VoiceFile(Section):
    name: _Text
    company: _Text
    about: _Text | None = None
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    tone: _Text
    greeting: _Text
    starters: tuple[_Text, ...] = Field(default=(), max_length=6)
    disclosure: _Text
    avoid: tuple[_Text, ...] = ()
    forbidden: tuple[_Text, ...] = ()
    locale: _Locale = "en"
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
    plain = {name: value for name, value in file if name not in ("locales", "hours", "about")}
    everywhere = Voice(**plain, about=file.about or "", hours=hours)
    return replace(
        everywhere,
        locales=MappingProxyType(
            {
                locale: replace(everywhere, **own.model_dump(exclude_none=True))
                for locale, own in file.locales.items()
            }
        ),
    )

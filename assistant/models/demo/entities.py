"""Reads the values in a message: dates, times, numbers, references to things, addresses."""

import re
from dataclasses import dataclass
from datetime import date, time
from typing import Final

from assistant.language.numbers import ORDINAL
from assistant.models.demo.dates import (
    CARDINAL,
    Found,
    cardinal,
    crosses,
    find_days,
    find_times,
    free_of,
    in_order,
    inside,
    ordinal,
    spans_of,
)

_STRETCH: Final = re.compile(
    rf"\b(?:(?:next|coming|following|within|for|over)\s+(?:the\s+)?(?:next\s+)?)(?P<count>\d{{1,3}}"
    rf"|{CARDINAL})?\s*(?P<unit>day|week|month)s?\b"
)
_PLACE: Final = re.compile(
    rf"\b(?:the|my|your|only|just)\s+(?P<place>{ORDINAL}|\d(?:st|nd|rd|th)|last|latest|newest|other|earlier"
    rf"|earliest|later|next(?= (?:appointment|visit|booking)\b))\b(?:\s+(?:one|order|appointment|invoice"
    rf"|bill|item|slot|time))?"
    rf"|^(?:(?:and|or|no|ok|okay),? )*(?P<bare>{ORDINAL}|\d(?:st|nd|rd|th))(?: one| please)*\W*$"
)
LAST: Final = -1
"""The position of the last one. In a list that is sorted newest first, this is the first one."""

_PLACES: Final = {
    "last": LAST,
    "latest": LAST,
    "newest": LAST,
    "later": LAST,
    "other": 2,
    "earlier": 1,
    "earliest": 1,
    "next": 1,
}
_UNIT_DAYS: Final = {"day": 1, "week": 7, "month": 30}


@dataclass(frozen=True, slots=True)
class Reference:
    """A number, the noun before it ("" if there is none), and its position.

    ``marked`` is True if it is certainly a reference, because it has a hash, letters, or at least four
    digits.
    """

    value: str
    noun: str
    start: int
    end: int
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Entities:
    """The values in a text, each kind in the order of the text.

    ``stretches`` are durations in days ("the next two weeks"). ``places`` are positions in a list from 1; the
    last one is -1.
    """

    days: tuple[Found[date], ...] = ()
    times: tuple[Found[time], ...] = ()
    emails: tuple[Found[str], ...] = ()
    phones: tuple[Found[str], ...] = ()
    references: tuple[Reference, ...] = ()
    stretches: tuple[Found[int], ...] = ()
    places: tuple[Found[int], ...] = ()

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The ranges of characters of all values. Clauses are not cut inside them."""
        everything = (*self.days, *self.times, *self.emails, *self.phones, *self.references, *self.stretches)
        return tuple((one.start, one.end) for one in everything)

    def within(self, start: int, end: int) -> "Entities":
        """Returns the values inside one clause."""
        return Entities(
            days=inside(self.days, start, end),
            times=inside(self.times, start, end),
            emails=inside(self.emails, start, end),
            phones=inside(self.phones, start, end),
            references=tuple(one for one in self.references if start <= one.start and one.end <= end),
            stretches=inside(self.stretches, start, end),
            places=inside(self.places, start, end),
        )

    def plus(self, other: "Entities") -> "Entities":
        """Returns the values of both, each kind in order."""
        return Entities(
            days=in_order(self.days + other.days),
            times=in_order(self.times + other.times),
            emails=in_order(self.emails + other.emails),
            phones=in_order(self.phones + other.phones),
            references=tuple(sorted((*self.references, *other.references), key=lambda one: one.start)),
            stretches=in_order(self.stretches + other.stretches),
            places=in_order(self.places + other.places),
        )


def find_entities(text: str, today: date) -> Entities:
    """Read a message. No character belongs to two values: an address contains no number, a day no order
    number.

    >>> found = find_entities("Cancel order 10455 and book 2026-12-01 at 9:15", date(2026, 11, 21))
    >>> [one.value for one in found.references], [str(one.value) for one in found.days], len(found.times)
    (['10455'], ['2026-12-01'], 1)
    """
    lower = plain(text)
    taken: list[tuple[int, int]] = []
    emails = free_of(find_emails(text), taken)
    days = free_of(find_days(lower, today), taken)
    phones = free_of(find_phones(text), taken)
    references = tuple(one for one in find_references(text) if not crosses(one.start, one.end, taken))
    named = [(one.start, one.end) for one in references if one.marked]
    times = tuple(one for one in free_of(find_times(lower), taken) if not crosses(one.start, one.end, named))
    return Entities(
        days=days,
        times=times,
        emails=emails,
        phones=phones,
        references=tuple(one for one in references if not crosses(one.start, one.end, spans_of(times))),
        stretches=tuple(
            Found(_UNIT_DAYS[one["unit"]] * cardinal(one["count"] or "1"), one.start(), one.end())
            for one in _STRETCH.finditer(lower)
        ),
        places=tuple(
            Found(_place(one["place"] or one["bare"]), one.start(), one.end())
            for one in _PLACE.finditer(lower)
            if not crosses(one.start(), one.end(), taken)
        ),
    )


def plain(text: str) -> str:
    """Returns the text in lower case and with straight apostrophes; positions of characters do not change.

    >>> plain("Don’t CANCEL")
    "don't cancel"
    """
    return "".join(low if len(low := character.lower()) == 1 else character for character in text).replace(
        "’", "'"
    )


def _place(word: str) -> int:
    return _PLACES[word] if word in _PLACES else ordinal(word)


_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE: Final = re.compile(
    r"(?<![\w@.#-])(?:\+|\(?0)\d?[\d()\s/.-]{5,20}\d(?![\w@-])|(?<![\w#-])(?:\d{3}[ -])?\d{3}[ -]\d{4}\b"
)


def find_emails(text: str) -> tuple[Found[str], ...]:
    """Find e-mail addresses.

    >>> [one.value for one in find_emails("it's tom.b@web.de.")]
    ['tom.b@web.de']
    """
    return tuple(Found(match[0], match.start(), match.end()) for match in _EMAIL.finditer(text))


def find_phones(text: str) -> tuple[Found[str], ...]:
    """Find telephone numbers: those with a plus or a leading zero, and those in American groups.

    >>> [one.value for one in find_phones("call +49 151 23456789 or 0171 5550134, not 10482")]
    ['+49 151 23456789', '0171 5550134']
    """
    return tuple(
        Found(match[0], match.start(), match.end())
        for match in _PHONE.finditer(text)
        if sum(character.isdecimal() for character in match[0]) >= 7 and not _ISO_DAY.search(match[0])
    )


_ISO_DAY: Final = re.compile(r"20\d\d-\d\d-\d\d")

_REFERENCE: Final = re.compile(
    r"(?:(?P<noun>[a-z]+)\s+)?(?:(?:number|num|nr|no|id|ref|reference)\.?:?\s*(?:is\s+)?)?"
    r"(?P<value>#?\s?(?=[a-z-]*\d)(?:[a-z]{1,5}-?)?\d[\d-]*)(?![\w@])",
    re.IGNORECASE,
)
_JOINTS: Final = frozenset(
    {"is", "its", "number", "no", "nr", "id", "the", "my", "and", "or", "about", "for"}
)


def find_references(text: str) -> tuple[Reference, ...]:
    """Returns the numbers in a text that may be references, in order.

    >>> [(one.value, one.noun) for one in find_references("cancel order 10455 and pay invoice no. INV-2031")]
    [('10455', 'order'), ('INV-2031', 'invoice')]
    >>> [(one.value, one.marked) for one in find_references("order #77, at 3")]
    [('77', True), ('3', False)]
    """
    return tuple(_read(match) for match in _REFERENCE.finditer(text))


def _read(match: re.Match[str]) -> Reference:
    value = match["value"].lstrip("# ").rstrip("-")
    noun = (match["noun"] or "").lower()
    figures = sum(character.isdecimal() for character in value)
    marked = match["value"].startswith("#") or not value.isdecimal() or figures >= 4
    return Reference(
        value=value,
        noun="" if noun in _JOINTS else noun.removesuffix("s"),
        start=match.end() - len(match["value"].lstrip("# ")),
        end=match.end(),
        marked=marked,
    )

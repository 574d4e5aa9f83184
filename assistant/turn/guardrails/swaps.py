"""Whether a sentence gives one record of a result the value of another: "invoice 2041 is $30.00".

A clause's record is found by words and numbers that it shares with some records of a list and not with all. A
clause without any continues the record of the clause before. If two records are named before the first value,
it is unknown which value belongs to which, so such a sentence passes.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from itertools import combinations
from typing import Final, Literal, TypeAlias

from assistant.language.known import Record
from assistant.language.reader import read
from assistant.language.sentences import sentences
from assistant.language.stated import states_value
from assistant.language.values import (
    ClockTime,
    Day,
    DaysAway,
    Duration,
    Found,
    Identifier,
    Money,
    Number,
    Value,
)
from assistant.language.words import carries_meaning, stem

_MOST_SIBLINGS: Final = 50
_CLAUSE_ENDS: Final = re.compile(
    r"\n|[;,]\s+(?:(?:and|but|und|aber|while)\s+)?|\s+(?:and|but|or|while|und|aber|oder|sowie)\s+",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_CONTRAST: Final = frozenset(
    {
        *("instead", "other", "rather", "than", "not", "without", "except", "besides", "excluding", "both"),
        *("statt", "nicht", "anderen", "andere", "als", "sondern", "ohne", "außer", "abgesehen", "beide"),
    }
)
_PLACES: Final = frozenset(
    [
        "first",
        "last",
        "next",
        "letzte",
        "letzten",
        "letzter",
        "letztes",
        "erste",
        "ersten",
        "nächste",
        "nächsten",
    ]
)
"""Words for a position in an order do not name a record: "the last day" is not "the last stay"."""

_NUMBER: Final = "number"
"""The field that represents each number that identifies a record."""

_MONTH: Final = "month"
"""The field of months that identify a record: "your January booking"."""

_NONE: Final[frozenset[int]] = frozenset()

Group: TypeAlias = Sequence[Record]
"""The records of one list."""

_ValueKind: TypeAlias = type[Value] | str
"""The type of a value, or the field that a count belongs to: "two guests"."""


def is_swapped(sentence: str, found: Sequence[Found], groups: Sequence[Group], today: date) -> bool:
    """Whether the sentence, with these values, mixes up the records of one of the lists."""
    return any(
        _Sentence(sentence, found, group, today).is_mixed_up()
        for group in groups
        if 1 < len(group) <= _MOST_SIBLINGS
    )


def is_one_of_several(value: Value, groups: Sequence[Group], today: date) -> bool:
    """Whether some records of a list have the value and others do not, so that its record matters."""
    return any(
        0 < len(_holders(value, group, today)) < len(group)
        for group in groups
        if 1 < len(group) <= _MOST_SIBLINGS
    )


_Limit: TypeAlias = Literal["begins", "ends"]
_LIMITS: Final[Mapping[str, _Limit]] = {
    **dict.fromkeys(("from", "after", "since", "ab", "nach", "seit"), "begins"),
    **dict.fromkeys(("until", "till", "by", "before", "bis", "vor"), "ends"),
}
_BEFORE: Final = re.compile(r"([^\W\d_]+)\s(?:(?:at|um)\s)?$")


@dataclass(frozen=True, slots=True)
class Statement:
    """A clause of a document: the stems of its words and of its heading, and its values.

    ``limits``: for each value whether it begins or ends something ("from 3 pm", "by 11 am").
    """

    words: frozenset[str]
    heading: frozenset[str]
    values: Sequence[Value]
    limits: Sequence[_Limit | None]


def statements_of(text: str, heading: str, locale: str) -> Iterator[Statement]:
    """The clauses of a passage that state something."""
    about = frozenset(_stems(heading, locale))
    for sentence in sentences(text, locale):
        for clause, values in _clauses(sentence, read(sentence, locale)):
            if values:
                yield Statement(
                    frozenset(_stems(clause, locale)),
                    about,
                    [one.value for one in values],
                    [_limit(sentence, one) for one in values],
                )


def is_of_another(
    sentence: str, found: Sequence[Found], stated: Sequence[Statement], today: date, locale: str
) -> bool:
    """Whether a clause gives one thing the value that documents state for another: the price of parking for the
    price of pets.

    The clause has a word that occurs with another value of the same kind, and no word that occurs only with
    this value.
    """
    for clause, values in _clauses(sentence, found):
        words = frozenset(_stems(clause, locale))
        for one in values:
            # The two ends of "2 to 4 days" belong together.
            alike = [other.value for other in values if _unit(other.value) == _unit(one.value)]
            with_value = [
                each for each in stated if all(states_value(each.values, value, today) for value in alike)
            ]
            if len(alike) > 1 and not with_value:
                continue
            others = [
                each
                for each in stated
                if each not in with_value and any(_unit(value) == _unit(one.value) for value in each.values)
            ]
            if with_value and others and _fits_better(words, with_value, others):
                return True
            if isinstance(one.value, ClockTime) and _is_other_end(
                _limit(sentence, one), one.value, with_value
            ):
                return True
    return False


def _limit(sentence: str, found: Found) -> _Limit | None:
    before = _BEFORE.search(sentence, 0, found.start)
    return _LIMITS.get(before[1].lower()) if before is not None else None


def _is_other_end(limit: _Limit | None, value: Value, stated: Sequence[Statement]) -> bool:
    """Whether the documents state the time only as the other end: "from 11 am" instead of "by 11 am"."""
    limits = {
        end for each in stated for one, end in zip(each.values, each.limits, strict=True) if one == value
    }
    return limit is not None and len(limits) == 1 and None not in limits and limit not in limits


def _fits_better(words: frozenset[str], right: Sequence[Statement], others: Sequence[Statement]) -> bool:
    own = frozenset[str]().union(*(each.words | each.heading for each in right))
    wrong = [each for each in others if words & (each.words - own)]
    if not wrong:
        return False
    theirs = frozenset[str]().union(*(each.words | each.heading for each in wrong))
    return not words & (own - theirs)


def _unit(value: Value) -> object:
    """The unit that makes two values comparable; amounts are comparable with or without a currency."""
    match value:
        case Money() | Number():
            return Money
        case Duration(unit=unit):
            return (Duration, unit)
        case _:
            return type(value)


def _stems(text: str, locale: str) -> Iterator[str]:
    return (stem(word, locale) for word in _WORD.findall(text.lower()) if carries_meaning(word, locale))


def _holders(value: Value, group: Group, today: date) -> frozenset[int]:
    return frozenset(
        at
        for at, record in enumerate(group)
        if states_value(record.values | record.implied(today), value, today)
    )


@dataclass(frozen=True, slots=True)
class _Name:
    """A word or number that only some records have, in these ``fields``."""

    records: frozenset[int]
    fields: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Clause:
    """``subject``: the records that the clause names; None if it names none, empty if its names have no record
    in common.

    ``said``: its other values by kind, each with the records that have it.
    """

    names: Sequence[_Name]
    subject: frozenset[int] | None
    said: Sequence[tuple[_ValueKind, frozenset[int]]]
    contrasts: bool

    @property
    def kinds(self) -> list[_ValueKind]:
        return [kind for kind, _ in self.said]


class _Sentence:
    """A sentence, read with the records of one list."""

    def __init__(self, sentence: str, found: Sequence[Found], group: Group, today: date) -> None:
        self._group = group
        self._all = frozenset(range(len(group)))
        holders = {one: _holders(one.value, group, today) for one in found}
        self._clauses = [
            self._clause(clause, values, holders) for clause, values in _clauses(sentence, found)
        ]

    def is_mixed_up(self) -> bool:
        subject: frozenset[int] | None = None
        named_alone = anything_said = False
        throughout = self._all
        told: set[_ValueKind] = set()
        for clause in self._clauses:
            if clause.contrasts or (clause.subject is not None and named_alone):
                return False
            if _names_apart(clause.names):
                return True
            named_alone = clause.subject is not None and not clause.said
            if clause.subject is not None and (clause.said or not anything_said):
                throughout &= clause.subject
            anything_said = anything_said or bool(clause.said)
            if clause.subject is not None:
                if subject is not None and not subject & clause.subject:
                    told.clear()
                subject = clause.subject
            elif not told.isdisjoint(clause.kinds):
                # A second amount, or a second day, belongs to the next record.
                subject, throughout = None, _NONE
                told.clear()
            told.update(clause.kinds)
            if subject != _NONE and _contradicts(clause.said, self._all if subject is None else subject):
                return True
        # If all clauses are about one record, each value that occurs once must be that record's, in any clause.
        kinds = [kind for clause in self._clauses for kind in clause.kinds]
        once = [those for clause in self._clauses for kind, those in clause.said if kinds.count(kind) == 1]
        return bool(throughout) and not throughout.intersection(*once)

    def _clause(self, text: str, found: Sequence[Found], holders: dict[Found, frozenset[int]]) -> _Clause:
        words = {word for word in map(str.lower, _WORD.findall(text)) if carries_meaning(word)}
        names = [name for word in words if (name := self._name(word)) is not None]
        subject = names[0].records.intersection(*(name.records for name in names)) if names else None
        numbers = [one for one in found if isinstance(one.value, Number | Identifier) and holders[one]]
        for one in numbers:
            # A number identifies a record more reliably than words do.
            both = holders[one] if subject is None else subject & holders[one]
            subject = both or (holders[one] if one is numbers[0] else both)
        names += [_Name(holders[one], frozenset({_NUMBER})) for one in numbers if holders[one] != self._all]
        months = [one for one in found if _is_month(one.value) and 0 < len(holders[one]) < len(self._all)]
        for one in months:
            # "In January you leave on the 10th": the month names the record.
            names.append(_Name(holders[one], frozenset({_MONTH})))
            subject = holders[one] if subject is None else subject & holders[one]
        said = [
            (_kind(one), holders[one])
            for one in found
            if one not in numbers and one not in months and holders[one]
        ]
        return _Clause(names, subject, said, not words.isdisjoint(_CONTRAST))

    def _name(self, word: str) -> _Name | None:
        fields = {at: keys for at, record in enumerate(self._group) if (keys := _fields_of(word, record))}
        if not fields or len(fields) == len(self._group) or word in _PLACES:
            return None
        return _Name(frozenset(fields), frozenset[str]().union(*fields.values()))


def _fields_of(word: str, record: Record) -> AbstractSet[str]:
    """The fields of the record that have this word, or a label in another form: "Linsen" for "Monatslinsen"."""
    if (own := record.words.get(word)) is not None or len(word) < _LEAST_LABEL:
        return own or frozenset()
    return frozenset[str]().union(
        *(
            keys
            for label, keys in record.labels.items()
            if label.endswith(word) or (word.startswith(label) and len(word) - len(label) <= _LONGEST_ENDING)
        )
    )


_LEAST_LABEL: Final = 5
_LONGEST_ENDING: Final = 2


def _names_apart(names: Sequence[_Name]) -> bool:
    """Whether fields of different records are combined: the doctor of one, the treatment of another.

    If two values of a field are named, the sentence compares records, and the owner of the other fields is
    unknown.
    """
    by_field: dict[str, frozenset[int]] = {}
    compared: set[str] = set()
    for name in names:
        for field in name.fields:
            both = by_field.get(field, name.records) & name.records
            if not both:
                compared.add(field)
            by_field[field] = both
    if compared:
        return False
    return any(
        not (one.records & other.records) and one.fields.isdisjoint(other.fields)
        for one, other in combinations(names, 2)
    )


def _contradicts(said: Sequence[tuple[_ValueKind, frozenset[int]]], records: frozenset[int]) -> bool:
    """Whether none of these records has all these values."""
    kinds = [kind for kind, _ in said]
    for kind, those in said:
        if kinds.count(kind) == 1:
            if not records & those:
                return True
            records &= those
    # Of several values of a kind ("$134.50 less $14.50 is $120.00") one may be the record's.
    return any(not any(records & those for one, those in said if one == kind) for kind in set(kinds))


def _is_month(value: Value) -> bool:
    return isinstance(value, Day) and value == Day(month=value.month)


def _kind(found: Found) -> type[Value]:
    """The kind of a value: "tomorrow" and "Thursday" are both days."""
    return Day if isinstance(found.value, DaysAway) else type(found.value)


def _clauses(sentence: str, found: Sequence[Found]) -> Iterator[tuple[str, list[Found]]]:
    """The clauses, each without its values, and the values."""
    begin = 0
    ends = [
        end
        for end in _CLAUSE_ENDS.finditer(sentence)
        if not any(one.start < end.end() and end.start() < one.end for one in found)
    ]
    for start, after in [*((end.start(), end.end()) for end in ends), (len(sentence), len(sentence))]:
        values = [one for one in found if begin <= one.start < start]
        yield _without(values, sentence[begin:start], begin), values
        begin = after


def _without(values: Sequence[Found], clause: str, begin: int) -> str:
    """The clause without these values, so that "two years" is no name for what has a warranty of two years."""
    for one in reversed(values):
        clause = f"{clause[: one.start - begin]} {clause[one.end - begin :]}"
    return clause

"""A read-back as its answers refer to it: its parts, the words each goes by, its new and its old values.

What a customer agrees to is made of *parts*: each call is one, or several where its clause names several things
that are independent of one another ("change your e-mail to X and your phone number to Y"). An answer may name a
part by its words or by its values. A value is *old* when the clause only mentions it to say what changes ("from
Tuesday").
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from assistant.conversation.calls import Call
from assistant.conversation.entries import ConfirmationAsked
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.prompts.words import ConsentWords, plain_words
from assistant.text.function_words import carries_meaning
from assistant.text.stems import stem
from assistant.turn.consent_values import (
    SaidValue,
    is_comparable,
    is_said,
    is_weekday_of,
    shift_between,
    values_in,
)

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_NAME_PARTS = re.compile(r"[a-z0-9]+")
_IN_BRACKETS = re.compile(r"\(([^()]*)\)")
_STEM = 6
"""Words that begin with this many equal letters count as one: "cancel" and "cancellation"."""
_COMPOUND = 4
"""The least length of a word that stands for a longer German one: "Test" for "Sehtest"."""
_NAME = 4
"""The least length of a word of a tool's name that tells what the tool is about."""


@dataclass(frozen=True, slots=True)
class AskedValue:
    """A value in the question; ``old``: it is what changes, so that naming it agrees to nothing."""

    value: SaidValue
    old: bool


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that was asked about. ``call`` is the place of its call, from 0."""

    call: int
    words: frozenset[str]
    values: tuple[AskedValue, ...]


@dataclass(frozen=True)
class Question:
    """What was asked.

    Args:
        parts: in the order of the read-back.
        acts: for each call, the words of what is done: "cancel".
        shared: for each call, the words that all of its parts go by.
        elsewhere: words of what else there is to ask for.
        ends: the calls that end something, so that a reason against the thing is a reason for the call.
        locale: the language of the answer.
        compounds: words of the language are made of several: "Sehtest".
        goals: words that stand in a new state.
    """

    parts: tuple[Part, ...]
    acts: tuple[frozenset[str], ...]
    shared: tuple[frozenset[str], ...]
    elsewhere: Collection[str] = ()
    ends: frozenset[int] = frozenset()
    locale: str = "en"
    compounds: bool = False
    goals: frozenset[str] = frozenset()

    @cached_property
    def everything(self) -> frozenset[int]:
        """The places of all parts."""
        return frozenset(range(len(self.parts)))

    @property
    def calls(self) -> frozenset[int]:
        """The places of all calls."""
        return frozenset(range(len(self.acts)))

    @property
    def only_ends(self) -> bool:
        """Whether every call ends something."""
        return self.ends == self.calls

    @property
    def changes(self) -> bool:
        """Whether the question tells a new state from an old one."""
        return any(asked.old for part in self.parts for asked in part.values)

    def acted(self, word: str) -> frozenset[int]:
        """The places of the parts whose call does what the word says."""
        calls = {call for call, acts in enumerate(self.acts) if self._is_one_of(word, acts)}
        return self._parts_of(calls)

    def named(self, word: str) -> frozenset[int]:
        """The places of the parts that go by the word; none if it is no word of the question.

        "Orders" is no word of a question about one order.
        """
        if len(self.parts) == 1 and self._is_plural_of_one(word):
            return frozenset()
        own = {place for place, part in enumerate(self.parts) if self._is_one_of(word, part.words)}
        shared = {call for call, words in enumerate(self.shared) if self._is_one_of(word, words)}
        return frozenset(own) | self._parts_of(shared) | self.acted(word)

    def is_plural(self, word: str) -> bool:
        """Whether the word, which several parts go by, can only mean more than one: "rooms"."""
        known = frozenset[str]().union(*self.shared, *(part.words for part in self.parts))
        return word.endswith("s") and word not in known and word.removesuffix("s") in known

    def is_goal(self, word: str) -> bool:
        """Whether the question has the word in its new state: "to your Visa card"."""
        return self._is_one_of(word, self.goals)

    def is_elsewhere(self, word: str) -> bool:
        """Whether the word belongs to something else that there is to ask for, and not to the question."""
        return word in self.elsewhere and not self.named(word)

    def _parts_of(self, calls: Collection[int]) -> frozenset[int]:
        return frozenset(place for place, part in enumerate(self.parts) if part.call in calls)

    def _is_plural_of_one(self, word: str) -> bool:
        known = self.parts[0].words | self.shared[0]
        return word.endswith("s") and word not in known and word.removesuffix("s") in known

    def _is_one_of(self, word: str, words: Collection[str]) -> bool:
        forms = _forms(word, self.locale)
        joined = word.replace("-", "")
        return not forms.isdisjoint(words) or any(self._akin(joined, other) for other in words)

    def _akin(self, word: str, other: str) -> bool:
        if not (word.isalpha() and other.isalpha()):
            return False
        if len(word) >= _STEM and len(other) >= _STEM and word[:_STEM] == other[:_STEM]:
            return True
        compound = self.compounds and len(word) >= _COMPOUND and len(other) - len(word) >= _COMPOUND - 1
        return compound and (other.startswith(word) or other.endswith(word))


def question_of(
    asked: ConfirmationAsked, locale: str, words: ConsentWords, tools: Mapping[str, ToolSpec]
) -> Question:
    """The question of an entry, with the tools there are; pure.

    Where the read-back does not name each call, the calls cannot be told apart: they are one part.
    """
    clauses = asked.clauses if len(asked.clauses) == len(asked.calls) and all(asked.clauses) else ()
    names = {call.tool for call in asked.calls}
    others = (spec for name, spec in tools.items() if name not in names)
    elsewhere = frozenset(word for spec in others for word in topics_of(spec, locale, words))
    if not clauses:
        return question_about((asked.read_back,), locale, words, elsewhere=elsewhere)
    return question_about(clauses, locale, words, asked.calls, tools, elsewhere)


def question_about(
    clauses: Sequence[str],
    locale: str,
    words: ConsentWords,
    calls: Sequence[Call] = (),
    tools: Mapping[str, ToolSpec] | None = None,
    elsewhere: Collection[str] = (),
) -> Question:
    """The question that these clauses make, each of one call; without ``calls`` nothing is known but the words."""
    parts: list[Part] = []
    acts: list[frozenset[str]] = []
    shared: list[frozenset[str]] = []
    goals: set[str] = set()
    for place, clause in enumerate(clauses):
        call = calls[place] if calls else None
        spec = (tools or {}).get(call.tool) if call is not None else None
        made = _Clause(clause, locale, words, call, spec)
        parts += [Part(place, *part) for part in made.parts()]
        acts.append(made.acts)
        shared.append(made.shared)
        goals |= made.goals()
    ending = _stems(words.ends, locale)
    return Question(
        tuple(parts),
        tuple(acts),
        tuple(shared),
        elsewhere,
        ends=frozenset(place for place, act in enumerate(acts) if not act.isdisjoint(ending)),
        locale=locale,
        compounds=bool(words.particles),
        goals=frozenset(goals),
    )


def _shift(values: Sequence[AskedValue]) -> Iterator[AskedValue]:
    """By how many days the new dates are later than the old ones: "a week later" names the new state."""
    dates = [one for one in values if one.value.kind == "date"]
    old, new = ([one.value for one in dates if one.old is was] for was in (True, False))
    if old and (days := shift_between(old, new)):
        yield AskedValue(SaidValue("shift", days, new[0].start, new[0].end), old=False)


@dataclass(frozen=True)
class _Clause:
    """What follows "Shall I", taken apart."""

    text: str
    locale: str
    words: ConsentWords
    call: Call | None
    spec: ToolSpec | None
    plain: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "plain", plain_words(self.text))

    @cached_property
    def acts(self) -> frozenset[str]:
        """The verb: where the language has it in its clauses, in the hint and in the tool's name."""
        said = _WORD.findall(_IN_BRACKETS.sub("", self.plain))
        hints = self._hints()
        verbs: list[str] = []
        if self.words.verb_last:
            verbs += said[-1:] + [hint[-1] for hint in hints[:1] if hint]
            verbs += [word for hint in hints[1:] for word in hint[:1]]
            verbs += [hint[-1] for hint in hints[1:] if hint and hint[-1] in self.words.particles]
        else:
            verbs += said[:1] + [hint[0] for hint in hints if hint]
        verbs += _NAME_PARTS.findall(self.spec.name.casefold())[:1] if self.spec is not None else []
        own = frozenset(form for verb in verbs for form in self._verb_forms(verb))
        alike = (group for group in self.words.same_acts if not own.isdisjoint(_stems(group, self.locale)))
        return own.union(form for group in alike for verb in group for form in self._verb_forms(verb))

    @cached_property
    def shared(self) -> frozenset[str]:
        """Words that the whole call goes by: its verb, its hint, its tool's name."""
        name = _NAME_PARTS.findall(self.spec.name.casefold()) if self.spec is not None else []
        told = [word for hint in self._hints() for word in hint] + [
            word for word in name if len(word) >= _NAME
        ]
        own = frozenset(
            form for word in told if carries_meaning(word, self.locale) for form in _forms(word, self.locale)
        )
        return self._with_synonyms(own) | self.acts

    def parts(self) -> Iterator[tuple[frozenset[str], tuple[AskedValue, ...]]]:
        """The words and values of each part."""
        values = list(self._values())
        for start, end in self._segments():
            text = self.plain[start:end]
            inside = tuple(one for one in values if start <= one.value.start < end)
            yield self._content(text, start), (*inside, *_shift(inside))

    def goals(self) -> frozenset[str]:
        """The words that stand behind a word such as "to"."""
        begins = [end for _, end in self.words.goal.places(self.plain)]
        return self._content(self.plain[begins[0] :], begins[0]) if begins else frozenset()

    def _content(self, text: str, start: int) -> frozenset[str]:
        """The words that carry meaning, save those of an old state."""
        old = self._old_places()
        own = frozenset(
            form
            for match in _WORD.finditer(text)
            if carries_meaning(match[0], self.locale)
            and not any(a <= start + match.start() < b for a, b in old)
            for form in _forms(match[0], self.locale)
        )
        return self._with_synonyms(own)

    def _with_synonyms(self, own: frozenset[str]) -> frozenset[str]:
        alike = (group for group in self.words.same_things if not own.isdisjoint(_stems(group, self.locale)))
        return own.union(form for group in alike for form in _stems(group, self.locale))

    def _values(self) -> Iterator[AskedValue]:
        found = values_in(self.plain, self.locale)
        old = self._old_places()
        ours = [one for one in found if self._is_argument(one)]
        for one in found:
            marked = any(start <= one.start < end for start, end in old)
            # What the call does not hold, where it holds another of that kind, only tells what was.
            left = (
                bool(self._arguments) and one not in ours and any(is_comparable(one, other) for other in ours)
            )
            yield AskedValue(one, marked or left)

    @cached_property
    def _arguments(self) -> list[SaidValue]:
        texts = [str(value) for value in self.call.arguments.values()] if self.call is not None else []
        return [value for text in texts for value in values_in(plain_words(text), self.locale)]

    def _is_argument(self, value: SaidValue) -> bool:
        return any(is_said(value, one) or is_weekday_of(value, one) for one in self._arguments)

    def _old_places(self) -> list[tuple[int, int]]:
        """Where the clause says what changes: from a word such as "from" to one such as "to"."""
        places: list[tuple[int, int]] = []
        if not self.acts.isdisjoint(_stems(self.words.ends, self.locale)):
            return places  # What ends has no new state: "from Friday to Monday" is how long it was.
        for begin in self.words.source.places(self.plain):
            goals = [goal for goal in self.words.goal.places(self.plain) if goal[0] >= begin[1]]
            if goals:
                places.append((begin[1], goals[0][0]))
        return places

    def _segments(self) -> list[tuple[int, int]]:
        """Where one independent thing ends and the next begins; one segment where they hang together.

        Things are independent when each is an argument that the tool could do without.
        """
        optional = self._optional_places()
        cuts = [start for start, _ in self.words.joint.places(self.plain)]
        if (brackets := _IN_BRACKETS.search(self.plain)) is not None:
            cuts += [brackets.start(1) + comma.start() for comma in re.finditer(",", brackets[1])]
        segments: list[tuple[int, int]] = []
        begin = 0
        for cut in sorted(cuts):
            if any(begin <= place < cut for place in optional) and any(place >= cut for place in optional):
                segments.append((begin, cut))
                begin = cut
        return [*segments, (begin, len(self.plain))]

    def _optional_places(self) -> list[int]:
        """Where the clause has the arguments that the call could do without."""
        if self.call is None:
            return []
        required = _required(self.spec)
        places: list[int] = []
        for name, value in self.call.arguments.items():
            if name in required or not isinstance(value, str):
                continue
            if (place := self.plain.find(plain_words(value))) >= 0:
                places.append(place)
            else:
                said = values_in(plain_words(value), self.locale)
                found = values_in(self.plain, self.locale)
                places += [one.start for one in found if any(is_said(one, each) for each in said)]
        return places

    def _hints(self) -> list[list[str]]:
        """The words of the hint: "cancelling your order", "cancel your order"."""
        hint = self.spec.own_hint(self.locale) if self.spec is not None else None
        return (
            [_WORD.findall(plain_words(one)) for one in (hint.doing, hint.will)] if hint is not None else []
        )

    def _verb_forms(self, verb: str) -> Iterator[str]:
        """The verb, and a separable one in two: "absagen" is "sagen ... ab"."""
        yield from _forms(verb, self.locale)
        particle = next(
            (one for one in self.words.particles if verb.startswith(one) and len(verb) > len(one) + 2), None
        )
        if particle is not None:
            yield particle
            yield from _forms(verb.removeprefix(particle), self.locale)


def _forms(word: str, locale: str) -> frozenset[str]:
    """A word as it is compared: "e-mail" is "email", "cancelled" is "cancel"."""
    joined = word.replace("-", "")
    return frozenset((joined, stem(joined, locale), joined.rstrip("s") or joined))


def _stems(words: Iterable[str], locale: str) -> frozenset[str]:
    return frozenset(form for word in words for form in _forms(plain_words(word), locale))


def topics_of(spec: ToolSpec, locale: str, words: ConsentWords) -> Iterator[str]:
    """What another tool is about: the nouns of its name and of its hint. A name begins with what is done."""
    yield from (word for word in _NAME_PARTS.findall(spec.name.casefold())[1:] if len(word) >= _NAME)
    hint = spec.own_hint(locale)
    if hint is not None:
        told = _WORD.findall(plain_words(hint.doing))
        nouns = told[:-1] if words.verb_last else told[1:]
        yield from (word for word in nouns if len(word) > _NAME and carries_meaning(word, locale))


def _required(spec: ToolSpec | None) -> Collection[str]:
    required: Json = spec.parameters.get("required", []) if spec is not None else []
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []

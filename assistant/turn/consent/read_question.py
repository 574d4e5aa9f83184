"""Analyses the question of a read-back: "Shall I move your test from Tuesday to Thursday?"

Each clause is one call. Its verb is the call's action; an answer may use its words and values.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from assistant.conversation.calls import Call
from assistant.conversation.entries import ConfirmationAsked
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.language.words import carries_meaning
from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.words import WordList, plain_words
from assistant.turn.consent.find_values import values_in
from assistant.turn.consent.question import AskedValue, Part, Question, word_forms
from assistant.turn.consent.roles import WORD
from assistant.turn.consent.values import SaidValue, is_comparable, is_said, is_weekday_of, shift_between

_NAME_PARTS: Final = re.compile(r"[a-z0-9]+")
_IN_BRACKETS: Final = re.compile(r"\(([^()]*)\)")
_NAME: Final = 4
"""The least length of a word in a tool's name that says what the tool is about."""


def question_of(
    asked: ConfirmationAsked, locale: str, words: ConsentWords, tools: Mapping[str, ToolSpec]
) -> Question:
    """The question of an entry, with the tools there are; pure.

    If the read-back does not name each call, the calls cannot be distinguished: then they are one part.
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
    """The question with these clauses, each of one call. Without ``calls``, only the words are known."""
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
    ending = _stems(words.ending_verbs, locale)
    return Question(
        tuple(parts),
        tuple(acts),
        tuple(shared),
        elsewhere,
        ends=frozenset(place for place, act in enumerate(acts) if not act.isdisjoint(ending)),
        locale=locale,
        compounds=bool(words.verb_particles),
        goals=frozenset(goals),
        any_thing=frozenset(words.any_thing),
        relations=frozenset(
            found
            for clause in clauses
            for found in (*words.time_relations.found_in(clause), *words.ranges.found_in(clause))
        ),
    )


def _shift(values: Sequence[AskedValue]) -> Iterator[AskedValue]:
    """The number of days by which the new dates are later: "a week later" names the new state."""
    dates = [one for one in values if one.value.kind == "date"]
    old, new = ([one.value for one in dates if one.old is was] for was in (True, False))
    if old and (days := shift_between(old, new)):
        yield AskedValue(SaidValue("shift", days, new[0].start, new[0].end), old=False)


@dataclass(frozen=True)
class _Clause:
    """A clause after "Shall I", with its words and values."""

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
        """The words for the action: the verbs in the clause, in the hint and in the tool's name."""
        said = WORD.findall(_IN_BRACKETS.sub("", self.plain))
        hints = self._hints()
        verbs: list[str] = []
        if self.words.verb_last:
            verbs += said[-1:] + [hint[-1] for hint in hints[:1] if hint]
            verbs += [word for hint in hints[1:] for word in hint[:1]]
            verbs += [hint[-1] for hint in hints[1:] if hint and hint[-1] in self.words.verb_particles]
        else:
            verbs += said[:1] + [hint[0] for hint in hints if hint]
        verbs += _NAME_PARTS.findall(self.spec.name.casefold())[:1] if self.spec is not None else []
        own = frozenset(form for verb in verbs for form in self._verb_forms(verb))
        alike = (group for group in self.words.act_synonyms if not own.isdisjoint(_stems(group, self.locale)))
        return own.union(form for group in alike for verb in group for form in self._verb_forms(verb))

    @cached_property
    def shared(self) -> frozenset[str]:
        """The words that name the whole call: its verb, its hint, its tool's name."""
        name = _NAME_PARTS.findall(self.spec.name.casefold()) if self.spec is not None else []
        told = [word for hint in self._hints() for word in hint] + [
            word for word in name if len(word) >= _NAME
        ]
        own = frozenset(
            form
            for word in told
            if carries_meaning(word, self.locale)
            for form in word_forms(word, self.locale)
        )
        return self._with_synonyms(own) | self.acts

    def parts(self) -> Iterator[tuple[frozenset[str], tuple[AskedValue, ...]]]:
        """The words and values of each part."""
        values = list(self._asked_values())
        for start, end in self._segments():
            text = self.plain[start:end]
            inside = tuple(one for one in values if start <= one.value.start < end)
            yield self._content(text, start), (*inside, *_shift(inside))

    def goals(self) -> frozenset[str]:
        """The words after a word such as "to"."""
        begins = [end for _, end in self.words.before_new.places(self.plain)]
        return self._content(self.plain[begins[0] :], begins[0]) if begins else frozenset()

    def _content(self, text: str, start: int) -> frozenset[str]:
        """The words with a meaning, except those of an old state."""
        old = self._old_places
        own = frozenset(
            form
            for match in WORD.finditer(text)
            if carries_meaning(match[0], self.locale)
            and not any(a <= start + match.start() < b for a, b in old)
            for word in (match[0], *_second_parts(match[0]))
            for form in word_forms(word, self.locale)
        )
        return self._with_synonyms(own)

    def _with_synonyms(self, own: frozenset[str]) -> frozenset[str]:
        alike = (
            group for group in self.words.thing_synonyms if not own.isdisjoint(_stems(group, self.locale))
        )
        return own.union(form for group in alike for form in _stems(group, self.locale))

    @cached_property
    def _values(self) -> Sequence[SaidValue]:
        return values_in(self.plain, self.locale)

    def _asked_values(self) -> Iterator[AskedValue]:
        found, old = self._values, self._old_places
        ours = [one for one in found if self._is_argument(one)]
        for one in found:
            marked = any(start <= one.start < end for start, end in old)
            # If the call has another value of this kind, a value that it does not have is an old one.
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

    @cached_property
    def _old_places(self) -> list[tuple[int, int]]:
        """The positions of the old values: from a word such as "from" up to one such as "to"."""
        places: list[tuple[int, int]] = []
        if not self.acts.isdisjoint(_stems(self.words.ending_verbs, self.locale)):
            return places  # no new state: "from Friday to Monday" is a period
        for begin in self.words.before_old.places(self.plain):
            goals = [goal for goal in self.words.before_new.places(self.plain) if goal[0] >= begin[1]]
            if goals:
                places.append((begin[1], goals[0][0]))
        return places

    def _segments(self) -> list[tuple[int, int]]:
        """The ranges of independent things in the clause; a single range if the things depend on each other.

        Things are independent if each is an argument that the tool does not require.
        """
        optional = self._optional_places()
        cuts = [start for start, _ in self.words.joining.places(self.plain)]
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
        """The positions in the clause of arguments that the tool does not require."""
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
                places += [one.start for one in self._values if any(is_said(one, each) for each in said)]
        return places

    def _hints(self) -> list[list[str]]:
        """The words of the hint: "cancelling your order", "cancel your order"."""
        hint = self.spec.own_hint(self.locale) if self.spec is not None else None
        return [WORD.findall(plain_words(one)) for one in (hint.doing, hint.will)] if hint is not None else []

    def _verb_forms(self, verb: str) -> Iterator[str]:
        """The verb; a separable one also in two parts: "absagen" is "sagen ... ab"."""
        yield from word_forms(verb, self.locale)
        particle = next(
            (one for one in self.words.verb_particles if verb.startswith(one) and len(verb) > len(one) + 2),
            None,
        )
        if particle is not None:
            yield particle
            yield from word_forms(verb.removeprefix(particle), self.locale)


def _second_parts(word: str) -> Iterator[str]:
    """The last part of a word with a hyphen: "Karte" for "EC-Karte"."""
    _, hyphen, last = word.rpartition("-")
    if hyphen and len(last) >= _NAME:
        yield last


@lru_cache(maxsize=1024)
def _stems(words: WordList, locale: str) -> frozenset[str]:
    return frozenset(form for word in words for form in word_forms(plain_words(word), locale))


def topics_of(spec: ToolSpec, locale: str, words: ConsentWords) -> Iterator[str]:
    """What another tool is about: the nouns in its name and its hint.

    The first word of a name is the verb.
    """
    yield from (word for word in _NAME_PARTS.findall(spec.name.casefold())[1:] if len(word) >= _NAME)
    hint = spec.own_hint(locale)
    if hint is not None:
        told = WORD.findall(plain_words(hint.doing))
        nouns = told[:-1] if words.verb_last else told[1:]
        yield from (word for word in nouns if len(word) > _NAME and carries_meaning(word, locale))


def _required(spec: ToolSpec | None) -> Collection[str]:
    required: Json = spec.parameters.get("required", []) if spec is not None else []
    return [name for name in required if isinstance(name, str)] if isinstance(required, list) else []

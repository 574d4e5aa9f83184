"""Reads what a clause says about the things in the question: "not the second", "the order, yes".

A clause names things, has a polarity (do it, or leave it unchanged), both, or neither.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

from assistant.prompts.consent_words import ConsentWords
from assistant.turn.consent.clauses import Clause
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import AGREEING, DENYING, NAMING, Role

Polarity: TypeAlias = Literal["do", "leave"]
_Said: TypeAlias = Literal["agrees", "denies", "acts"]
"""``acts`` only names the action: "cancel"."""


@dataclass(frozen=True, slots=True)
class Named:
    """Things of a clause, and what it says about them; None if it says nothing."""

    places: frozenset[int]
    polarity: Polarity | None


@dataclass(frozen=True, slots=True)
class Saying:
    """The meaning of a clause.

    ``named``: things by their positions. ``polarity``: the polarity of a clause that names none. ``only``:
    these things and no others ("only the first"). ``others``: it is about the things that other clauses do
    not name ("not the rest"). ``by_place``: it names things only as the first, the second and so on.
    ``approves``: it says that they are right, but not what to do ("the e-mail is correct").
    """

    named: tuple[Named, ...] = ()
    polarity: Polarity | None = None
    only: bool = False
    others: bool = False
    by_place: bool = False
    approves: bool = False
    ends_sentence: bool = False
    joined: bool = False


def saying_of(clause: Clause, question: Question, words: ConsentWords) -> Saying | None:
    """The meaning of a clause that is accounted for.

    None if it contradicts itself, or if its verb is no order.
    """
    if _tells_of_others(clause, words) or (question.ends and _approves_of_the_thing(clause, words)):
        return None
    if question.only_ends and _only_names_a_new_state(clause, words):
        return None
    runs = list(_runs(clause, question))
    things = [run for run in runs if isinstance(run, frozenset)]
    said = [run for run in runs if isinstance(run, str)]
    base = Saying(
        only=clause.has(Role.ONLY),
        others=clause.has(Role.OTHERS),
        by_place=all(
            any(token.text in phrases for phrases in (*words.ordinals, words.last))
            for token in clause.having(Role.THING)
        ),
        approves=_only_checks(clause),
        ends_sentence=clause.ends_sentence,
        joined=clause.joined,
    )
    if len(things) > 1 and len(said) > 1:
        pairs = _paired(runs)
        return replace(base, named=pairs) if pairs is not None else None
    if "agrees" in said and "denies" in said:
        return None
    polarity: Polarity | None = "leave" if "denies" in said else "do" if said else None
    if clause.has(Role.EVERYTHING):
        if things and polarity == "leave":
            # "Everything except the order".
            return replace(base, named=(Named(frozenset[int]().union(*things), "leave"),), polarity="do")
        if base.only:
            return None  # "Just everything" is irony.
        things, polarity = [question.everything], polarity or "do"
    if (things or base.others) and polarity == "leave" and _is_limit(clause, words):
        return None
    if not things:
        return replace(base, polarity=polarity)
    return replace(base, named=(Named(frozenset[int]().union(*things), polarity),))


def _only_checks(clause: Clause) -> bool:
    """Whether a clause says that a thing or value is right, but not what to do: "the e-mail is correct"."""
    if clause.has(Role.ACT):
        return False
    by_value = clause.has(Role.NEW_VALUE) and not clause.has(Role.THING, Role.ONLY)
    return by_value or (clause.has(Role.APPROVES) and not clause.has(Role.AGREES))


def _only_names_a_new_state(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause gives a time, but not an action: "then on Tuesday" is no order to cancel."""
    if clause.has(Role.ACT):
        return False
    until = any(
        words.ranges.is_one(one.text)
        and other.role is Role.NEW_VALUE
        and not clause.of(clause.tokens[:place]).has(*NAMING)
        for place, (one, other) in enumerate(pairwise(clause.tokens))
    )
    return until or (
        clause.has_token(words.conclusions) and clause.has(*NAMING) and not clause.has(Role.AGREES)
    )


def _tells_of_others(clause: Clause, words: ConsentWords) -> bool:
    """Whether the verb is no order: "they cancelled it", "it was cancelled"."""
    for place, token in enumerate(clause.tokens):
        if token.role is not Role.ACT or " " in token.text or not place:
            continue
        before = clause.of(clause.tokens[:place])
        if any(
            words.subjects.is_one(one.text) and not words.object_pronouns.is_one(one.text.partition("'")[0])
            for one in before.tokens
        ):
            return True
        if words.question_starts.is_one(before.tokens[-1].text) and not words.does.is_one(
            before.tokens[-1].text
        ):
            return not (words.verb_last or before.has(Role.AGREES, *DENYING))
    return False


def _approves_of_the_thing(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause praises the thing that is to end, which is no order to end it: "Tuesday is fine"."""
    if not clause.has(Role.APPROVES) or clause.has(Role.ACT, *DENYING):
        return False
    if clause.has_token(words.suits):
        return True
    named = clause.has(*NAMING)
    praises = any(words.praise.is_one(token.text) for token in clause.having(Role.APPROVES))
    means_it = named or clause.has_token(words.subject_pronouns)
    return (named and not clause.has(Role.AGREES)) or (praises and means_it)


def _is_limit(clause: Clause, words: ConsentWords) -> bool:
    """Whether a clause means a time, and not a thing: "but not on Tuesday"."""
    kept = clause.without(Role.SOUND)
    return not kept.has(Role.THING, Role.OLD_VALUE) and any(
        one.role in DENYING and words.before_times.is_one(other.text) for one, other in pairwise(kept.tokens)
    )


def _runs(clause: Clause, question: Question) -> Iterator[frozenset[int] | _Said]:
    """Things, alternating with what is said about them: "the first yes the second no" gives four."""
    last: frozenset[int] | _Said | None = None
    for run in _single_runs(clause, question):
        if isinstance(run, str) and isinstance(last, str):
            last = "denies" if "denies" in (run, last) else "agrees" if "agrees" in (run, last) else "acts"
        elif isinstance(run, frozenset) and isinstance(last, frozenset):
            last = last & run or last | run
        else:
            if last is not None:
                yield last
            last = run
    if last is not None:
        yield last


def _single_runs(clause: Clause, question: Question) -> Iterator[frozenset[int] | _Said]:
    named = clause.has(Role.THING, Role.NEW_VALUE, Role.OLD_VALUE)
    for token in clause.tokens:
        if token.role in DENYING:
            yield "denies"
        elif token.role in AGREEING:
            yield "agrees"
        elif token.role is Role.ACT:
            yield "acts"
        names = token.role in (Role.THING, Role.NEW_VALUE, Role.OLD_VALUE)
        if (
            (names or (token.role is Role.ACT and not named))
            and token.places
            and token.places != question.everything
        ):
            yield token.places


def _paired(runs: Sequence[frozenset[int] | _Said]) -> tuple[Named, ...] | None:
    """Alternating things and polarities as pairs: "the first yes the second no", "yes to the first"."""
    things, said = list(runs[::2]), list(runs[1::2])
    if isinstance(runs[0], str):
        things, said = said, things
    if len(things) != len(said):
        return None
    pairs: list[Named] = []
    for thing, word in zip(things, said, strict=True):
        if not isinstance(thing, frozenset) or not isinstance(word, str):
            return None
        pairs.append(Named(thing, "leave" if word == "denies" else "do"))
    return tuple(pairs)

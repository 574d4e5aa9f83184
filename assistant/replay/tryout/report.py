"""Words what an edit comes to: how often, for whom, and what would have been read or heard instead."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from assistant.conversation.entries import ModelRole
from assistant.replay.tryout.compared import Compared
from assistant.replay.tryout.differences import Difference, Where, grouped
from assistant.replay.tryout.given import ROLES, Given

_PLACES = 6
"""So many conversations are named; of more it is said how many."""


def report(compared: Sequence[Compared], source: str) -> Iterator[str]:
    """The lines: first what models are given, then what customers hear. ``source`` is the prompt's file."""
    named: tuple[ModelRole, ...] = tuple(role for role in ROLES if source == f"{role}.j2")
    for role in ROLES:
        given = [(one.name, each) for one in compared for each in one.given if each.role == role]
        if role in named or any(each.differs for _, each in given):
            yield from _given(role, given)
    yield from _heard(compared)
    for one in compared:
        for missed in one.not_asked:
            yield f"{one.name} {missed.turn}: {missed.role} not compared: {missed.why}"


def _given(role: ModelRole, given: Sequence[tuple[str, Given]]) -> Iterator[str]:
    turns = {(name, each.turn) for name, each in given}
    names, differ = {name for name, _ in turns}, {(name, each.turn) for name, each in given if each.differs}
    told = f"{role}: {counted(len(turns), 'turn')} in {counted(len(names), 'conversation')}"
    if not given:
        yield f"{told}; nothing to compare"
        return
    before = _mean_words([each.today.view.instructions for _, each in given])
    after = _mean_words([each.edited.view.instructions for _, each in given])
    yield f"{told}; {len(differ)} {'differs' if len(differ) == 1 else 'differ'};" + (
        f" {before:,.0f} -> {after:,.0f} words on average"
    )
    texts = [
        ((name, each.turn), each.today.view.instructions, each.edited.view.instructions)
        for name, each in given
    ]
    for difference in grouped(texts):
        yield from _difference(difference)


def _difference(difference: Difference) -> Iterator[str]:
    yield f"\n  {_places(difference.where)}"
    yield from (f"    {line}".rstrip() for line in difference.lines)


def _heard(compared: Sequence[Compared]) -> Iterator[str]:
    otherwise = [one for one in compared if one.heard]
    yield f"\ncustomers would hear something else in {len(otherwise)} of {counted(len(compared), 'conversation')}"
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in otherwise:
        alike.setdefault(one.heard, []).append(one.name)
    for lines, names in alike.items():
        yield f"\n  {_listed(names, ', ')}"
        yield from (f"    {line}" for line in lines)


def _places(where: Sequence[Where]) -> str:
    """In which turns of which conversations.

    >>> _places([("one_lookup", 1), ("two_lookups", 1), ("two_lookups", 2)])
    '3 turns: one_lookup 1; two_lookups 1, 2'
    """
    named = [
        f"{name} {', '.join(str(turn) for _, turn in turns)}"
        for name, turns in groupby(where, key=lambda one: one[0])
    ]
    return f"{counted(len(where), 'turn')}: {_listed(named, '; ')}"


def _listed(names: Sequence[str], between: str) -> str:
    more = [f"and {len(names) - _PLACES} more"] if len(names) > _PLACES else []
    return between.join([*names[:_PLACES], *more])


def _mean_words(texts: Sequence[str]) -> float:
    return sum(len(text.split()) for text in texts) / len(texts)


def counted(number: int, thing: str) -> str:
    """So many of a thing.

    >>> counted(1, "turn"), counted(2, "turn")
    ('1 turn', '2 turns')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"

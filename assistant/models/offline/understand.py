"""Finds out which tools a message asks for, clause by clause."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from assistant.models.offline.clauses import Clause, borrow_head
from assistant.models.offline.deeds import deed_of, deeds_of, is_question
from assistant.models.offline.entities import Entities
from assistant.models.offline.match import Match
from assistant.models.offline.paraphrase import paraphrase
from assistant.models.offline.slots import Slot, slots_of
from assistant.models.offline.stance import Stance, is_knowledge, stance_of
from assistant.models.offline.stems import stems

Nearest: TypeAlias = Callable[[str], Sequence[Match]]
"""Ranks the tools for a clause, nearest first."""

SURE: Final = 0.5
STATED: Final = 0.55  # a statement is a request only between the lines: it takes more to believe so
LIKELY: Final = 0.42
APART: Final = 0.05


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a message that means one thing: ``matches`` ranks the tools for it."""

    text: str
    start: int
    end: int
    stance: Stance
    matches: tuple[Match, ...]

    @property
    def best(self) -> Match:
        """The nearest tool, or nothing's."""
        return self.matches[0]

    @property
    def sure(self) -> bool:
        """Whether it asks for its best tool beyond doubt."""
        return self.best.spec is not None and self.best.score >= (
            STATED if self.stance == "statement" else SURE
        )

    @property
    def doubtful(self) -> bool:
        """Whether its two best tools are too near to each other to choose."""
        return (
            len(self.matches) > 1
            and self.matches[1].spec is not None
            and self.best.score - self.matches[1].score < APART
        )


def read_pieces(
    clauses: Sequence[Clause], lower: str, entities: Entities, nearest: Nearest
) -> tuple[Piece, ...]:
    """Join the clauses to pieces, in their order: lists of nouns become a piece each only if each asks for
    a tool of its own.
    """
    pieces: list[Piece] = []
    for clause in clauses:
        if clause.joined == "weak" and pieces:
            last = pieces.pop()
            pieces += _listed(last, clause, lower, entities, nearest)
        else:
            pieces.append(_piece(clause.text, clause.start, clause.end, entities, nearest))
    return tuple(pieces)


def _listed(last: Piece, clause: Clause, lower: str, entities: Entities, nearest: Nearest) -> list[Piece]:
    completed = borrow_head(last.text, clause.text)
    own = _piece(completed, clause.start, clause.end, entities, nearest)
    own = replace(own, stance="negated" if last.stance == "negated" else own.stance)
    another = _names_another(last, clause, lower, entities)
    if last.sure and own.sure and (last.best.spec != own.best.spec or another):
        return [last, own]
    return [_piece(lower[last.start : clause.end], last.start, clause.end, entities, nearest)]


def _names_another(last: Piece, clause: Clause, lower: str, entities: Entities) -> bool:
    """Whether a clause is no more than the number of another thing: "cancel order 10455 and 10482"."""
    own = entities.within(clause.start, clause.end)
    nouns = stems(" ".join(one.noun for one in own.references))
    between = lower[last.end : clause.start]
    return (
        bool(own.references and entities.within(last.start, last.end).references)
        and stems(_without(clause.text, own, clause.start)) <= nouns
        and "or" not in between.split()
    )


def _piece(text: str, start: int, end: int, entities: Entities, nearest: Nearest) -> Piece:
    own = entities.within(start, end)
    meant = paraphrase(text)
    if not stems(_without(text, own, start)) and not deeds_of(meant):
        # A bare day or number is an answer to something; by itself it asks for nothing.
        return Piece(text, start, end, stance_of(text), (Match(None, 0.0),))
    matches = sorted(
        (
            replace(match, score=match.score + _fit(match, own) + _suits(match, meant))
            for match in nearest(meant)
        ),
        key=lambda match: -match.score,
    )
    return Piece(text, start, end, stance_of(text), tuple(matches))


def _without(text: str, own: Entities, offset: int) -> str:
    for start, end in own.ranges:
        text = text[: start - offset] + " " * (end - start) + text[end - offset :]
    return text


def _suits(match: Match, meant: str) -> float:
    """What the kind of deed says for a tool, and against it."""
    if match.spec is None:
        return 0.0
    said, named = deeds_of(meant), deed_of(match.spec)
    if is_knowledge(meant):
        return -0.35
    if match.spec.effect == "read":
        return -0.1 if said & {"end", "shift"} and not is_question(meant) else 0.0
    if is_question(meant) and "shift" not in said:
        return -0.2
    return 0.12 if said & named else -0.2 if said and named else 0.0


def _fit(match: Match, own: Entities) -> float:
    """What the things in a clause say for a tool that has a place for them, and against one that has none."""
    if match.spec is None:
        return 0.0
    slots = slots_of(match.spec)
    kinds = {slot.kind for slot in slots}
    fit = 0.0
    if own.emails:
        fit += 0.2 if "email" in kinds else -0.1
    if own.phones:
        fit += 0.2 if "phone" in kinds else -0.1
    if own.days:
        fit += 0.03 if kinds & {"day", "moment"} else -0.05
    if own.times:
        fit += 0.03 if kinds & {"time", "moment"} else -0.03
    if any(slot.role == "new" for slot in slots):
        fit += 0.08 if len(own.days) > 1 else 0.0
    return fit + _named(slots, own)


def _named(slots: Sequence[Slot], own: Entities) -> float:
    nouns = {slot.noun for slot in slots if slot.kind == "reference"}
    marked = [one for one in own.references if one.marked]
    if not marked:
        return 0.0
    return (
        0.12
        if any(one.noun in nouns or not one.noun for one in marked) and nouns
        else 0.06
        if nouns
        else -0.05
    )

"""One message on its own, decided: which calls with which arguments, or what to say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from assistant.models.offline.clauses import split
from assistant.models.offline.decision import Ask, Decision, Help, Planned, Reply, Unsure
from assistant.models.offline.entities import Entities, find_entities, plain
from assistant.models.offline.fill import fill
from assistant.models.offline.match import Index
from assistant.models.offline.slots import slots_of
from assistant.models.offline.smalltalk import small_talk
from assistant.models.offline.understand import LIKELY, Nearest, Piece, read_pieces

_SAME_DAY: Final = re.compile(r"\b(?:that|the same) (?:day|date)\b")
_ASKS_BACK_ON: Final = 0.5


@dataclass(frozen=True, slots=True)
class Message:
    """A customer's message, read: lower-case text, what stands in it, its pieces."""

    text: str
    entities: Entities
    pieces: tuple[Piece, ...]


def read_message(text: str, today: date, nearest: Nearest) -> Message:
    """Read a message; asks ``nearest`` once for each clause."""
    lower = plain(text)
    entities = find_entities(text, today)
    clauses = split(lower, entities.ranges)
    return Message(lower, entities, read_pieces(clauses, lower, entities, nearest))


def decide_message(message: Message, index: Index, today: date) -> Decision:
    """Decide one message without what went before. Nothing is done on weak evidence, on talk about a deed,
    or against a negation; then it is asked back, or said what there is to ask for.
    """
    asked = _asked(message.pieces, index)
    if not asked:
        return Decision(reply=_nothing(message))
    plans = [_plan(piece, message, today) for piece in asked]
    calls = tuple(plan for plan in _once_each(plans) if isinstance(plan, Planned))
    asks = [plan for plan in plans if isinstance(plan, Ask)]
    return Decision(calls, asks[0] if asks else None)


def _asked(pieces: Sequence[Piece], index: Index) -> list[Piece]:
    asked: list[Piece] = []
    for piece in pieces:
        if piece.stance == "retracted":
            asked = [one for one in asked if one.best.spec and one.best.spec.effect == "read"]
        elif piece.stance != "negated" and piece.sure and _may_act(piece, index):
            asked.append(piece)
    return asked


def _may_act(piece: Piece, index: Index) -> bool:
    spec = piece.best.spec
    if spec is None:
        return False
    if spec.effect == "read":
        return True
    return piece.stance != "musing" and not piece.doubtful and index.acts(spec, piece.text)


def _plan(piece: Piece, message: Message, today: date) -> Planned | Ask:
    spec = piece.best.spec
    assert spec is not None  # noqa: S101 - _asked kept only pieces with a tool
    slots = slots_of(spec)
    filled = fill(slots, message.text, _own(piece, message), today)
    if filled.missing:
        filled = fill(slots, message.text, _own(piece, message).plus(_unclaimed(message)), today)
    if filled.missing:
        return Ask(spec, filled.missing[0], filled.arguments)
    return Planned(spec, filled.arguments)


def _own(piece: Piece, message: Message) -> Entities:
    own = message.entities.within(piece.start, piece.end)
    if _SAME_DAY.search(piece.text) and not own.days:
        return own.plus(Entities(days=message.entities.within(0, piece.start).days[-1:]))
    return own


def _unclaimed(message: Message) -> Entities:
    """What stands in clauses that ask for nothing themselves: "order 12 is late, please cancel it"."""
    spare = Entities()
    for piece in message.pieces:
        if not piece.sure or piece.stance == "negated":
            spare = spare.plus(message.entities.within(piece.start, piece.end))
    return spare


def _once_each(plans: Sequence[Planned | Ask]) -> list[Planned | Ask]:
    kept: list[Planned | Ask] = []
    for plan in plans:
        same = next((n for n, one in enumerate(kept) if one.spec == plan.spec and _agree(one, plan)), None)
        if same is None:
            kept.append(plan)
        elif isinstance(plan, Planned):
            kept[same] = Planned(plan.spec, {**kept[same].arguments, **plan.arguments})
    return kept


def _agree(one: Planned | Ask, other: Planned | Ask) -> bool:
    return all(other.arguments.get(name, value) == value for name, value in one.arguments.items())


def _nothing(message: Message) -> Reply:
    talk = small_talk(message.text)
    if talk is not None:
        return talk
    likely = {
        match.spec.name: match.spec
        for piece in message.pieces
        if piece.stance not in ("negated", "retracted")
        for match in piece.matches[:2]
        if match.spec is not None and match.score >= max(_ASKS_BACK_ON, piece.best.score - 0.05)
    }
    return Unsure(tuple(likely.values())) if likely else Help(unmatched=True)

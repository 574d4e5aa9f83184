"""One message on its own, decided: which calls with which arguments, or what to say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.models.offline.clauses import split
from assistant.models.offline.decision import Ask, Decision, Help, Planned, Reply, Smalltalk, Unsure
from assistant.models.offline.entities import Entities, find_entities, plain
from assistant.models.offline.fill import fill
from assistant.models.offline.orders import hands_over, is_conditional, orders
from assistant.models.offline.paraphrase import paraphrase
from assistant.models.offline.slots import Slot, slots_of
from assistant.models.offline.smalltalk import small_talk
from assistant.models.offline.stems import stems
from assistant.models.offline.understand import Nearest, Piece, read_pieces

_SAME_DAY: Final = re.compile(r"\b(?:that|the same) (?:day|date)\b")
_IT: Final = re.compile(r"\b(?:it|that|this|them|that one|this one)$")
_SENTENCE_END: Final = re.compile(r"[.?!;](?:\s|$)")
_HANGING: Final = re.compile(r"\b(?:do not|don't|never)(?:,.*)?$")
_ASKS_BACK_ON: Final = 0.5
_ALSO_ASKED: Final = 0.15  # so much less near than the best, and still worth offering


@dataclass(frozen=True, slots=True)
class Message:
    """A customer's message, read: lower-case text, what stands in it, its pieces."""

    text: str
    entities: Entities
    pieces: tuple[Piece, ...]

    def about(self, tool: str) -> "Message | None":
        """What of it asks for this tool; None where nothing does."""
        own = tuple(one for one in self.pieces if one.best.spec and one.best.spec.name == tool)
        entities = Entities()
        for piece in own:
            entities = entities.plus(self.entities.within(piece.start, piece.end))
        return Message(" ".join(piece.text for piece in own), entities, own) if own else None


def read_message(text: str, today: date, nearest: Nearest) -> Message:
    """Read a message; asks ``nearest`` once for each clause."""
    lower = plain(text)
    entities = find_entities(text, today)
    clauses = split(lower, entities.ranges)
    return Message(lower, entities, read_pieces(clauses, lower, entities, nearest))


def decide_message(message: Message, today: date) -> Decision:
    """Decide one message without what went before. Nothing is done on weak evidence, on talk about a deed,
    or against a negation; then it is asked back, or said what there is to ask for.
    """
    asked = _asked(message)
    if not asked:
        return Decision(reply=_nothing(message, today))
    spare = _spare(message, asked)
    plans = _once_each(
        [_plan(piece, piece.best.spec, message, spare, today) for piece in asked if piece.best.spec]
    )
    asks = [plan for plan in plans if isinstance(plan, Ask)]
    return Decision(tuple(plan for plan in plans if isinstance(plan, Planned)), asks[0] if asks else None)


def _asked(message: Message) -> list[Piece]:
    asked: list[Piece] = []
    carried = False
    for piece in message.pieces:
        if piece.stance == "retracted":
            asked = [one for one in asked if one.best.spec and one.best.spec.effect == "read"]
        elif piece.stance != "negated" and piece.sure and may_act(piece, message, carried=carried):
            asked.append(piece)
        # "Do not, under any circumstances, cancel it": the negation reaches over to the next clause.
        carried = bool(_HANGING.search(piece.text))
    return asked


def may_act(piece: Piece, message: Message, *, carried: bool = False) -> bool:
    """Whether a piece asks for its best tool in a way that may be followed: a side effect must be ordered."""
    spec = piece.best.spec
    if spec is None or spec.effect == "read":
        return spec is not None
    if carried or piece.doubtful or is_conditional(_sentence(piece, message)):
        return False
    return orders(paraphrase(piece.text), spec) or (
        _takes_contact(piece, spec, message) and hands_over(piece.text)
    )


def _takes_contact(piece: Piece, spec: ToolSpec, message: Message) -> bool:
    kinds, own = {slot.kind for slot in slots_of(spec)}, message.entities.within(piece.start, piece.end)
    return bool(("email" in kinds and own.emails) or ("phone" in kinds and own.phones))


def _sentence(piece: Piece, message: Message) -> str:
    start = max((end.end() for end in _SENTENCE_END.finditer(message.text, 0, piece.start)), default=0)
    end = _SENTENCE_END.search(message.text, piece.end)
    return message.text[start : end.start() if end else None]


def _plan(piece: Piece, spec: ToolSpec, message: Message, spare: Entities, today: date) -> Planned | Ask:
    own = _own(piece, message)
    plan = plan_call(spec, {}, message.text, own, today, piece.text)
    if isinstance(plan, Ask) or not plan.arguments or _lacks_old_day(plan):
        return plan_call(spec, {}, message.text, own.plus(spare), today, piece.text)
    return plan


def _lacks_old_day(plan: Planned) -> bool:
    """Whether the old day may stand in a clause of its own: "Tuesday is bad, can I come on Friday instead?"."""
    olds = [slot.name for slot in slots_of(plan.spec) if slot.kind == "day" and slot.role == "old"]
    return bool(olds) and not any(name in plan.arguments for name in olds)


def plan_call(
    spec: ToolSpec, known: JsonObject, text: str, entities: Entities, today: date, clause: str = ""
) -> Planned | Ask:
    """Plan a call from what is known and what a message adds; ask for the first thing that it lacks."""
    slots = slots_of(spec)
    arguments = {**known, **fill(slots, text, entities, today, clause)}
    missing = next((slot for slot in slots if slot.required and slot.name not in arguments), None)
    if missing is None and not arguments and spec.effect == "write":
        missing = _nothing_to_write(slots, text)
    return Planned(spec, arguments) if missing is None else Ask(spec, missing, arguments)


def _nothing_to_write(slots: Sequence[Slot], text: str) -> Slot | None:
    """The address or number to ask for, where a tool only writes down what it is given, and is given nothing."""
    values = [slot for slot in slots if slot.kind in ("email", "phone")]
    if len(values) < len(slots):
        return None
    return next(
        (slot for slot in values if stems(slot.name) & stems(text.replace("-", ""))), next(iter(values), None)
    )


def _own(piece: Piece, message: Message) -> Entities:
    own = message.entities.within(piece.start, piece.end)
    if _SAME_DAY.search(piece.text) and not own.days:
        own = own.plus(Entities(days=message.entities.within(0, piece.start).days[-1:]))
    if _IT.search(piece.text) and not own.references:
        own = own.plus(Entities(references=message.entities.within(0, piece.start).references[-1:]))
    return own


def _spare(message: Message, asked: Sequence[Piece]) -> Entities:
    """What stands in clauses that ask for nothing themselves: "order 12 is late, please cancel it"."""
    spare = Entities()
    for piece in message.pieces:
        if piece not in asked:
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


def _nothing(message: Message, today: date) -> Reply:
    talk = small_talk(message.text)
    if talk is not None:
        return talk
    if any(piece.stance == "retracted" for piece in message.pieces):
        return Smalltalk("kept")
    likely = {
        match.spec.name: _plan(piece, match.spec, message, Entities(), today)
        for piece in message.pieces
        if piece.stance != "negated"
        for match in piece.matches[:2]
        if match.spec is not None
        and piece.best.spec is not None
        and match.score >= max(_ASKS_BACK_ON, piece.best.score - _ALSO_ASKED)
    }
    if likely:
        return Unsure(tuple(likely.values()))
    refused = message.pieces and all(piece.stance == "negated" for piece in message.pieces)
    return Smalltalk("kept") if refused else Help(unmatched=True)

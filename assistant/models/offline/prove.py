"""Reads from a message what shows who the customer is, for whichever tool can take it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.models.offline.decide import Message
from assistant.models.offline.decision import Planned, Prove
from assistant.models.offline.slots import Slot, slots_of
from assistant.models.offline.spans import Found

_SENT_FIRST: Final = re.compile(r"(?:^|_)(?:code|pin|otp|token)(?:_|$)")
_NAME: Final = re.compile(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)")
_ALSO_CALLED: Final = {"postcode": r"post ?code|postal code|zip(?: code)?", "order": r"order|purchase"}
_BETWEEN: Final = r"[^\w]*(?:(?:number|code|no|nr|is|was|it's|of|the|my|for)\b[^\w]*)*$"

_DAY: Final = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
_AND_IT_IS: Final = r" (?:is|as|for) (?:my|the) "


def ways_to_prove(specs: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
    """The tools that find out who a customer is; what takes something that must be sent first comes last."""
    ways = [spec for spec in specs if spec.role == "identifies"]
    return tuple(sorted(ways, key=lambda spec: any(_SENT_FIRST.search(slot.name) for slot in slots_of(spec))))


def prove(
    ways: Sequence[ToolSpec], message: Message, known: Prove | Planned | None = None
) -> Planned | Prove | None:
    """The call that shows who they are, or what it still lacks; None where the message holds nothing of it.

    ``known`` is what was said before for one of the ways.
    """
    tries = [(way, _said(way, message)) for way in ways]
    found = [_with(way, said, known) for way, said in tries if said]
    complete = (one for one in found if isinstance(one, Planned))
    return next(complete, None) or next(iter(found), None)


def all_of_it(way: ToolSpec, known: JsonObject | None = None) -> Planned | Prove:
    """The call with what is known, or the question for the rest."""
    arguments = known or {}
    lacking = tuple(slot for slot in slots_of(way) if slot.required and slot.name not in arguments)
    return Prove(way, lacking, arguments) if lacking else Planned(way, arguments)


def _with(way: ToolSpec, said: JsonObject, known: Prove | Planned | None) -> Planned | Prove:
    before = known.arguments if known is not None and known.spec == way else None
    return all_of_it(way, {**(before or {}), **said})


def _said(way: ToolSpec, message: Message) -> dict[str, Json]:
    """The values for a way's slots: what bears a slot's name is its own, the rest goes by its order."""
    slots = [slot for slot in slots_of(way) if slot.required]
    found = {slot.name: list(_values(slot, message)) for slot in slots}
    said: dict[str, Json] = {}
    taken: set[int] = set()
    for named in (True, False):
        for slot in slots:
            if slot.name in said:
                continue
            for one in found[slot.name]:
                owner = _owner(one, slots, message.text)
                if one.start not in taken and (owner == slot.name if named else owner is None):
                    said[slot.name] = one.value
                    taken.add(one.start)
                    break
    return said


def _values(slot: Slot, message: Message) -> Iterator[Found[str]]:
    entities = message.entities
    match slot.kind:
        case "email":
            yield from entities.emails
        case "phone":
            yield from entities.phones
        case "day":
            # Days that are long past, such as a birthday, are no entities: nothing is booked on them.
            yield from (Found(one[0], one.start(), one.end()) for one in _DAY.finditer(message.text))
            yield from (Found(one.value.isoformat(), one.start, one.end) for one in entities.days)
        case _ if slot.pattern is not None:
            shape = slot.pattern.removeprefix("^").removesuffix("$")
            for one in re.finditer(rf"(?<![\w-])(?:{shape})(?![\w-])", message.text, re.IGNORECASE):
                yield Found(one[0].upper(), one.start(), one.end())
        case "reference":
            numbers = (one for one in entities.references if not _DAY.fullmatch(one.value))
            yield from (Found(one.value.upper(), one.start, one.end) for one in numbers)
        case _:
            return


def _owner(one: Found[str], slots: Sequence[Slot], text: str) -> str | None:
    """The slot that a value stands beside the name of: "my postcode is 97205"."""
    before, after = text[: one.start], text[one.end :]
    for slot in slots:
        name = rf"\b(?:{_called(slot)})"
        if re.search(name + _BETWEEN, before) or re.match(rf"{_AND_IT_IS}{name}\b", after):
            return slot.name
    return None


def _called(slot: Slot) -> str:
    noun = _NAME.sub("", slot.name) or slot.name
    return _ALSO_CALLED.get(noun, re.escape(noun.replace("_", " ")))

"""Identifies the customer before a tool that requires it: what to ask for, and when to stop asking."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import (
    CallDenied,
    CallFailed,
    CallSucceeded,
    Outcome,
    denied_as_unknown,
    is_denied_as_unknown,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.correct import only_values
from assistant.models.demo.dates import Found
from assistant.models.demo.decide import Message
from assistant.models.demo.decision import Decision, Exchange, Help, Planned, Prove, Slot, Unsure, slots_of

_SENT_FIRST: Final = re.compile(r"(?:^|_)(?:code|pin|otp|token)(?:_|$)")
_NAME: Final = re.compile(r"(?:^|_)(?:number|id|no|nr|reference|ref|code)(?:_|$)")
_ALSO_CALLED: Final = {"postcode": r"post ?code|postal code|zip(?: code)?", "order": r"order|purchase"}
_BETWEEN: Final = r"[^\w]*(?:(?:number|code|no|nr|is|was|it's|of|the|my|for)\b[^\w]*)*$"

_DAY: Final = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")
_AND_IT_IS: Final = r" (?:is|as|for) (?:my|the) "


def ways_to_prove(specs: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
    """Returns the tools that identify a customer.

    Tools that first need something to be sent, such as a code, come last.
    """
    ways = [spec for spec in specs if spec.role == "identifies"]
    return tuple(sorted(ways, key=lambda spec: any(_SENT_FIRST.search(slot.name) for slot in slots_of(spec))))


def prove(
    ways: Sequence[ToolSpec], message: Message, known: Prove | Planned | None = None
) -> Planned | Prove | None:
    """Returns the call that identifies the customer, or the question for the value that it lacks.

    Returns None if the message contains no value for the identification.

    ``known`` has the values that the customer gave before for one of the ways.
    """
    tries = [(way, _said(way, message)) for way in ways]
    found = [_with(way, said, known) for way, said in tries if said]
    complete = (one for one in found if isinstance(one, Planned))
    return next(complete, None) or next(iter(found), None)


def all_of_it(way: ToolSpec, known: JsonObject | None = None) -> Planned | Prove:
    """Returns the call with the known values, or the question for the missing ones."""
    arguments = known or {}
    lacking = tuple(slot for slot in slots_of(way) if slot.required and slot.name not in arguments)
    return Prove(way, lacking, arguments) if lacking else Planned(way, arguments)


def _with(way: ToolSpec, said: JsonObject, known: Prove | Planned | None) -> Planned | Prove:
    before = known.arguments if known is not None and known.spec == way else None
    return all_of_it(way, {**(before or {}), **said})


def _said(way: ToolSpec, message: Message) -> dict[str, Json]:
    """Returns the values for a way's slots.

    A value next to a slot's name belongs to that slot, the others are used in order.
    """
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
            # Entities contain no days in the past, such as a birthday, because nothing is booked on them.
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
    """Returns the slot whose name is next to a value: "my postcode is 97205", or None if there is no name."""
    before, after = text[: one.start], text[one.end :]
    for slot in slots:
        name = rf"\b(?:{_called(slot)})"
        if re.search(name + _BETWEEN, before) or re.match(rf"{_AND_IT_IS}{name}\b", after):
            return slot.name
    return None


def _called(slot: Slot) -> str:
    noun = _NAME.sub("", slot.name) or slot.name
    return _ALSO_CALLED.get(noun, re.escape(noun.replace("_", " ")))


def once_known(
    exchanges: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
    decided: Callable[[Sequence[Exchange]], Decision],
) -> tuple[Exchange, ...]:
    """Returns the exchanges as if the customer had been identified first: the request that was denied
    replaces the message that identified the customer.

    ``decided`` decides an earlier message again, because a narrator's view does not contain the outcomes of
    its calls.
    """
    row: list[Exchange] = []
    for number, one in enumerate(exchanges):
        place = next((n for n, outcome in enumerate(one.outcomes) if _shows(outcome, specs)), None)
        if place is None:
            row.append(one)
            continue
        proved, after = one.outcomes[place : place + 1], one.outcomes[place + 1 :]
        said = one.said if _denied(one.outcomes) else _wish(exchanges[:number], decided)
        row.append(replace(one, said=said or one.said, outcomes=after, proved=proved, wished=bool(said)))
    return tuple(row)


def is_unidentified(exchanges: Iterable[Exchange], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether the customer is still not identified: the newest call that depends on it was denied."""
    for one in reversed([*exchanges]):
        if one.proved or any(_shows(outcome, specs) for outcome in one.outcomes):
            return False
        if _denied(one.outcomes):
            return True
    return False


def take_proof(
    before: Decision,
    message: Message,
    fresh: Decision,
    earlier: Sequence[Exchange],
    specs: Mapping[str, ToolSpec],
) -> Decision | None:
    """Returns the call that identifies the customer, or the question for the value that it lacks.

    Returns None if the message contains no value for the identification.
    """
    if not is_unidentified(earlier, specs):
        return None
    found = prove(ways_to_prove(specs.values()), message, _said_before(before))
    if isinstance(found, Planned):
        return Decision((found,))
    asks_for_more = fresh.calls and not only_values(message)
    return Decision(reply=found) if found is not None and not asks_for_more else None


def must_prove(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether to ask the customer for identification: a call required it, or the given data did not match."""
    tried = any(isinstance(one, CallFailed) and _identifies(one, specs) for one in outcomes)
    return (tried or _denied(outcomes)) and not tries_are_over(outcomes, specs)


def tries_are_over(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec]) -> bool:
    """Whether the customer has no attempt left to identify themselves."""
    return any(isinstance(one, CallDenied) and _identifies(one, specs) for one in outcomes)


def _wish(earlier: Sequence[Exchange], decided: Callable[[Sequence[Exchange]], Decision]) -> str | None:
    """Returns the last message that was denied.

    Without recorded outcomes, the calls that need a customer count as denied.
    """
    row: list[Exchange] = []
    for one in earlier:
        row.append(one)
        if not one.outcomes:
            needing = [plan for plan in decided(row).calls if plan.spec.needs_customer]
            calls = (Call(id="", tool=plan.spec.name, arguments=plan.arguments) for plan in needing)
            row[-1] = replace(one, outcomes=tuple(denied_as_unknown(call, "") for call in calls))
    return next((one.said for one in reversed(row) if _denied(one.outcomes)), None)


def _said_before(before: Decision) -> Prove | Planned | None:
    if isinstance(before.question, Prove):
        return before.question
    return next((plan for plan in before.calls if plan.spec.role == "identifies"), None)


def _denied(outcomes: Sequence[Outcome]) -> bool:
    return any(is_denied_as_unknown(one) for one in outcomes)


def _shows(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    return isinstance(outcome, CallSucceeded) and _identifies(outcome, specs)


def _identifies(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    spec = specs.get(outcome.call.tool)
    return spec is not None and spec.role == "identifies"


def person_of(specs: Mapping[str, ToolSpec]) -> Planned | None:
    """Returns the call that requests a human agent, or None if that is not possible."""
    return next((Planned(spec, {}) for spec in specs.values() if spec.role == "hands_over"), None)


def with_person(decision: Decision, specs: Mapping[str, ToolSpec]) -> Decision:
    """Returns the same decision, with the offer of a human agent if no tool fits."""
    if not isinstance(decision.reply, Help) or not decision.reply.unmatched:
        return decision
    return replace(decision, reply=replace(decision.reply, person=person_of(specs)))


def offered(before: Decision, last: Exchange, now: Exchange, specs: Mapping[str, ToolSpec]) -> Unsure | None:
    """Returns the offer of a human agent that the customer may answer now, or None if none was made.

    A message that already led to a change was the answer to another question. A narrator's view has no
    earlier results, so there the result is only a guess.
    """
    if any(specs[one.call.tool].effect == "write" for one in now.outcomes if one.call.tool in specs):
        return None
    person = before.reply.person if isinstance(before.reply, Help) else None
    if person is None and tries_are_over(last.outcomes, specs):
        person = person_of(specs)
    return Unsure((person,)) if person is not None else None

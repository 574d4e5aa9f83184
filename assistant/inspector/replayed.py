"""Turns of a conversation next to the same turns of a replay, and what differs. Pure."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json
from assistant.inspector.detail import ConversationDetail, Section
from assistant.inspector.timeline import TurnTimeline

ChangedPart: TypeAlias = Literal["said", "calls", "held", "ended"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnChange:
    """A part of a turn that differs: what the assistant said, its calls, what guardrails held, or the end."""

    part: ChangedPart
    before: tuple[str, ...]
    now: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedTurn:
    """A message with all turns that belong to it, as they were and as they are now.

    ``turn_id`` is the id of the first.
    """

    turn_id: str
    before: tuple[Section, ...]
    now: tuple[Section, ...]
    changes: tuple[TurnChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedConversation:
    """A conversation next to its replay with the configuration of today.

    ``unscripted`` are requests and calls for which the log has no reply or result, and those that were not used.
    ``left_out`` is what a replay cannot reproduce. ``same_version``: the conversation used the version of today.
    """

    turns: tuple[ReplayedTurn, ...]
    unscripted: tuple[str, ...]
    left_out: tuple[str, ...]
    same_version: bool


def turns_of(detail: ConversationDetail, numbers: Mapping[str, int]) -> dict[int, tuple[Section, ...]]:
    """Returns the turns of each message. ``numbers`` has the numbers of messages by the ids of their turns.

    A turn that no message began, such as one with a late result, belongs to the message before it.
    """
    found: dict[int, tuple[Section, ...]] = {}
    number = 0
    for section in detail.sections:
        if section.turn is not None:
            number = numbers.get(section.turn.turn_id, number)
            found[number] = (*found.get(number, ()), section)
    found.pop(0, None)
    return found


def compare_turns(
    before: ConversationDetail,
    before_numbers: Mapping[str, int],
    now: ConversationDetail,
    now_numbers: Mapping[str, int],
) -> tuple[ReplayedTurn, ...]:
    """Returns the turns of all messages side by side, in order."""
    old, new = turns_of(before, before_numbers), turns_of(now, now_numbers)

    def as_replayed(text: str) -> str:
        # References to results contain the conversation's id; a replay has its own.
        return text.replace(before.conversation, now.conversation)

    return tuple(
        ReplayedTurn(
            turn_id=_first_id(old.get(number, ()), new.get(number, ())),
            before=old.get(number, ()),
            now=new.get(number, ()),
            changes=tuple(_changes(old.get(number, ()), new.get(number, ()), as_replayed)),
        )
        for number in sorted({*old, *new})
    )


def _first_id(*sides: Sequence[Section]) -> str:
    return next(one.turn.turn_id for side in sides for one in side if one.turn is not None)


def _changes(
    before: Sequence[Section], now: Sequence[Section], as_replayed: Callable[[str], str]
) -> Iterator[TurnChange]:
    for part, lines in _PARTS.items():
        was = tuple(as_replayed(line) for line in lines(before))
        is_ = tuple(lines(now))
        if was != is_:
            yield TurnChange(part=part, before=was, now=is_)


def _turns(sections: Sequence[Section]) -> Iterator[TurnTimeline]:
    return (section.turn for section in sections if section.turn is not None)


def _said(sections: Sequence[Section]) -> Iterator[str]:
    for turn in _turns(sections):
        yield from (message.text.strip() for message in turn.messages if message.text.strip())


def _calls(sections: Sequence[Section]) -> Iterator[str]:
    for turn in _turns(sections):
        for call in turn.calls:
            yield f"{call.tool} {_json(dict(call.arguments))}: {call.outcome or 'running'}"


def _held(sections: Sequence[Section]) -> Iterator[str]:
    for turn in _turns(sections):
        yield from (f"{held.guardrail}: {held.text.strip()}" for held in turn.held)


def _ended(sections: Sequence[Section]) -> Iterator[str]:
    yield from (turn.how or "running" for turn in _turns(sections))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=dict)


_PARTS: Mapping[ChangedPart, Callable[[Sequence[Section]], Iterator[str]]] = {
    "said": _said,
    "calls": _calls,
    "held": _held,
    "ended": _ended,
}

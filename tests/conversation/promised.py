"""What the views promise to contain, computed from a log without them, as marks of all that was said and found.

* The decision model: every turn in order. Each turn has the dialogue with an agent before it, the message, then
for each round the model's own text, every call with its result, and the responses. No other text.

* The narrator: of earlier turns the dialogue with agents, questions and answers, without calls; of the running
turn also the calls whose results the customer must be told, with these results.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    CallsPending,
    ConfirmationAsked,
    CustomerMessage,
    ForwardedToAgent,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    TurnStarted,
)
from assistant.conversation.outcomes import Outcome
from assistant.conversation.values import MessageKind

_MARK = re.compile(r"[a-z]+-\d+\.")


def marks_in(text: str) -> list[str]:
    """All marks that stand there, in order."""
    return _MARK.findall(text)


@dataclass(slots=True)
class Said:
    """A message of the assistant's."""

    round: int
    own_words: bool
    text: str = ""
    kind: MessageKind | None = None


@dataclass(slots=True)
class Happened:
    """What a turn's entries say, in the order in which they say it."""

    asked: list[str]
    messages: dict[str, Said] = field(default_factory=dict[str, Said])
    calls: list[Call] = field(default_factory=list[Call])
    outcomes: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    pending: set[str] = field(default_factory=set[str])
    waits: set[str] = field(default_factory=set[str])

    def calls_of(self, round_: int) -> list[Call]:
        """A round's calls as they were decided."""
        return sorted(
            (one for one in self.calls if round_of(one.id) == round_), key=lambda one: number_of(one.id)
        )

    @property
    def rounds(self) -> Iterable[int]:
        """Their numbers."""
        numbers = {said.round for said in self.messages.values()} | {round_of(call.id) for call in self.calls}
        return sorted(numbers)


def happened(log: Sequence[Logged]) -> list[Happened]:
    """The turns of a log."""
    turns: dict[str, Happened] = {}
    heard: dict[str, str] = {}
    between: list[str] = []
    for logged in log:
        match logged.entry:
            case CustomerMessage(message_id=id_, text=text):
                heard[id_] = text
            case ForwardedToAgent(message_id=id_):
                between.append(heard[id_])
            case AgentMessage(text=text):
                between.append(text)
            case TurnStarted(turn_id=turn_id, message_id=id_, cause=cause):
                turns[turn_id] = Happened([*between, heard[id_]] if cause == "message" else [*between])
                between = []
            case entry if logged.turn_id in turns:
                _goes_on(turns[logged.turn_id], entry)
            case _:
                pass
    return list(turns.values())


def _goes_on(turn: Happened, entry: object) -> None:
    match entry:
        case MessageOpened(message_id=id_, round=round_, model_written=own_words):
            turn.messages[id_] = Said(round_, own_words)
        case MessageText(message_id=id_, text=text):
            turn.messages[id_].text += text
        case MessageClosed(message_id=id_, kind=kind):
            turn.messages[id_].kind = kind
        case CallRequested(call=call):
            turn.calls.append(call)
        case CallEnded(outcome=outcome):
            turn.outcomes.setdefault(outcome.call.id, outcome)
        case CallsPending(call_ids=ids):
            turn.pending.update(ids)
        case ConfirmationAsked(calls=calls):
            turn.waits.update(call.id for call in calls)
        case _:
            pass


def to_model(turn: Happened) -> Iterator[str]:
    """The marks of a turn as a model sees it: of what is still being said there are none."""
    yield from _marks(turn.asked)
    for round_ in turn.rounds:
        said = [one for one in turn.messages.values() if one.round == round_]
        yield from _marks(one.text for one in said if one.own_words and one.kind not in (None, "response"))
        yield from _pairs(turn.calls_of(round_), turn.outcomes)
        yield from _marks(one.text for one in said if one.kind == "response")


def _pairs(calls: Sequence[Call], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield from _marks(repr(call.arguments) for call in calls)
    for call in calls:
        if (outcome := outcomes.get(call.id)) is not None:
            yield from of_result(outcome)


def of_result(outcome: Outcome) -> list[str]:
    """The mark of a result, if it says anything."""
    return [mark for mark in dict.fromkeys(marks_in(repr(outcome))) if mark.startswith("result-")]


def _marks(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from marks_in(text)

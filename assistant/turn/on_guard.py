"""Which guards a model's words go through before the customer sees them."""

from collections.abc import Sequence
from itertools import chain

from assistant.conversation.outcomes import CallSucceeded
from assistant.text.values import Value, values_of
from assistant.turn.guards.guard import OnGuard
from assistant.turn.guards.heard_before import NotHeardBefore
from assistant.turn.guards.repetition import NoRepetition
from assistant.turn.guards.say_do import SayDo
from assistant.turn.parts import Parts
from assistant.turn.running_turn import RunningTurn
from assistant.turn.waiting.own_message import is_own


def guards_for(
    turn: RunningTurn, parts: Parts, deeds: SayDo, heard_before: Sequence[str] = ()
) -> Sequence[OnGuard]:
    """Fresh guards for one message of a model; nothing is repeated in the turn's first words.

    ``heard_before``: what was heard of answers that this message goes on with.
    """
    guards = [OnGuard("say_do", deeds)]
    if heard_before:
        guards.append(OnGuard("repetition", NotHeardBefore(heard_before, turn.locale)))
    if told := _told(turn, parts):
        repetition = parts.book.words(turn.locale).repetition
        guards.append(
            OnGuard("repetition", NoRepetition(told, lambda: _known(turn), repetition, turn.locale))
        )
    return guards


def _told(turn: RunningTurn, parts: Parts) -> Sequence[str]:
    """What the customer has been told in this turn, and need not be told again.

    "I've cancelled it" is news after "I'll cancel it": beside a side effect only the lookups' hints count.
    """
    specs = [parts.tools.get(call.tool).spec for call in turn.state.calls if call.tool in parts.tools]
    if all(spec.effect == "read" for spec in specs):
        closed = [said for said in turn.state.messages if said.kind is not None and said.text.strip()]
        # That a lookup still runs announces nothing: what comes of it is news, in whichever words.
        return [said.text for said in closed if not is_own(said)]
    hints = [spec.own_hint(turn.locale) for spec in specs if spec.effect == "read"]
    return [hint.will for hint in hints if hint is not None]


def _known(turn: RunningTurn) -> frozenset[Value]:
    found = (outcome.value for outcome in turn.state.results if isinstance(outcome, CallSucceeded))
    return frozenset(chain.from_iterable(values_of(value, turn.locale) for value in found))

"""The answer of an assistant that staff have paused: it says so, and asks for an agent if there are any."""

from collections.abc import Mapping

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import (
    ASSISTANT_PAUSED,
    TALK_TO_A_PERSON,
    CallRequested,
    DecisionClosed,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.prompts.utterances import PausedTold
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies, decision_of
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.message_stream import say_fixed_message
from assistant.turn.pausing import is_paused

_FIRST = 1


async def answer_paused(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision | None:
    """The decision of a turn that begins while the assistant is paused; None if the turn goes its usual way.

    A turn that has decided something already finishes it: its calls that have not started are denied if they change
    something, and no model words the answer.
    """
    if deps.pauses is None:
        return None
    begun = turn.state.rounds[0] if turn.state.rounds else None
    if begun is not None and begun.closed is not None:
        return await _stopped(turn, deps, record) if begun.closed.how == "paused" else None
    if begun is not None and (begun.calls or turn.state.has_response(_FIRST)):
        return None
    return await stop_answering(turn, deps, record) if await is_paused(turn, deps) else None


async def stop_answering(
    turn: RunningTurn,
    deps: TurnDependencies,
    record: Record,
    handler: DecisionStreamHandler | None = None,
) -> Decision:
    """Close the first round without a model: with the call that asks for an agent, or with a sentence alone.

    ``handler`` has the beginning of a model's reply, which was cut; the words that were shown stay, as interrupted.
    """
    call = _call_for_a_person(turn, deps)
    ids = () if call is None else (call.id,)
    await record(DecisionClosed(round=_FIRST, call_ids=ids, how="paused"))
    if handler is not None:
        await handler.close("status", interrupted=True)
    return await _stopped(turn, deps, record)


async def _stopped(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision:
    """Finish a round that is closed as paused, also after a restart."""
    round_ = turn.state.round(_FIRST)
    wanted = round_.closed.call_ids if round_.closed is not None else ()
    if turn.state.open_message is not None and turn.state.open_message.model_written:
        await DecisionStreamHandler(turn, _FIRST, deps, record).close("status", interrupted=True)
    for id_ in wanted:
        if id_ not in turn.state.requested:
            arguments = {"reason": ASSISTANT_PAUSED}
            await record(CallRequested(call=Call(id=id_, tool=TALK_TO_A_PERSON, arguments=arguments)))
    if not wanted:
        handoff = turn.conversation.handoff
        told = PausedTold(what="stopped")
        if handoff is not None:
            what = "ticket" if handoff.state == "ticket" else "waiting"
            told = PausedTold(what=what, ticket=handoff.ticket)
        await _say(turn, _FIRST, told, deps, record)
    return decision_of(round_)


def is_answer_paused(turn: RunningTurn, round_: int) -> bool:
    """Whether this round was closed because the assistant is paused."""
    closed = turn.state.round(round_).closed
    return closed is not None and closed.how == "paused"


async def tell_paused(turn: RunningTurn, number: int, deps: TurnDependencies, record: Record) -> Decision:
    """Tell what came of asking for an agent, in the round after the paused one."""
    await _say(turn, number, _told(turn), deps, record)
    round_ = turn.state.round(number)
    if round_.closed is None:
        await record(DecisionClosed(round=number, call_ids=()))
    return Decision(number)


def _told(turn: RunningTurn) -> PausedTold:
    outcome = turn.state.outcomes.get(call_id(_FIRST, 1))
    if not isinstance(outcome, CallSucceeded) or not isinstance(outcome.value, Mapping):
        return PausedTold(what="stopped")
    if ticket := outcome.value.get("ticket"):
        return PausedTold(what="ticket", ticket=str(ticket))
    return PausedTold(what="asked")


async def _say(
    turn: RunningTurn, round_: int, told: PausedTold, deps: TurnDependencies, record: Record
) -> None:
    await say_fixed_message(turn, round_, deps.book.render(told, turn.locale), deps, record)


def _call_for_a_person(turn: RunningTurn, deps: TurnDependencies) -> Call | None:
    """The call that asks for an agent; None if there are none, or if one was asked for before."""
    if not deps.can_hand_over or TALK_TO_A_PERSON not in deps.tools or turn.conversation.handoff is not None:
        return None
    return Call(id=call_id(_FIRST, 1), tool=TALK_TO_A_PERSON, arguments={"reason": ASSISTANT_PAUSED})

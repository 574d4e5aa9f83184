"""Ends a turn, and says how."""

from dataclasses import replace

import structlog

from assistant.conversation.entries import CallEnded, DecisionClosed, MessageClosed, TurnEnded
from assistant.conversation.outcomes import CallCancelled, CallUnknown
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import HowTurnEnded, MessageKind
from assistant.tooling.execute import Ready, prepare
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.remember import remember
from assistant.turn.running_turn import RunningTurn

log = structlog.get_logger(__name__)

_STOPPED = "the customer stopped it before it ran"


async def finish(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Record the turn's end, and log what it took."""
    await _end(turn, _how(turn.state), parts, record)


async def finish_interrupted(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Write the closing entries of a turn that was stopped.

    What was being said stays as far as it was shown, calls that had not started will not, and calls under
    way go on: their outcomes are recorded when they come.
    """
    state = turn.state
    for round_ in list(state.rounds):
        if round_.closed is None:
            ids = tuple(call.id for call in round_.calls)
            await record(DecisionClosed(round=round_.number, call_ids=ids, how="cut_off"))
    if (message := state.open_message) is not None:
        calls = state.round(message.round).calls
        kind: MessageKind = "response"
        if calls or not message.own_words:
            kind = "acknowledgement" if message.round == 1 else "status"
        ids = tuple(call.id for call in calls)
        await record(MessageClosed(message_id=message.id, kind=kind, call_ids=ids, interrupted=True))
    await cancel_waiting(state, _STOPPED, record)
    await remember(turn, record)
    await _end(turn, "interrupted", parts, record)


async def cancel_waiting(state: TurnState, why: str, record: Record) -> None:
    """Give every call that has not started its outcome: it never will."""
    for call in state.waiting_calls:
        await record(CallEnded(outcome=CallCancelled(call=call, why=why)))


async def finish_lost(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Say of an ended turn's calls that nobody runs any more what became of them, if their tools can tell."""
    state = turn.state
    for decided in state.running:
        if turn.tasks.running(state.id, decided.id):
            continue
        ran_with = state.started[decided.id].arguments
        call = decided if ran_with is None else replace(decided, arguments=ran_with)
        ready = prepare(call, parts.tools, turn.customer)
        known = (
            await turn.tasks.found_out(ready, turn) if isinstance(ready, Ready) else CallUnknown(call=call)
        )
        await record(CallEnded(outcome=known, late=state.is_pending(call)))
        await remember(turn, record)


def _how(state: TurnState) -> HowTurnEnded:
    if state.asked is not None:
        return "awaiting_confirmation"
    if any(
        round_.closed is not None and round_.closed.how in ("failed", "refused") for round_ in state.rounds
    ):
        return "apologised"
    return "answered"


async def _end(turn: RunningTurn, how: HowTurnEnded, parts: Parts, record: Record) -> None:
    """Record the end; then one line for operators: what it took. Nothing that was said is in it."""
    await record(TurnEnded(turn_id=turn.state.id, how=how))
    began = turn.deadline - parts.limits.tools_s
    used = turn.state.used.usage
    took: dict[str, object] = {
        "models": ",".join(used.models) or None,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cached_tokens": used.cached_tokens,
        "cost_usd": None if used.cost_usd is None else round(used.cost_usd, 6),
    }
    log.info(
        "turn ended",
        conversation=turn.key.conversation,
        turn=turn.state.id,
        how=how,
        ms=round((parts.clock.monotonic() - began) * 1000),
        **{name: value for name, value in took.items() if value is not None},
    )

"""Ends rounds and turns: normally, when the customer stops them, and after an internal error.

A round is continued from the log, closed, or ended with an apology. A turn's end is recorded with its usage.
"""

from dataclasses import replace
from typing import Final, Literal, TypeAlias, get_args

import structlog

from assistant.conversation.calls import Call, call_id, number_of
from assistant.conversation.entries import (
    TALK_TO_A_PERSON,
    BudgetName,
    CallEnded,
    CallRequested,
    DecisionClosed,
    MessageClosed,
    TurnEnded,
)
from assistant.conversation.outcomes import CallCancelled, CallDenied, CallUnknown
from assistant.conversation.snapshots import snapshot_of
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import HowTurnEnded, MessageKind
from assistant.errors import REPLY_CUT
from assistant.prompts.utterances import Apology, NotPossible
from assistant.tools.execute import prepare
from assistant.tools.tool import PreparedCall
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies, decision_of
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.message_stream import say_fixed_message
from assistant.turn.start_call import prepare_within_rules

ApologyReason: TypeAlias = Literal["decision_failed", "unreachable", "cut", "not_possible"] | BudgetName
BUDGETS: Final = get_args(BudgetName)


def apology_reason(error: str) -> ApologyReason:
    """The reason in the apology for a request that ended with this error."""
    return "cut" if error.startswith(REPLY_CUT) else "unreachable"


async def apologise(
    turn: RunningTurn,
    handler: DecisionStreamHandler,
    reason: ApologyReason,
    deps: TurnDependencies,
    record: Record,
    *,
    cut_off: bool = False,
) -> Decision:
    """Close the round without calls, complete the sentence that was begun, and apologise.

    ``cut_off``: the last words of the model are unfinished. The round is closed first, so that a restart also
    apologises instead of asking the model again. When a budget is spent, a person is offered: the call that asks
    for one waits for the customer's yes, and needs no model.
    """
    offer = _offer_of_a_person(turn, handler.round, deps) if reason in BUDGETS else ()
    if turn.state.round(handler.round).closed is None:
        await handler.words.release()
        ids = tuple(call.id for call in offer)
        await record(DecisionClosed(round=handler.round, call_ids=ids, how=_how_closed(reason)))
    text = deps.book.render(_words(reason, deps), turn.locale)
    begun = turn.state.open_message
    if begun is not None and not (text.startswith(begun.text) and not begun.model_written):
        await handler.close("status", interrupted=cut_off and begun.model_written)
    await say_fixed_message(turn, handler.round, text, deps, record)
    for call in offer:
        if call.id not in turn.state.requested:
            await record(CallRequested(call=call))
    return Decision(handler.round)


def _how_closed(reason: ApologyReason) -> Literal["failed", "refused"] | BudgetName:
    match reason:
        case "not_possible":
            return "refused"
        case "decision_failed" | "unreachable" | "cut":
            return "failed"
        case _:
            return reason


def _offer_of_a_person(turn: RunningTurn, round_: int, deps: TurnDependencies) -> tuple[Call, ...]:
    """The call that asks for a person, if one can be asked for and was not."""
    handoff = turn.conversation.handoff
    asked = handoff is not None and handoff.state in ("requested", "queued", "accepted")
    if asked or not deps.can_hand_over or TALK_TO_A_PERSON not in deps.tools:
        return ()
    calls = turn.state.round(round_).calls
    number = 1 + max((number_of(call.id) for call in calls if call.tool != TALK_TO_A_PERSON), default=0)
    return (Call(id=call_id(round_, number), tool=TALK_TO_A_PERSON, arguments={}),)


def _words(reason: ApologyReason, deps: TurnDependencies) -> Apology | NotPossible:
    return NotPossible(person=deps.can_hand_over) if reason == "not_possible" else Apology(reason=reason)


How: TypeAlias = Literal["complete", "cut_off"]


async def resume_round(
    turn: RunningTurn, number: int, kind: MessageKind, deps: TurnDependencies, record: Record
) -> Decision | None:
    """The decision of a round from the log; None if a model must be asked.

    A round that was cut off after some of its calls were complete is closed with these calls.
    """
    round_ = turn.state.round(number)
    if not (round_.closed or round_.calls or turn.state.has_response(number)):
        return None
    handler = DecisionStreamHandler(turn, number, deps, record)
    if round_.closed is not None:
        match round_.closed.how:
            case "complete" | "cut_off" | "paused":
                return decision_of(round_)
            case "refused":
                return await apologise(turn, handler, "not_possible", deps, record)
            case "failed":
                reason = "decision_failed" if round_.error is None else apology_reason(round_.error)
                return await apologise(turn, handler, reason, deps, record)
            case budget:
                return await apologise(turn, handler, budget, deps, record)
    if round_.calls:
        await handler.close_cut_off(kind)
        return await close_round(turn, number, handler, kind, record, how="cut_off")
    return await close_round(turn, number, handler, "response", record)


async def close_round(
    turn: RunningTurn,
    number: int,
    handler: DecisionStreamHandler,
    kind: MessageKind,
    record: Record,
    *,
    how: How = "complete",
) -> Decision:
    """Complete the current message, and make the round's decision final."""
    await handler.close(kind)
    round_ = turn.state.round(number)
    await record(
        DecisionClosed(
            round=number,
            call_ids=tuple(call.id for call in round_.calls),
            how=how,
        )
    )
    return decision_of(round_)


async def record_snapshots(turn: RunningTurn, record: Record) -> None:
    """Record a snapshot of each call that has an outcome and no snapshot yet.

    Call it just before the turn's end, which is written to the log together with it, and after an outcome that
    comes later. A call that waits for the customer's yes gets no snapshot yet.
    """
    state = turn.state
    for outcome in [one for one in state.outcomes.values() if one.call.id not in state.snapshots]:
        await record(snapshot_of(outcome, turn.key.conversation, state.id))


log = structlog.get_logger(__name__)

_STOPPED = "the customer stopped it before it ran"


async def finish_turn(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Record the turn's end, and log its usage."""
    await _end(turn, _how(turn.state), deps, record)


async def finish_interrupted_turn(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Record the end of a turn that was stopped.

    The message keeps what was shown. Calls that had not started will not start. Running calls continue, and
    their outcomes are recorded when they come.
    """
    state = turn.state
    for round_ in list(state.rounds):
        if round_.closed is None:
            ids = tuple(call.id for call in round_.calls)
            await record(DecisionClosed(round=round_.number, call_ids=ids, how="cut_off"))
    if (message := state.open_message) is not None:
        calls = state.round(message.round).calls
        kind: MessageKind = "response"
        if calls or not message.model_written:
            kind = "acknowledgement" if message.round == 1 else "status"
        ids = tuple(call.id for call in calls)
        await record(MessageClosed(message_id=message.id, kind=kind, call_ids=ids, interrupted=True))
    await cancel_waiting_calls(state, _STOPPED, record)
    await record_snapshots(turn, record)
    await _end(turn, "interrupted", deps, record)


async def cancel_waiting_calls(state: TurnState, why: str, record: Record) -> None:
    """Record an outcome for each call that has not started and never will."""
    for call in state.waiting_calls:
        await record(CallEnded(outcome=CallCancelled(call=call, why=why)))


async def finish_lost_calls(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Record how lost calls of an ended turn ended, if their tools can tell."""
    state = turn.state
    for call in state.running:
        if turn.tasks.running(state.id, call.id):
            continue
        ran_with = state.started[call.id].arguments
        ran = call if ran_with is None else replace(call, arguments=ran_with)
        ready = prepare(ran, deps.tools, turn.customer)
        known = (
            await turn.tasks.reconciled_outcome(ready, turn)
            if isinstance(ready, PreparedCall)
            else CallUnknown(call=ran)
        )
        if known is None:
            continue  # continue: a long call, which continues
        await record(CallEnded(outcome=known, late=state.is_pending(ran)))
        await record_snapshots(turn, record)


async def carry_out_decisions(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Start the calls of an ended turn that staff have approved, and end those that they have declined.

    A call runs with exactly the arguments that the customer and the colleague agreed to. Run it again after a
    crash: a call that had started is not started again.
    """
    for call in turn.state.approval_decided:
        approval = turn.state.approvals[call.id]
        if approval.decided is None:
            continue
        agreed = replace(call, arguments=approval.requested.arguments)
        if approval.decided.decision == "declined":
            await record(CallEnded(outcome=_declined(agreed, approval.decided.why), late=True))
        elif isinstance(ready := prepare_within_rules(agreed, turn, deps), PreparedCall):
            await turn.tasks.start(ready, turn, record)
            continue
        else:
            await record(CallEnded(outcome=ready, late=True))
        await record_snapshots(turn, record)


def _declined(call: Call, why: str) -> CallDenied:
    told = (
        f"A colleague did not approve {call.tool!r}, so nothing was done. Tell the customer that a colleague"
        " did not approve it, with the reason, and do not call it again for the same."
        f" The colleague's reason: {why!r}"
    )
    return CallDenied(call=call, say=why.strip().rstrip("."), for_model=told)


def _how(state: TurnState) -> HowTurnEnded:
    if state.asked is not None:
        return "awaiting_confirmation"
    if any(
        round_.closed is not None and round_.closed.how in ("failed", "refused", "paused", *BUDGETS)
        for round_ in state.rounds
    ):
        return "apologised"
    return "answered"


async def _end(turn: RunningTurn, how: HowTurnEnded, deps: TurnDependencies, record: Record) -> None:
    """Record the end; then log one line for operators with its duration and usage. It contains no message text."""
    await record(TurnEnded(turn_id=turn.state.id, how=how))
    began = turn.deadline - deps.limits.tools_s
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
        ms=round((deps.clock.monotonic() - began) * 1000),
        **{name: value for name, value in took.items() if value is not None},
    )


_FAILED = "something went wrong before it ran"


async def recover_turn(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Complete the current message, apologise, and end the turn after an internal error.

    Running calls end by themselves; the others will not start. A turn that the customer did not ask for ends
    without a message, because the customer would not understand the apology. The next answer tells its results.
    """
    if turn.state.unasked:
        await finish_interrupted_turn(turn, deps, record)
        return
    open_rounds = [round_.number for round_ in turn.state.rounds if round_.closed is None]
    number = open_rounds[0] if open_rounds else len(turn.state.rounds) + 1
    await apologise(turn, DecisionStreamHandler(turn, number, deps, record), "decision_failed", deps, record)
    await cancel_waiting_calls(turn.state, _FAILED, record)
    await record_snapshots(turn, record)
    await finish_turn(turn, deps, record)

"""Results of earlier turns that the customer has not received, and the message that delivers them.

They came after the answer, or during an answer that was cut off.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import assert_never

from assistant.conversation.calls import call_id, round_of
from assistant.conversation.documents import result_ref
from assistant.conversation.entries import (
    STOP_TASK,
    TALK_TO_A_PERSON,
    CallRef,
    Entry,
    MessageOpened,
    ResultsDelivered,
)
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    was_stopped,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import AssistantMessage, TurnState, is_heard_out
from assistant.language.facts import Value, values_of
from assistant.tools.registry import Tools
from assistant.turn.confirmation import ask_once_more
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies, recent_turns, view_bounds
from assistant.turn.finish import resume_round
from assistant.turn.narrate import NarrationRequest, mentions_result, narrate_outcomes, narrator_instructions


@dataclass(frozen=True, slots=True)
class UndeliveredResult:
    """An outcome that the customer has not received, and the turn that requested it."""

    turn: TurnState
    outcome: Outcome

    @property
    def ref(self) -> CallRef:
        """The reference of its call."""
        return self.turn.id, self.outcome.call.id


def undelivered_results(conversation: ConversationState, tools: Tools) -> tuple[UndeliveredResult, ...]:
    """The outcomes of ended turns that the customer has not received, oldest first.

    An outcome is delivered when a complete answer tells it, in its own turn or later. If the answer was cut
    off, or did not come from a model, the outcome is delivered if the shown text names its values. Text that
    was shown while no client was connected also counts, because a client gets it when it reconnects. Of spoken
    text only the heard part counts, from the customer's next message on; before that, the rest may still be
    heard.

    Not included: calls that were cancelled, refused or duplicated, and a lookup that was made again since.
    """
    if not conversation.unsettled:
        return ()
    turns = conversation.turns
    going_on = _going_on(conversation)
    told = _told(turns, going_on)
    return tuple(
        UndeliveredResult(turn, outcome)
        for turn in conversation.unsettled
        for outcome in _left_open(turn, told, going_on)
        if not _told_since(outcome, turn, _after(turn, turns))
        and not _made_again(outcome, _after(turn, turns), tools)
        and not _came_true(outcome, turn, conversation)
        and not _told_by_stopping(outcome, turn, conversation)
    )


def turn_with_late_result(conversation: ConversationState, tools: Tools) -> TurnState | None:
    """The first ended turn with a result that came too late for it and can be delivered now.

    If the customer stopped the turn, the result is told with the next answer instead.
    """
    if not conversation.late:
        return None
    late = set(conversation.late)
    found = (one.turn for one in undelivered_results(conversation, tools) if one.ref in late)
    return next((turn for turn in found if turn.how != "interrupted"), None)


def _going_on(conversation: ConversationState) -> AbstractSet[str]:
    """The messages that may still be spoken: those that began since the customer's last message.

    If the customer writes while a turn runs, the answer of that turn begins after their message, so it may still
    be spoken.
    """
    placed = conversation.placed
    last = next(reversed(conversation.said), None)
    said_at = placed[last] if last is not None else 0
    going_on: set[str] = set()
    for turn in reversed(conversation.turns):
        going_on.update(message.id for message in turn.messages if placed[message.id] > said_at)
        if turn.began < said_at:
            break
    return going_on


def _after(turn: TurnState, turns: Sequence[TurnState]) -> Sequence[TurnState]:
    return turns[turns.index(turn) + 1 :]


def _told(turns: Sequence[TurnState], going_on: AbstractSet[str]) -> AbstractSet[CallRef]:
    """The calls whose outcomes later turns told, each in a completed message."""
    return {
        ref
        for turn in turns
        if turn.told is not None and _is_whole(turn.message_said(turn.told.message_id), going_on)
        for ref in turn.told.calls
    }


def _left_open(turn: TurnState, told: AbstractSet[CallRef], going_on: AbstractSet[str]) -> list[Outcome]:
    """The outcomes that a turn owed when it ended, and that no complete answer tells."""
    owed = [
        one
        for one in turn.outcomes.values()
        if (one.call.id in turn.started and (_is_news(one) or was_stopped(one)))
        # What a colleague declined is news, too, and what could not run although it was approved.
        or one.call.id in turn.approvals
    ]
    if not owed:
        return []
    # The message that tells results of earlier turns does not tell results of this turn.
    of_others = turn.told.message_id if turn.told is not None else None
    answers = [
        one for one in turn.messages if one.model_written and one.id != of_others and _is_whole(one, going_on)
    ]
    return [
        one
        for one in owed
        if (turn.id, one.call.id) not in told
        and not any(_was_made_of(one, answer, turn) for answer in answers)
    ]


def _was_made_of(outcome: Outcome, answer: AssistantMessage, turn: TurnState) -> bool:
    round_ = turn.round(answer.round)
    failed = round_.closed is not None and round_.closed.how in ("failed", "refused")
    return answer.round > round_of(outcome.call.id) and outcome.call.id in round_.knew and not failed


def _is_whole(message: AssistantMessage, going_on: AbstractSet[str]) -> bool:
    """Whether it is a response that has reached the customer to its end, or will."""
    complete = message.kind == "response" and not message.interrupted
    return complete and (message.id in going_on or is_heard_out(message))


def _is_news(outcome: Outcome) -> bool:
    match outcome:
        case CallSucceeded() | CallEmpty() | CallFailed() | CallTimedOut() | CallUnknown():
            return True
        case CallCancelled() | CallDenied() | CallAwaitingConfirmation():
            return False
        case _:
            assert_never(outcome)


def _told_since(outcome: Outcome, own: TurnState, later: Sequence[TurnState]) -> bool:
    """Whether later words that can know the outcome name its values.

    A value that another result contains proves nothing. In the call's own turn, the same is true of the values
    that the customer named: the message that the call takes time has the same words.
    """
    if not isinstance(outcome, CallSucceeded):
        return False
    call, locale = outcome.call, own.message.locale
    # The answer of its own turn, which did not wait for a long call, can only have named other values.
    asked = values_of(call.arguments, locale) | values_of(own.message.text, locale)
    began = [one for one in own.messages if one.round > round_of(call.id) and call.id not in own.long]
    if any(
        mentions_result(delivered_text(one), outcome.value, asked | _other(outcome, own), locale)
        for one in began
    ):
        return True
    return any(
        mentions_result(delivered_text(one), outcome.value, _other(outcome, turn), locale)
        for turn in later
        if turn.began > own.came[call.id]
        for one in turn.messages
        if one.kind == "response"
    )


def _came_true(outcome: Outcome, turn: TurnState, conversation: ConversationState) -> bool:
    """Whether the outcome only says that a person was requested, and a person has joined since."""
    asked = outcome.call.tool == TALK_TO_A_PERSON
    return asked and conversation.person_came > turn.came[outcome.call.id]


def _told_by_stopping(outcome: Outcome, turn: TurnState, conversation: ConversationState) -> bool:
    """Whether the call that stopped it reports the same: that call's own result tells how far it had proceeded."""
    if not was_stopped(outcome):
        return False
    ref = f"{turn.id}/{outcome.call.id}"
    return any(
        isinstance(one, CallSucceeded)
        and isinstance(one.value, Mapping)
        and (one.value.get("task"), one.value.get("state")) == (ref, "stopped")
        for later in _after(turn, conversation.turns)
        for one in later.outcomes.values()
        if one.call.tool == STOP_TASK
    )


def _other(outcome: Outcome, turn: TurnState) -> frozenset[Value]:
    """The values in the other results of a turn, and in a question of it."""
    others = (
        one.value for one in turn.outcomes.values() if isinstance(one, CallSucceeded) and one != outcome
    )
    asked = turn.asked.calls if turn.asked is not None else ()
    named = (call.arguments for call in asked)
    return frozenset(value for held in (*others, *named) for value in values_of(held, turn.message.locale))


def _made_again(outcome: Outcome, later: Sequence[TurnState], tools: Tools) -> bool:
    """Whether a later turn made the same lookup, and its outcome replaces this one.

    A lookup without a result does not replace one with a result.
    """
    call = outcome.call
    if call.tool not in tools or tools.get(call.tool).spec.effect == "write":
        return False
    has_result = isinstance(outcome, CallSucceeded | CallEmpty)
    return any(
        isinstance(other, CallSucceeded | CallEmpty) or (_is_news(other) and not has_result)
        for turn in later
        for other in turn.outcomes.values()
        # Compare the arguments with which it ran: the decided ones may contain references.
        if other.call.tool == call.tool and other.call.arguments == call.arguments
    )


async def deliver_pending(turn: RunningTurn, last: Decision, deps: TurnDependencies, record: Record) -> None:
    """Send the customer the undelivered results of earlier turns, in one separate response. Does nothing if
    there are none.

    When the message begins, the log records which results it contains. So after a crash the turn completes
    this message with the same results; results that arrive later get another message. If an earlier answer was
    interrupted, only the sentences that the customer did not hear completely are repeated.

    No results are sent if this turn has already asked for a confirmation. If the turn only delivers late results
    and an earlier question is still open, the question is asked again after them.
    """
    owed = results_to_deliver(turn, deps)
    number = last.round + 1
    if owed and await resume_round(turn, number, "response", deps, record) is None:
        refs = tuple(one.ref for one in owed)
        begun = turn.state.open_message
        if begun is not None and turn.state.told is None:
            # An earlier run of this turn ended just after it opened the message: this message is continued.
            await record(ResultsDelivered(message_id=begun.id, calls=refs))
        await narrate_outcomes(turn, _narration(turn, number, owed, deps), deps, _noting(refs, record))
    question = turn.conversation.question
    if turn.state.unasked and question is not None and deps.clock.now_ms() < question.expires_at_ms:
        # The customer did not answer it, so this is not another attempt.
        await ask_once_more(turn, replace(question, attempt=question.attempt - 1), deps, record)


def results_to_deliver(turn: RunningTurn, deps: TurnDependencies) -> tuple[UndeliveredResult, ...]:
    """The results of earlier turns that this turn tells: those of its begun message, or all."""
    if (begun := turn.state.told) is None:
        asks = turn.state.asked is not None
        return () if asks else undelivered_results(turn.conversation, deps.tools)
    turns = {earlier.id: earlier for earlier in turn.earlier}
    return tuple(UndeliveredResult(turns[id_], turns[id_].outcomes[call]) for id_, call in begun.calls)


def _narration(
    turn: RunningTurn, number: int, owed: tuple[UndeliveredResult, ...], deps: TurnDependencies
) -> NarrationRequest:
    outcomes = tuple(one.outcome for one in owed)
    asked = tuple(dict.fromkeys(one.turn.message.text for one in owed))
    system, late = narrator_instructions(turn, outcomes, deps, asked_earlier=asked)
    conversation = turn.key.conversation
    refs = {
        call_id(number, nth): result_ref(conversation, one.turn.id, one.outcome.call.id)
        for nth, one in enumerate(owed, start=1)
    }
    bounds = view_bounds(turn, deps, "narrator", refs)
    view = turn.views.telling(system, recent_turns(turn), turn.state, outcomes, number, late, bounds)
    return NarrationRequest(round=number, outcomes=outcomes, view=view, heard_before=heard_before(owed, turn))


def heard_before(owed: tuple[UndeliveredResult, ...], turn: RunningTurn) -> tuple[str, ...]:
    """What the customer heard of these results in answers that were cut off, and what this turn has just told."""
    cut = {one.turn.id: one.turn for one in owed}.values()
    before = [delivered_text(said) for earlier in cut for said in earlier.messages if said.model_written]
    return (*before, *(said.text for said in turn.state.messages if said.kind is not None))


def _noting(refs: tuple[CallRef, ...], record: Record) -> Record:
    """A record function that records, just after a message is opened, which results the message tells."""

    async def noting(entry: Entry, *, durable: bool = False) -> None:
        await record(entry, durable=durable)
        if isinstance(entry, MessageOpened):
            await record(ResultsDelivered(message_id=entry.message_id, calls=refs))

    return noting

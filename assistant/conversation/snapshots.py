"""What is left of a call when its turn is over, by a rule: its result, or a shorter form of a large one."""

from dataclasses import replace
from typing import Final, assert_never

from assistant.conversation.documents import result_ref
from assistant.conversation.media import Media
from assistant.conversation.memories import Snapshot
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
    outcome_name,
)
from assistant.conversation.shortened import head_and_tail, shortened
from assistant.conversation.values import Json

MOST_CHARACTERS: Final = 1500
"""Of a result's JSON text: about 400 tokens. What a customer is told in one answer is smaller, lists of a dozen
things included, so that follow-up questions find it whole; a hundred results of this size still fit every model.
"""

_LONGEST_REASON: Final = 500


def snapshot_of(outcome: Outcome, conversation: str, turn_id: str) -> Snapshot:
    """The rule's snapshot of a call. Pure: whoever makes it anew gets the same.

    A result is kept as it is where it is small; pictures and files that came with it are not, so that it is not
    complete. What is no result stands with how the call ended: "failed", "denied".
    """
    call = outcome.call
    summary = _summary(outcome)
    return Snapshot(
        call_id=call.id,
        tool_name=call.tool,
        arguments=call.arguments,
        result_summary=summary,
        full_result_ref=result_ref(conversation, turn_id, call.id),
        complete=_is_complete(outcome, summary),
    )


def as_remembered(outcome: Outcome, snapshot: Snapshot) -> Outcome:
    """The outcome as later turns are given it: the very same one where its snapshot is complete. Pure.

    Else a result is what the snapshot says, with a reference to the whole one; what came with it is named in
    ``left_out``. A long reason why there is none keeps head and tail.
    """
    if snapshot.complete:
        return outcome
    match outcome:
        case CallSucceeded(call=call, media=media, left_out=left_out):
            return CallSucceeded(
                call=call,
                value=snapshot.result_summary,
                left_out=(*map(_named, media), *left_out),
                full_ref=snapshot.full_result_ref,
            )
        case CallFailed(for_model=reason) | CallDenied(for_model=reason):
            return replace(outcome, for_model=head_and_tail(reason, _LONGEST_REASON))
        case CallCancelled(why=reason):
            return replace(outcome, why=head_and_tail(reason, _LONGEST_REASON))
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallAwaitingConfirmation():
            return outcome
        case _:
            assert_never(outcome)


def _summary(outcome: Outcome) -> Json:
    if isinstance(outcome, CallSucceeded | CallEmpty):
        return shortened(outcome.value, MOST_CHARACTERS)
    return outcome_name(outcome)


def _is_complete(outcome: Outcome, summary: Json) -> bool:
    match outcome:
        case CallSucceeded(value=value, media=media):
            return summary is value and not media
        case CallFailed(for_model=reason) | CallDenied(for_model=reason) | CallCancelled(why=reason):
            return len(reason) <= _LONGEST_REASON
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallAwaitingConfirmation():
            return True
        case _:
            assert_never(outcome)


def _named(media: Media) -> str:
    return f"{media.name}, {media.mime}" if media.name else media.mime

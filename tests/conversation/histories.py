"""Histories of turns for property tests: everything that a log may contain."""

from collections.abc import Callable, Sequence
from typing import Literal

from hypothesis import strategies as st

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    Entry,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.state import ConversationState
from assistant.conversation.values import HowTurnEnded, MessageKind

_OUTCOMES: tuple[Callable[[Call], Outcome], ...] = (
    lambda call: CallSucceeded(call=call, value=["found"]),
    lambda call: CallEmpty(call=call),
    lambda call: CallFailed(call=call, say="that did not work", for_model="broken"),
    lambda call: CallTimedOut(call=call, after_s=10),
    lambda call: CallCancelled(call=call, why="stopped"),
    lambda call: CallDenied(call=call, say="", for_model="not yet"),
    lambda call: CallUnknown(call=call),
)
_ENDS: tuple[HowTurnEnded, ...] = ("answered", "awaiting_confirmation", "interrupted", "apologised")
_KINDS: tuple[MessageKind, ...] = ("acknowledgement", "status", "response")
_HOW: tuple[Literal["complete", "cut_off", "failed"], ...] = ("complete", "cut_off", "failed")


def logged(entries: Sequence[tuple[str, Entry]]) -> list[Logged]:
    """Number entries, each given with its turn's id."""
    return [Logged(seq, seq * 10, turn_id, entry) for seq, (turn_id, entry) in enumerate(entries, start=1)]


@st.composite
def _message(draw: st.DrawFn, turn: int, round_: int, number: int) -> list[Entry]:
    own_words = draw(st.booleans())
    text = draw(st.sampled_from(["", " ", "All is well.", "One moment "]))
    id_ = f"t{turn}/m{round_}.{number}"
    entries: list[Entry] = [MessageOpened(message_id=id_, round=round_, model_written=own_words)]
    entries.append(MessageText(message_id=id_, text=f"{id_}: {text}"))
    if draw(st.booleans()):
        kind = draw(st.sampled_from(_KINDS))
        entries.append(MessageClosed(message_id=id_, kind=kind, interrupted=draw(st.booleans())))
    return entries


@st.composite
def _call(draw: st.DrawFn, round_: int, number: int) -> tuple[list[Entry], Call]:
    call = Call(id=call_id(round_, number), tool=draw(st.sampled_from(["look_up", "change"])))
    entries: list[Entry] = [CallRequested(call=call)]
    if draw(st.booleans()):
        entries.append(CallStarted(call_id=call.id, tool=call.tool, idempotency_key=f"key/{call.id}"))
        if draw(st.booleans()):
            entries.append(CallsPending(call_ids=(call.id,)))
    if draw(st.booleans()):
        entries.append(CallEnded(outcome=draw(st.sampled_from(_OUTCOMES))(call)))
    return entries, call


@st.composite
def _round(draw: st.DrawFn, turn: int, number: int) -> list[Entry]:
    entries: list[Entry] = [ModelAsked(round=number, role="decider", model="made up")]
    calls: list[Call] = []
    if draw(st.booleans()):
        entries += draw(_message(turn, number, 1))
    # Arguments may be complete in any order.
    for place in draw(st.permutations(range(1, draw(st.integers(0, 3)) + 1))):
        more, call = draw(_call(number, place))
        entries += more
        calls.append(call)
    if draw(st.booleans()):
        ids = tuple(call.id for call in calls)
        entries.append(DecisionClosed(round=number, call_ids=ids, how=draw(st.sampled_from(_HOW))))
    if draw(st.booleans()):
        entries += draw(_message(turn, number, 2))
    if calls and draw(st.booleans()):
        asked = tuple(call for call in calls if draw(st.booleans()))
        entries.append(
            ConfirmationAsked(
                confirmation_id=f"t{turn}/q", calls=asked, read_back="Shall I?", expires_at_ms=0
            )
        )
    return entries


@st.composite
def histories(draw: st.DrawFn) -> list[Logged]:
    """A log of up to four turns; some are cut off, interrupted, or have calls that still run."""
    entries: list[tuple[str, Entry]] = []
    for turn in range(1, draw(st.integers(1, 4)) + 1):
        said = CustomerMessage(message_id=f"u{turn}", client_message_id=f"m{turn}", text=f"Message {turn}")
        entries.append(("", said))
        id_ = f"t{turn}"
        started = TurnStarted(turn_id=id_, message_id=said.message_id, cause="message", bundle="b")
        entries.append((id_, started))
        for number in range(1, draw(st.integers(0, 3)) + 1):
            entries += [(id_, entry) for entry in draw(_round(turn, number))]
        if draw(st.booleans()):
            entries.append((id_, TurnEnded(turn_id=id_, how=draw(st.sampled_from(_ENDS)))))
            entries += draw(_told_late(turn, said.message_id))
    return logged(entries)


@st.composite
def _told_late(draw: st.DrawFn, turn: int, message_id: str) -> list[tuple[str, Entry]]:
    """A turn for what was late, or none."""
    if draw(st.booleans()):
        return []
    number = turn + 10
    id_ = f"t{number}"
    started = TurnStarted(turn_id=id_, message_id=message_id, cause="late_result", bundle="b")
    said = draw(_message(number, 1, 1)) if draw(st.booleans()) else []
    ended = TurnEnded(turn_id=id_, how="answered")
    return [(id_, entry) for entry in (started, *said, ended)]


def states() -> st.SearchStrategy[ConversationState]:
    """The fold of such a log."""
    return histories().map(ConversationState)

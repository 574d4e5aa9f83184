"""One turn as models see it. The decision model and the narrator see the same messages, so that the
narrator's request continues the decision model's.

A turn contains the customer's message, the calls in their order, their results, and the answer. The running
turn has complete results; an ended turn has its snapshots. Acknowledgements that were built from hints are
left out on purpose: a model that sees "Sure, I'll look that up" as an answer learns to write this instead of
calling tools. The narrator gets the customer's acknowledgement in its late instructions. Waiting messages are
left out, too. A model's own text stays with its calls. A message that is still open is left out; a model that
is asked again gets its text in the instructions.

So that the model neither repeats nor omits anything:

* a call without a result has its status: it is running, waits for a confirmation, or will not run;
* a late result is with its call, not where it was told. The narrator gets it again in the round that tells
  it;
* an answer that the customer interrupted ends in "…". If it was stopped before any text, "…" replaces it, so
  that a repeated question is not mistaken for an answered one.

After a turn, only the heard part of a spoken text counts. During the turn the whole text counts, because it
will be heard before any later text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assistant.conversation.calls import Call, call_id
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallStatus, Outcome
from assistant.conversation.snapshots import as_remembered, snapshot_of
from assistant.conversation.transcript import delivered_text
from assistant.conversation.turn_state import AssistantMessage, Round, TurnState, is_heard_out
from assistant.conversation.views import (
    FromAssistant,
    FromCustomer,
    FromTools,
    TurnView,
    ViewMessage,
    handoff_view,
    with_files,
)

CUT_OFF = "…"
"""The mark for text that is missing because the customer stopped the assistant."""


def turn_view(turn: TurnState, conversation: str = "") -> TurnView:
    """Returns one turn as models see it. No side effects.

    ``conversation`` is needed for references to full results in logs of older releases, which have no
    snapshots.
    """
    answer: list[ViewMessage] = []
    for round_ in turn.rounds:
        before = _words(turn, round_, responses=False)
        if round_.calls:
            answer.append(FromAssistant(before, tuple(round_.calls), round_.opaque))
            answer.append(
                FromTools(tuple(status_for_view(turn, call, conversation) for call in round_.calls))
            )
        else:
            append_words(answer, before)
        append_words(answer, _words(turn, round_, responses=True))
    append_silence(answer, turn)
    return TurnView((*asked_for(turn), *answer))


def status_for_view(turn: TurnState, call: Call, conversation: str = "") -> CallStatus:
    """Returns a call's outcome, or its current status if it has none, so that each call has an answer."""
    outcome = turn.outcomes.get(call.id)
    if outcome is not None and turn.how is not None:
        snapshot = turn.snapshots.get(call.id) or snapshot_of(outcome, conversation, turn.id)
        return as_remembered(outcome, snapshot)
    if outcome is not None:
        return outcome
    if call.id in turn.started or call.id in turn.approvals:
        # The call continues even if the customer has moved on, and its result will be told later.
        return turn.pending_status(call)
    return CallAwaitingConfirmation(call=call)


def is_final(turn: TurnState) -> bool:
    """Whether the turn's view can no longer change, except for the heard part of its text."""
    return turn.how is not None and not (turn.running or turn.awaiting_approval or turn.approval_decided)


def asked_for(turn: TurnState) -> list[ViewMessage]:
    """Returns the beginning of a turn's view: the dialogue with an agent before it, and the message that it
    answers, if any.
    """
    asked = with_files(turn.message.text, turn.message.attachments)
    return [*handoff_view(turn.before), *([] if turn.unasked else [FromCustomer(asked)])]


def append_words(answer: list[ViewMessage], text: str) -> None:
    """Add the assistant's ``text``. Consecutive texts become one message, as providers require."""
    if not text:
        return
    last = answer[-1] if answer else None
    if isinstance(last, FromAssistant) and not last.calls:
        answer[-1] = FromAssistant(f"{last.text} {text}")
    else:
        answer.append(FromAssistant(text))


def append_silence(answer: list[ViewMessage], turn: TurnState) -> None:
    """Add "…", which shows that the customer stopped a turn before it had an answer."""
    if turn.how != "interrupted" or turn.unasked:
        return
    last = answer[-1] if answer else None
    cut_off = isinstance(last, FromAssistant) and last.text.endswith(CUT_OFF)
    answered = any(message.kind == "response" and message.text.strip() for message in turn.messages)
    if not cut_off and not answered:
        append_words(answer, CUT_OFF)


def as_shown(message: AssistantMessage) -> str:
    """Returns the part of a message that was shown or heard, "" for none. It ends in "…" if it was cut off.

    A spoken response of which nothing was heard is "…".
    """
    text, heard_out = delivered_text(message).strip(), is_heard_out(message)
    if not text:
        return "" if heard_out or message.kind != "response" else CUT_OFF
    return f"{text}{CUT_OFF}" if message.interrupted or not heard_out else text


def as_written(message: AssistantMessage) -> str:
    """Returns the whole text of a message of the running turn, whether or not it was heard."""
    text = message.text.strip()
    return f"{text}{CUT_OFF}" if text and message.interrupted else text


def joined(said: Iterable[str]) -> str:
    """Join consecutive texts. If several were cut off, the result has only one "…"."""
    words: list[str] = []
    for text in said:
        if text and not (text == CUT_OFF and words and words[-1].endswith(CUT_OFF)):
            words.append(text)
    return " ".join(words)


def _words(turn: TurnState, round_: Round, *, responses: bool) -> str:
    """Returns the round's responses, or else the model's own text."""
    as_told = as_written if turn.how is None else as_shown
    return joined(
        as_told(message)
        for message in turn.messages
        if message.round == round_.number
        and message.kind is not None
        and (
            message.kind == "response" if responses else message.model_written and message.kind != "response"
        )
    )


def turn_with_undelivered_results(
    turn: TurnState, undelivered: Sequence[Outcome], round_: int, conversation: str
) -> TurnView:
    """Returns the running turn with the results of earlier turns that it tells in the round ``round_``.

    No side effects.

    They appear as calls of that round, because the ids of calls are only unique in a turn. ``conversation`` is for
    :func:`turn_view`.
    """
    named = tuple(
        # A provider's id may also be used by a call of this turn.
        replace(one, call=replace(one.call, id=call_id(round_, number), provider_id=None))
        for number, one in enumerate(undelivered, start=1)
    )
    calls = FromAssistant("", tuple(one.call for one in named))
    return TurnView((*turn_view(turn, conversation).messages, calls, FromTools(named)))

"""The state of one turn, computed from its entries. Each stage reads it to see what is already done."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from assistant.conversation.calls import Call, number_of, round_of
from assistant.conversation.chunks import Opaque
from assistant.conversation.entries import (
    ApprovalDecided,
    ApprovalRequested,
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    Entry,
    LongCallAccepted,
    LongCallProgressed,
    LongCallStarted,
    LongCallStopRequested,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    PoliciesChosen,
    ReplyWithheld,
    ResultsDelivered,
    ReviewDecided,
    ReviewRequested,
    RunnerName,
    Snapshot,
    Supervision,
    SupervisionChosen,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import (
    CallCancelled,
    CallPending,
    CallProgress,
    CallStatus,
    LongCallStatus,
    Outcome,
)
from assistant.conversation.usage import UsageCount
from assistant.conversation.values import HowTurnEnded, MessageKind
from assistant.conversation.views import HandoffMessage


@dataclass(slots=True, kw_only=True)
class Round:
    """One decision: the number of requests to a model, the calls so far, and whether it is final.

    ``error`` is how the last request failed, if it did. ``knew`` are the calls that had outcomes when the
    request was sent. ``opaque`` is provider data that belongs to the whole last reply.
    """

    number: int
    attempts: int = 0
    error: str | None = None
    knew: frozenset[str] = frozenset()
    opaque: tuple[Opaque, ...] = ()
    calls: list[Call] = field(default_factory=list[Call])
    closed: DecisionClosed | None = None


@dataclass(slots=True, kw_only=True)
class AssistantMessage:
    """One message of the assistant. ``kind`` is None while it is open.

    ``withheld`` is True if staff supervise the turn and the message was not sent to the customer.
    ``sent`` and ``seen`` are the numbers of characters that were sent to a client, and that were visible to
    the customer. ``heard`` is the number that the customer heard; None if the message is not spoken.
    """

    id: str
    round: int
    text: str = ""
    kind: MessageKind | None = None
    call_ids: tuple[str, ...] = ()
    interrupted: bool = False
    model_written: bool = False
    withheld: bool = False
    sent: int = 0
    seen: int = 0
    heard: int | None = None

    @property
    def is_notice(self) -> bool:
        """Whether it only says who answers in a supervised turn. Models do not have to know it."""
        return self.id.rpartition("/")[2].startswith(NOTICE)


NOTICE: Final = "n-"
"""How the ids of notices begin, after the turn's id."""


def is_heard_out(message: AssistantMessage) -> bool:
    """Whether a spoken message was heard to its end; false for a message that is not spoken.

    A full stop or Markdown marks at the end are not audible, and are ignored.

    >>> said = AssistantMessage(id="t1/m1", round=1, text="On **Tuesday**.", heard=12)
    >>> is_heard_out(said), is_heard_out(AssistantMessage(id="t1/m2", round=1, text="Or not.", heard=0))
    (True, False)
    """
    return message.heard is None or not any(map(str.isalnum, message.text[message.heard :]))


@dataclass(slots=True)
class LongCall:
    """A call that its turn does not wait for, and the system that runs it.

    ``accepted`` is True if another system runs it, so none of our processes must. ``stopping`` is True if the
    customer wants it to stop.
    """

    runner: RunnerName
    accepted: bool = False
    stopping: bool = False
    progress: CallProgress | None = None


@dataclass(slots=True)
class Approval:
    """A call that waits, or waited, for the approval of staff. ``decided`` is None while it waits."""

    requested: ApprovalRequested
    decided: ApprovalDecided | None = None


@dataclass(slots=True)
class Review:
    """A reply that waits, or waited, for a colleague. ``decided`` is None while it waits."""

    requested: ReviewRequested
    decided: ReviewDecided | None = None


class TurnState:
    """The state of one turn, computed from its entries.

    Entries after the turn's end are applied, too, because a lookup that the customer did not wait for may end
    later.

    ``policies`` are the names of the policies that the message is about; None before they were searched.
    ``supervision`` is how staff supervise the turn; None: not. ``messages`` contains withheld messages until the
    turn ends; then they are in ``withheld`` alone, because the customer never had them.

    Args:
        turn: the entry of its beginning.
        message: the message that it answers; for late results, the message of the turn that made the calls.
        seq: the number of its first entry.
    """

    __slots__ = (
        "answered",
        "approvals",
        "asked",
        "before",
        "began",
        "came",
        "how",
        "long",
        "message",
        "messages",
        "outcomes",
        "pending",
        "policies",
        "requested",
        "review",
        "rounds",
        "snapshots",
        "started",
        "supervision",
        "told",
        "turn",
        "used",
        "withheld",
    )

    def __init__(
        self,
        turn: TurnStarted,
        message: CustomerMessage,
        seq: int = 0,
        before: tuple[HandoffMessage, ...] = (),
    ) -> None:
        self.turn, self.before = turn, before
        self.began = seq
        self.message = message
        self.rounds: list[Round] = []
        self.requested: dict[str, Call] = {}
        self.messages: list[AssistantMessage] = []
        self.started: dict[str, CallStarted] = {}
        self.outcomes: dict[str, Outcome] = {}
        self.snapshots: dict[str, Snapshot] = {}
        self.came: dict[str, int] = {}
        self.long: dict[str, LongCall] = {}
        self.approvals: dict[str, Approval] = {}
        self.pending: set[str] = set()
        self.told: ResultsDelivered | None = None
        self.asked: ConfirmationAsked | None = None
        self.answered: ConfirmationAnswered | None = None
        self.how: HowTurnEnded | None = None
        self.used = UsageCount()
        self.policies: tuple[str, ...] | None = None
        self.supervision: Supervision | None = None
        self.withheld: list[AssistantMessage] = []
        self.review: Review | None = None

    def apply(self, entry: Entry) -> None:
        """Apply the next entry. Kinds without an effect on the turn's progress are ignored."""
        fold = _FOLDS.get(type(entry))
        if fold is not None:
            fold(self, entry)

    @property
    def id(self) -> str:
        """The turn's id."""
        return self.turn.turn_id

    @property
    def unasked(self) -> bool:
        """Whether the turn began without a message, because late results of an earlier turn arrived."""
        return self.turn.cause in ("late_result", "handoff")

    def round(self, number: int) -> Round:
        """Returns the round with this number, from 1. It is created if it does not exist."""
        while len(self.rounds) < number:
            self.rounds.append(Round(number=len(self.rounds) + 1))
        return self.rounds[number - 1]

    @property
    def latest_round(self) -> int:
        """The number of the last round, or 1 if no round has begun."""
        return max(1, len(self.rounds))

    @property
    def open_message(self) -> AssistantMessage | None:
        """The unfinished message, or None if there is none."""
        last = self.messages[-1] if self.messages else None
        return last if last is not None and last.kind is None else None

    @property
    def calls(self) -> list[Call]:
        """All calls of the turn, in the order they were decided."""
        return [call for round_ in self.rounds for call in round_.calls]

    @property
    def waiting_calls(self) -> list[Call]:
        """The calls of closed rounds that have neither started nor ended: they wait for a confirmation."""
        return [
            call
            for round_ in self.rounds
            if round_.closed is not None
            for call in round_.calls
            if call.id not in self.outcomes and call.id not in self.started and call.id not in self.approvals
        ]

    @property
    def awaiting_review(self) -> bool:
        """Whether its reply waits for a colleague."""
        return self.how is None and self.review is not None and self.review.decided is None

    @property
    def awaiting_approval(self) -> list[Call]:
        """The calls that wait for a decision of staff, in the order they were decided."""
        return [call for call in self.calls if self._approval_is(call, decided=False)]

    @property
    def approval_decided(self) -> list[Call]:
        """The calls that staff have decided about, and that neither run nor have ended since."""
        return [call for call in self.calls if self._approval_is(call, decided=True)]

    def _approval_is(self, call: Call, *, decided: bool) -> bool:
        approval = self.approvals.get(call.id)
        waits = approval is not None and (approval.decided is not None) == decided
        return waits and call.id not in self.started and call.id not in self.outcomes

    @property
    def running(self) -> list[Call]:
        """The calls that started and have no outcome yet."""
        return [call for call in self.calls if call.id in self.started and call.id not in self.outcomes]

    @property
    def results(self) -> list[Outcome]:
        """The outcomes that the customer must be told, in the order of the calls.

        It leaves out calls that wait for a confirmation, and duplicates of other calls.
        """
        asked = {call.id for call in self.asked.calls} if self.asked is not None else set[str]()
        ended = (self.outcomes[call.id] for call in self.calls if call.id in self.outcomes)
        return [each for each in ended if each.call.id not in asked and not is_repeat(each)]

    @property
    def standing(self) -> list[CallStatus]:
        """``results``, followed by the status of calls that are still running."""
        done = {outcome.call.id: outcome for outcome in self.results}
        row = ((call, done.get(call.id)) for call in self.calls)
        return [
            outcome or self.pending_status(call)
            for call, outcome in row
            if outcome is not None or self.is_pending(call)
        ]

    def is_pending(self, call: Call) -> bool:
        """Whether the turn stopped waiting for this call, which is still running."""
        return call.id in self.pending and call.id not in self.outcomes

    def pending_status(self, call: Call) -> CallPending:
        """Returns the status of a running call."""
        long = self.long.get(call.id)
        if long is None:
            return CallPending(call=call)
        state = "stopping" if long.stopping else "running"
        if long.runner == "staff":
            state = "running" if call.id in self.started else "approval"
            return CallPending(call=call, long=LongCallStatus(ref=f"{self.id}/{call.id}", state=state))
        if state == "running" and long.runner != "embedded" and not long.accepted:
            state = "starting"
        ref = f"{self.id}/{call.id}"
        return CallPending(call=call, long=LongCallStatus(ref=ref, state=state, progress=long.progress))

    def has_response(self, round_: int) -> bool:
        """Whether this round has a complete response."""
        return any(message.kind == "response" and message.round == round_ for message in self.messages)

    def unanswered_words(self, round_: int) -> AssistantMessage | None:
        """Returns the newest complete text of a model in this round that was no answer, because the reply was
        refused later. Returns None if there is none.
        """
        for message in reversed(self.messages):
            if message.round == round_ and message.kind == "status" and message.model_written:
                return message
        return None

    def progress_of(self, call_id: str) -> CallProgress | None:
        """Returns the last progress that a long call has reported, or None if there is none."""
        long = self.long.get(call_id)
        return long.progress if long is not None else None

    def message_said(self, message_id: str) -> AssistantMessage:
        """Returns the message with this id, which must exist."""
        for message in reversed(self.messages):
            if message.id == message_id:
                return message
        raise KeyError(message_id)


def is_repeat(outcome: Outcome) -> bool:
    """Whether the call was not run because the same turn has already begun the same call."""
    return isinstance(outcome, CallCancelled) and bool(outcome.duplicate_of)


def _policies_chosen(state: TurnState, entry: PoliciesChosen) -> None:
    state.policies = entry.names


def _model_asked(state: TurnState, entry: ModelAsked) -> None:
    round_ = state.round(entry.round)
    round_.attempts += 1
    round_.knew = frozenset(state.outcomes)
    state.used.add_entry(entry)


def _model_chunks(state: TurnState, entry: ModelChunks) -> None:
    round_ = state.round(entry.round)
    round_.error = entry.error
    round_.opaque = tuple(
        chunk for _, chunk in entry.chunks if isinstance(chunk, Opaque) and chunk.index is None
    )
    state.used.add_entry(entry)


def _call_requested(state: TurnState, entry: CallRequested) -> None:
    state.requested[entry.call.id] = entry.call
    calls = state.round(round_of(entry.call.id)).calls
    calls.append(entry.call)
    if len(calls) > 1 and number_of(calls[-2].id) > number_of(entry.call.id):
        # The arguments of calls may become complete in another order than the calls were decided.
        calls.sort(key=lambda call: number_of(call.id))


def _decision_closed(state: TurnState, entry: DecisionClosed) -> None:
    state.round(entry.round).closed = entry


def _message_opened(state: TurnState, entry: MessageOpened) -> None:
    # Views are made by rounds, so a message must not be lost if nothing else of its round is known.
    state.round(entry.round)
    state.messages.append(
        AssistantMessage(id=entry.message_id, round=entry.round, model_written=entry.model_written)
    )


def _message_text(state: TurnState, entry: MessageText) -> None:
    state.message_said(entry.message_id).text += entry.text


def _message_closed(state: TurnState, entry: MessageClosed) -> None:
    message = state.message_said(entry.message_id)
    message.kind, message.call_ids = entry.kind, entry.call_ids
    message.interrupted = entry.interrupted


def _supervision_chosen(state: TurnState, entry: SupervisionChosen) -> None:
    state.supervision = entry.mode


def _reply_withheld(state: TurnState, entry: ReplyWithheld) -> None:
    state.round(entry.round)
    whole = AssistantMessage(
        id=entry.message_id,
        round=entry.round,
        text=entry.text,
        kind=entry.kind,
        model_written=entry.model_written,
        withheld=True,
    )
    # While it streamed, it was in the state and not in the log.
    state.messages = [one for one in state.messages if one.id != entry.message_id] + [whole]


def _review_requested(state: TurnState, entry: ReviewRequested) -> None:
    state.review = Review(entry)


def _review_decided(state: TurnState, entry: ReviewDecided) -> None:
    if state.review is not None:
        state.review.decided = entry


def _call_started(state: TurnState, entry: CallStarted) -> None:
    state.started[entry.call_id] = entry


def _long_call_started(state: TurnState, entry: LongCallStarted) -> None:
    state.long[entry.call_id] = LongCall(entry.runner)


def _approval_requested(state: TurnState, entry: ApprovalRequested) -> None:
    state.approvals[entry.call_id] = Approval(entry)


def _approval_decided(state: TurnState, entry: ApprovalDecided) -> None:
    state.approvals[entry.call_id].decided = entry


def _long_call_accepted(state: TurnState, entry: LongCallAccepted) -> None:
    state.long[entry.call_id].accepted = True


def _long_call_progressed(state: TurnState, entry: LongCallProgressed) -> None:
    progress = CallProgress(done=entry.done, total=entry.total, unit=entry.unit)
    state.long[entry.call_id].progress = progress


def _long_call_stop_requested(state: TurnState, entry: LongCallStopRequested) -> None:
    state.long[entry.call_id].stopping = True


def _calls_pending(state: TurnState, entry: CallsPending) -> None:
    state.pending.update(entry.call_ids)


def _call_ended(state: TurnState, entry: CallEnded) -> None:
    state.outcomes.setdefault(entry.outcome.call.id, entry.outcome)


def _remembered(state: TurnState, entry: Snapshot) -> None:
    state.snapshots[entry.call_id] = entry


def _results_delivered(state: TurnState, entry: ResultsDelivered) -> None:
    state.told = entry


def _confirmation_asked(state: TurnState, entry: ConfirmationAsked) -> None:
    state.asked = entry


def _confirmation_answered(state: TurnState, entry: ConfirmationAnswered) -> None:
    state.answered = entry


def _turn_ended(state: TurnState, entry: TurnEnded) -> None:
    state.how = entry.how
    state.withheld = [one for one in state.messages if one.withheld]
    if state.withheld:
        state.messages = [one for one in state.messages if not one.withheld]


_FOLDS: dict[type, Callable[[TurnState, Any], None]] = {
    SupervisionChosen: _supervision_chosen,
    ReplyWithheld: _reply_withheld,
    ReviewRequested: _review_requested,
    ReviewDecided: _review_decided,
    PoliciesChosen: _policies_chosen,
    ModelAsked: _model_asked,
    ModelChunks: _model_chunks,
    CallRequested: _call_requested,
    DecisionClosed: _decision_closed,
    MessageOpened: _message_opened,
    MessageText: _message_text,
    MessageClosed: _message_closed,
    CallStarted: _call_started,
    CallEnded: _call_ended,
    ApprovalRequested: _approval_requested,
    ApprovalDecided: _approval_decided,
    LongCallStarted: _long_call_started,
    LongCallAccepted: _long_call_accepted,
    LongCallProgressed: _long_call_progressed,
    LongCallStopRequested: _long_call_stop_requested,
    CallsPending: _calls_pending,
    Snapshot: _remembered,
    ResultsDelivered: _results_delivered,
    ConfirmationAsked: _confirmation_asked,
    ConfirmationAnswered: _confirmation_answered,
    TurnEnded: _turn_ended,
}

"""The state of a conversation, computed from its whole log."""

from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer, Level
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRef,
    CallRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DeliveryReceipt,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Identified,
    Logged,
    MessageOpened,
    ReplyWithheld,
    Summary,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.staff_entries import (
    Assigned,
    ConversationClosed,
    HandoffRouted,
    NoteToAssistant,
    Tagged,
)
from assistant.conversation.turn_state import AssistantMessage, TurnState, is_heard_out
from assistant.conversation.views import HandoffMessage


class ConversationState:
    """The state of a conversation, computed from its log: its turns, waiting messages, and the open question.

    Only entries change it. ``late``: calls that ended after their turns had stopped waiting, and whose
    results no turn has told yet. ``unsettled``: turns whose answers were not told or heard completely, in
    order. ``ended``: the Unix times in ms at which each call began and ended, in the order of their ends,
    since the customer was identified. ``remarks``: the messages between customer and agent since the last
    turn began. ``summary`` replaces the oldest turns. ``person_came`` is the number of the entry with which
    an agent last accepted, 0 for none. ``placed`` has the numbers of the entries with which messages and
    questions begin, by their ids. ``assigned`` is the colleague who is responsible, ``tags`` are the staff's tags,
    ``name`` is the customer's name, and ``closed`` says who has closed the conversation since the customer's last
    message. ``routed`` says for which people the current handoff is, ``rules_matched`` names the rules that have
    brought the conversation to people, and ``turns_with_people`` is the number of turns before it last came back.
    """

    __slots__ = (
        "_by_id",
        "_unheard",
        "assigned",
        "client_ids",
        "closed",
        "ended",
        "failed_tries",
        "handoff",
        "known_as",
        "late",
        "level",
        "name",
        "person_came",
        "placed",
        "question",
        "remarks",
        "routed",
        "rules_matched",
        "said",
        "seq",
        "summary",
        "tags",
        "tools_called",
        "turns",
        "turns_with_people",
        "unsettled",
        "waiting",
    )

    def __init__(self, entries: Iterable[Logged] = ()) -> None:
        self.seq = 0
        self.turns: list[TurnState] = []
        self.waiting: list[CustomerMessage] = []
        self.said: dict[str, CustomerMessage] = {}
        self.client_ids: set[str] = set()
        self.question: ConfirmationAsked | None = None
        self.level: Level = "anonymous"
        self.known_as: Identified | None = None
        self.name: str | None = None
        self.failed_tries = 0
        self.handoff: Handoff | None = None
        self.routed: HandoffRouted | None = None
        self.rules_matched: set[str] = set()
        self.turns_with_people = 0
        self.person_came = 0
        self.remarks: list[HandoffMessage] = []
        self.assigned: Assigned | None = None
        self.tags: tuple[str, ...] = ()
        self.closed: ConversationClosed | None = None
        self.summary: Summary | None = None
        self.tools_called: set[str] = set()
        self.late: list[CallRef] = []
        self.unsettled: list[TurnState] = []
        self.ended: dict[CallRef, tuple[int, int]] = {}
        self.placed: dict[str, int] = {}
        self._by_id: dict[str, TurnState] = {}
        # Turns in ``unsettled`` whose only unsettled part is the heard position.
        self._unheard: set[str] = set()
        for logged in entries:
            self.apply(logged)

    def apply(self, logged: Logged) -> None:
        """Apply the next entry."""
        self.seq = logged.seq
        entry = logged.entry
        fold = _FOLDS.get(type(entry))
        if fold is not None:
            fold(self, entry)
        turn = self._by_id.get(logged.turn_id)
        if turn is not None:
            turn.apply(entry)
            if isinstance(entry, CallEnded):
                self._call_ended(turn, entry, logged.at_ms)
            elif isinstance(entry, TurnEnded):
                if turn.supervision == "shadow":
                    pass  # the customer waits for a person, not for results
                elif _was_cut_short(entry) or turn.pending or turn.running:
                    self.unsettled.append(turn)
                else:
                    self._heard_of(turn)

    @property
    def unfinished(self) -> TurnState | None:
        """The turn that has not ended yet, or None if there is none."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.how is None else None

    @property
    def awaiting_approval(self) -> list[tuple[TurnState, Call]]:
        """The calls that wait for a decision of staff, each with its turn, oldest first."""
        running = self.unfinished
        turns = self.unsettled if running is None else [*self.unsettled, running]
        return [(turn, call) for turn in turns for call in turn.awaiting_approval]

    def customer(self, vouched: Customer) -> Customer:
        """Returns the verified customer, or the one identified in the conversation if that level is higher.

        A signed-in customer never changes.
        """
        known = self.known_as
        if known is None or known.customer is None or vouched.is_at_least(known.level):
            return vouched if vouched.name or not self.name else replace(vouched, name=self.name)
        return replace(vouched, id=known.customer, level=known.level, name=known.name or vouched.name)

    def knows_turn(self, turn_id: str) -> bool:
        """Whether there is a turn with this id."""
        return turn_id in self._by_id

    def turn(self, turn_id: str) -> TurnState:
        """Returns the turn with this id, which must exist."""
        return self._by_id[turn_id]

    def message(self, message_id: str) -> AssistantMessage | None:
        """Returns the assistant's message with this id, or None if it does not exist yet."""
        turn = self._turn_of(message_id)
        return turn.message_said(message_id) if turn is not None else None

    def hear(self, entry: CustomerMessage) -> None:
        """Add a message, which waits for its turn."""
        self.said[entry.message_id] = entry
        self.client_ids.add(entry.client_message_id)
        self.placed[entry.message_id] = self.seq
        self.waiting.append(entry)
        self.closed = None

    def begin(self, entry: TurnStarted) -> None:
        """Begin a turn for a waiting message, or for late results."""
        message = self.said[entry.message_id]
        self.waiting = [other for other in self.waiting if other.message_id != entry.message_id]
        if entry.cause == "late_result":
            self.late.clear()
        turn = TurnState(entry, message, self.seq, before=tuple(self.remarks))
        self.remarks.clear()
        self.turns.append(turn)
        self._by_id[entry.turn_id] = turn

    def apply_receipt(self, entry: DeliveryReceipt) -> None:
        """Update how far a message got.

        For an ended turn, this may change whether its answer counts as heard.
        """
        turn = self._turn_of(entry.message_id)
        if turn is None:
            return
        message = turn.message_said(entry.message_id)
        match entry.how:
            case "sent":
                message.sent = max(message.sent, entry.up_to)
            case "seen":
                message.seen = max(message.seen, entry.up_to)
            case "heard":
                message.heard = max(message.heard or 0, entry.up_to)
                self._heard_of(turn)
            case _:
                assert_never(entry.how)

    def _turn_of(self, message_id: str) -> TurnState | None:
        messages = ((turn, message) for turn in reversed(self.turns) for message in turn.messages)
        return next((turn for turn, message in messages if message.id == message_id), None)

    def _heard_of(self, turn: TurnState) -> None:
        """Keep a turn that has ended in ``unsettled`` as long as one of its answers was not heard completely."""
        if turn.how is None or (turn in self.unsettled and turn.id not in self._unheard):
            return
        heard_out = all(is_heard_out(message) for message in turn.messages if message.kind == "response")
        if heard_out and turn.id in self._unheard:
            self._unheard.remove(turn.id)
            self.unsettled.remove(turn)
        elif not heard_out and turn.id not in self._unheard:
            self._unheard.add(turn.id)
            insort(self.unsettled, turn, key=lambda other: other.began)

    def _call_ended(self, turn: TurnState, entry: CallEnded, at_ms: int) -> None:
        call_id = entry.outcome.call.id
        turn.came.setdefault(call_id, self.seq)
        if call_id in turn.pending and turn.supervision != "shadow":
            self.late.append((turn.id, call_id))
        if not entry.reused_from:
            self.ended.setdefault((turn.id, call_id), (at_ms - entry.duration_ms, at_ms))


def _was_cut_short(entry: TurnEnded) -> bool:
    return entry.how in ("interrupted", "apologised")


def _identified(state: ConversationState, entry: Identified) -> None:
    state.level = entry.level
    state.name = entry.name
    # Results for another customer, or for an anonymous one, must not be used for this customer.
    state.ended.clear()
    if entry.customer is not None:
        state.known_as = entry


def _tried(state: ConversationState, entry: IdentificationAttempted) -> None:
    state.failed_tries += not entry.matched


def _handoff(state: ConversationState, entry: Handoff) -> None:
    state.handoff = entry if entry.state != "ended" else None
    if state.handoff is not None:
        state.closed = None
    else:
        state.assigned = state.routed = None
        state.turns_with_people = len(state.turns)
    if entry.state == "accepted":
        state.person_came = state.seq


def _routed(state: ConversationState, entry: HandoffRouted) -> None:
    state.routed = entry
    if entry.rule:
        state.rules_matched.add(entry.rule)


def _forwarded_to_agent(state: ConversationState, entry: ForwardedToAgent) -> None:
    state.waiting = [other for other in state.waiting if other.message_id != entry.message_id]
    said = state.said[entry.message_id]
    remark = HandoffMessage(message_id=said.message_id, name="", text=said.text, attachments=said.attachments)
    state.remarks.append(remark)


def _agent_message(state: ConversationState, entry: AgentMessage) -> None:
    state.remarks.append(HandoffMessage(message_id=entry.message_id, name=entry.name, text=entry.text))


def _note_to_assistant(state: ConversationState, entry: NoteToAssistant) -> None:
    note = HandoffMessage(message_id="", name=entry.name, text=entry.text, for_assistant=True)
    state.remarks.append(note)


def _assigned(state: ConversationState, entry: Assigned) -> None:
    state.assigned = entry if entry.account else None


def _tagged(state: ConversationState, entry: Tagged) -> None:
    state.tags = entry.tags


def _closed(state: ConversationState, entry: ConversationClosed) -> None:
    state.closed = entry


def _summed_up(state: ConversationState, entry: Summary) -> None:
    state.summary = entry


def _opened(state: ConversationState, entry: MessageOpened | ReplyWithheld) -> None:
    state.placed[entry.message_id] = state.seq


def _called(state: ConversationState, entry: CallRequested) -> None:
    state.tools_called.add(entry.call.tool)


def _asked(state: ConversationState, entry: ConfirmationAsked) -> None:
    state.question = entry
    state.placed[entry.confirmation_id] = state.seq


def _answered(state: ConversationState, entry: ConfirmationAnswered) -> None:
    if entry.answer != "unclear":
        state.question = None


_FOLDS: dict[type, Callable[[ConversationState, Any], None]] = {
    CustomerMessage: ConversationState.hear,
    TurnStarted: ConversationState.begin,
    Identified: _identified,
    IdentificationAttempted: _tried,
    Handoff: _handoff,
    HandoffRouted: _routed,
    ForwardedToAgent: _forwarded_to_agent,
    DeliveryReceipt: ConversationState.apply_receipt,
    AgentMessage: _agent_message,
    NoteToAssistant: _note_to_assistant,
    Assigned: _assigned,
    Tagged: _tagged,
    ConversationClosed: _closed,
    Summary: _summed_up,
    MessageOpened: _opened,
    ReplyWithheld: _opened,
    CallRequested: _called,
    ConfirmationAsked: _asked,
    ConfirmationAnswered: _answered,
}

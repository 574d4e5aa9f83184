"""The facts of a conversation, computed from its log: its visits, and the turns of each. Pure.

A visit is a part of a conversation without a long pause. Reports count visits, and webhooks tell when one begins
and ends. docs/reference/reports.md has the definitions for readers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.customer import Level
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    Cause,
    CustomerMessage,
    DecisionClosed,
    ForwardedToAgent,
    Handoff,
    Identified,
    Logged,
    MessageText,
    Rated,
    Rating,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallCancelled, OutcomeName, outcome_name
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState, is_repeat
from assistant.conversation.usage import Usage, UsageCount
from assistant.conversation.values import HowTurnEnded

Unanswered: TypeAlias = Literal["", "no_answer", "nothing_found", "rated_down", "no_lookup"]
"""Why a request counts as unanswered; "" if it does not."""

_SMALL_TALK_WORDS = 2
"""A message of so many words asks for nothing that would have to be looked up."""

ACTIVITY = (CustomerMessage, TurnStarted, TurnEnded, Handoff, ForwardedToAgent, AgentMessage)
"""What keeps a visit going. A connection, a rating or a delivery receipt does not."""

_WITH_AGENT = frozenset({"requested", "queued", "accepted"})
_FRUITLESS: frozenset[OutcomeName | None] = frozenset({"empty", "failed", "timed_out", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """How one call of a tool ended. ``outcome`` is None if the call has not ended."""

    tool: str
    outcome: OutcomeName | None
    duration_ms: int = 0
    late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFacts:
    """One turn. Times are in ms from the customer's message. A time is None if the event that it measures did
    not happen.

    ``first_words_ms`` is the time of the first words of any message, ``first_fact_ms`` that of the first
    words of the answer, after any acknowledgement, and ``answer_ms`` that of the turn's end. They are None
    for a turn that no message began.
    """

    turn_id: str
    cause: Cause
    began_ms: int
    how: HowTurnEnded | None
    text: str
    locale: str
    answer: str
    first_words_ms: int | None
    first_fact_ms: int | None
    answer_ms: int | None
    calls: tuple[CallFacts, ...]
    usage: Usage
    suppressed: int
    unanswered: Unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffFacts:
    """The newest handoff of a visit: who asked for it, why, and how it ended.

    ``asked_by`` is "assistant" if the assistant called the tool, or "agent" if an agent took over without a
    request.
    """

    state: Literal["requested", "queued", "accepted", "unavailable", "ticket", "ended"]
    asked_by: Literal["assistant", "agent"]
    why: str
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A part of a conversation without a pause of the idle time.

    ``first_seq`` and ``last_seq`` are the numbers of its first and last activity. ``busy`` is True if the
    assistant, or an agent, still has to answer, so it does not end by idleness. ``question`` is True if a
    question before a change is open. ``rating`` is the newest one of any of its messages.
    """

    first_seq: int
    last_seq: int
    began_ms: int
    last_ms: int
    customer: str
    level: Level
    turns: tuple[TurnFacts, ...]
    handoff: HandoffFacts | None
    rating: Rating | None
    rated_text: str
    question: bool
    busy: bool

    def is_over(self, idle_ms: int, now_ms: int) -> bool:
        """Whether the visit has ended, because nothing happened for the idle time."""
        return not self.busy and now_ms - self.last_ms >= idle_ms


def visits_of(entries: Sequence[Logged], customer: str, idle_ms: int) -> tuple[Visit, ...]:
    """Returns the visits of a conversation, oldest first.

    ``customer`` is the id that the conversation began with.
    """
    fold = _Fold(customer, idle_ms)
    for logged in entries:
        fold.apply(logged)
    fold.leave()
    return tuple(one.facts() for one in fold.visits)


@dataclass(slots=True)
class _Turn:
    started: TurnStarted
    began_ms: int
    asked: CustomerMessage | None
    asked_ms: int | None
    count: UsageCount = field(default_factory=UsageCount)
    ended_ms: int | None = None
    calls: list[CallFacts] = field(default_factory=list[CallFacts])
    suppressed: int = 0
    failed: bool = False
    rated_down: bool = False
    begun: dict[str, int] = field(default_factory=dict[str, int])
    """When the text of each message began."""

    def facts(self, state: ConversationState) -> TurnFacts:
        turn = state.turn(self.started.turn_id)
        answers = [one for one in turn.messages if one.kind == "response"]
        fact_ms = min((self.begun[one.id] for one in answers if one.id in self.begun), default=None)
        ended = {call.id for call in turn.calls if call.id in turn.outcomes}
        running = [CallFacts(tool=one.tool, outcome=None) for one in turn.calls if one.id not in ended]
        return TurnFacts(
            turn_id=turn.id,
            cause=self.started.cause,
            began_ms=self.began_ms,
            how=turn.how,
            text=self.asked.text if self.asked is not None else "",
            locale=turn.message.locale,
            answer=" ".join(one.text for one in answers),
            first_words_ms=self._since(min(self.begun.values(), default=None)),
            first_fact_ms=self._since(fact_ms),
            answer_ms=self._since(self.ended_ms),
            calls=(*self.calls, *running),
            usage=self.count.usage,
            suppressed=self.suppressed,
            unanswered=self._unanswered(turn),
        )

    def _since(self, at_ms: int | None) -> int | None:
        return None if at_ms is None or self.asked_ms is None else at_ms - self.asked_ms

    def _unanswered(self, turn: TurnState) -> Unanswered:
        if self.asked is None or turn.how in (None, "interrupted"):
            return ""
        if self.failed or turn.how == "apologised":
            return "no_answer"
        if self.calls and all(one.outcome in _FRUITLESS for one in self.calls):
            return "nothing_found"
        if self.rated_down:
            return "rated_down"
        in_words_alone = not turn.calls and not turn.policies and self.started.cause == "message"
        return "no_lookup" if in_words_alone and len(self.asked.text.split()) > _SMALL_TALK_WORDS else ""


@dataclass(slots=True)
class _Visit:
    state: ConversationState
    first_seq: int
    began_ms: int
    customer: str
    level: Level = "anonymous"
    last_seq: int = 0
    last_ms: int = 0
    turns: list[_Turn] = field(default_factory=list[_Turn])
    handoffs: list[Handoff] = field(default_factory=list[Handoff])
    rated: Rated | None = None
    question: bool = False
    busy: bool = True

    def facts(self) -> Visit:
        rated = self.rated
        return Visit(
            first_seq=self.first_seq,
            last_seq=self.last_seq,
            began_ms=self.began_ms,
            last_ms=self.last_ms,
            customer=self.customer,
            level=self.level,
            turns=tuple(one.facts(self.state) for one in self.turns),
            handoff=self._handoff(),
            rating=rated.rating if rated is not None else None,
            rated_text=rated.text if rated is not None else "",
            question=self.question,
            busy=self.busy,
        )

    def _handoff(self) -> HandoffFacts | None:
        if not self.handoffs:
            return None
        last = self.handoffs[-1]
        ours = [one for one in self.handoffs if one.handoff_id == last.handoff_id]
        requests = [one for one in ours if one.state == "requested"]
        return HandoffFacts(
            state=last.state,
            asked_by="assistant" if requests else "agent",
            why=requests[0].why if requests else "",
            accepted=any(one.state == "accepted" for one in ours),
        )


class _Fold:
    """Collects visits and turns while entries are added."""

    def __init__(self, customer: str, idle_ms: int) -> None:
        self.visits: list[_Visit] = []
        self._customer, self._idle_ms = customer, idle_ms
        self._level: Level = "anonymous"
        self._state = ConversationState()
        self._said: dict[str, int] = {}
        self._turns: dict[str, tuple[_Turn, _Visit]] = {}

    def apply(self, logged: Logged) -> None:
        if isinstance(logged.entry, ACTIVITY):
            self._move(logged)
        self._state.apply(logged)
        match entry := logged.entry:
            case CustomerMessage(message_id=message_id):
                self._said[message_id] = logged.at_ms
            case TurnStarted(turn_id=turn_id, message_id=message_id):
                unasked = entry.cause in ("late_result", "handoff")
                turn = _Turn(
                    entry,
                    logged.at_ms,
                    None if unasked else self._state.said.get(message_id),
                    None if unasked else self._said.get(message_id),
                )
                self.visits[-1].turns.append(turn)
                self._turns[turn_id] = turn, self.visits[-1]
            case Handoff():
                self.visits[-1].handoffs.append(entry)
            case Identified(level=level, customer=customer):
                self._level = level
                self._customer = customer or self._customer
            case Rated(message_id=message_id, rating=rating):
                if (rated := self._turns.get(message_id.partition("/")[0])) is not None:
                    rated[0].rated_down = rating == "down"
                    rated[1].rated = entry
            case _:
                self._apply_to_turn(logged)
        if self.visits:
            self.visits[-1].customer, self.visits[-1].level = self._customer, self._level

    def leave(self) -> None:
        """Record the state of the conversation at the end of the newest visit."""
        if self.visits:
            self.visits[-1].busy = self._is_busy()
            self.visits[-1].question = self._state.question is not None

    def _move(self, logged: Logged) -> None:
        """Continue the visit with this activity, or begin the next one."""
        last = self.visits[-1] if self.visits else None
        if last is None or (logged.at_ms - last.last_ms >= self._idle_ms and not self._is_busy()):
            self.leave()
            self.visits.append(_Visit(self._state, logged.seq, logged.at_ms, self._customer))
        self.visits[-1].last_seq, self.visits[-1].last_ms = logged.seq, logged.at_ms

    def _is_busy(self) -> bool:
        handoff = self._state.handoff
        with_agent = handoff is not None and handoff.state in _WITH_AGENT
        return self._state.unfinished is not None or bool(self._state.waiting) or with_agent

    def _apply_to_turn(self, logged: Logged) -> None:
        if logged.turn_id not in self._turns:
            return
        turn, _ = self._turns[logged.turn_id]
        turn.count.add_entry(logged.entry)
        match logged.entry:
            case MessageText(message_id=message_id):
                turn.begun.setdefault(message_id, logged.at_ms)
            case CallEnded(outcome=outcome, duration_ms=duration_ms, late=late):
                repeats = isinstance(outcome, CallCancelled) and is_repeat(outcome)
                if not repeats:
                    turn.calls.append(
                        CallFacts(
                            tool=outcome.call.tool,
                            outcome=outcome_name(outcome),
                            duration_ms=duration_ms,
                            late=late,
                        )
                    )
            case DecisionClosed(how="failed" | "refused"):
                turn.failed = True
            case SentenceSuppressed():
                turn.suppressed += 1
            case TurnEnded():
                turn.ended_ms = logged.at_ms
            case _:
                pass

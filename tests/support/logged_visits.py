"""Writes the entries of a conversation without a model: messages, answers with calls, ratings, handoffs."""

from dataclasses import dataclass, field, replace

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import (
    CallEnded,
    CallRequested,
    CallStarted,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    Entry,
    Handoff,
    HandoffState,
    Identified,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelAsked,
    ModelChunks,
    Rated,
    Rating,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.conversation.values import HowTurnEnded

MINUTE, DAY = 60_000, 86_400_000


def ok(tool: str) -> Outcome:
    """A call that found something."""
    return CallSucceeded(call=Call(id="", tool=tool), value=[1])


def empty(tool: str) -> Outcome:
    """A call that found nothing."""
    return CallEmpty(call=Call(id="", tool=tool))


def failed(tool: str) -> Outcome:
    """A call that failed."""
    return CallFailed(call=Call(id="", tool=tool), say="it is broken", for_model="broken")


@dataclass
class LoggedVisits:
    """The entries so far; ``at_ms`` is the time of the next one."""

    at_ms: int
    entries: list[Logged] = field(default_factory=list[Logged])
    turns: int = 0

    def add(self, entry: Entry, turn_id: str = "", after_ms: int = 0) -> None:
        """Add an entry ``after_ms`` later."""
        self.at_ms += after_ms
        self.entries.append(Logged(len(self.entries) + 1, self.at_ms, turn_id, entry))

    def asks(
        self,
        text: str,
        *outcomes: Outcome,
        answer: str = "Here it is.",
        how: HowTurnEnded = "answered",
        words_ms: int = 500,
        cost_usd: float | None = 0.01,
        question: bool = False,
    ) -> "LoggedVisits":
        """The customer asks, and the turn runs to its end: the answer begins a second after the first words."""
        self.turns += 1
        turn, said = f"t{self.turns}", f"u{self.turns}"
        calls = [Call(id=f"c1.{number}", tool=one.call.tool) for number, one in enumerate(outcomes, 1)]
        self.add(CustomerMessage(message_id=said, client_message_id=said, text=text))
        self.add(TurnStarted(turn_id=turn, message_id=said, cause="message", bundle="b"), turn)
        self.add(ModelAsked(round=1, role="decider", model="m"), turn)
        for call in calls:
            self.add(CallRequested(call=call), turn)
        self.add(MessageOpened(message_id=f"{turn}/m1", round=1), turn, words_ms)
        self.add(MessageText(message_id=f"{turn}/m1", text="Sure, I'll look."), turn)
        self.add(MessageClosed(message_id=f"{turn}/m1", kind="acknowledgement"), turn)
        ended = StreamEnded("stop", input_tokens=100, output_tokens=10, cost_usd=cost_usd)
        self.add(ModelChunks(round=1, role="decider", chunks=((9, ended),)), turn)
        self.add(DecisionClosed(round=1, call_ids=tuple(call.id for call in calls)), turn)
        for call, outcome in zip(calls, outcomes, strict=True):
            self.add(CallStarted(call_id=call.id, tool=call.tool, idempotency_key=call.id), turn)
            self.add(CallEnded(outcome=replace(outcome, call=call), duration_ms=40), turn)
        self.add(MessageOpened(message_id=f"{turn}/m2", round=1, model_written=True), turn, 1000)
        self.add(MessageText(message_id=f"{turn}/m2", text=answer), turn)
        self.add(MessageClosed(message_id=f"{turn}/m2", kind="response"), turn)
        if question:
            asked = ConfirmationAsked(
                confirmation_id=f"q{turn}", calls=(), read_back="Shall I?", expires_at_ms=self.at_ms + DAY
            )
            self.add(asked, turn)
        self.add(TurnEnded(turn_id=turn, how=how), turn, 10)
        return self

    def rates(self, rating: Rating | None, text: str = "") -> "LoggedVisits":
        """The customer rates the newest answer."""
        self.add(Rated(message_id=f"t{self.turns}/m2", rating=rating, text=text), after_ms=2000)
        return self

    def hands_over(self, *states: HandoffState, why: str = "wants a person") -> "LoggedVisits":
        """A handoff goes through these states."""
        for state in states:
            self.add(Handoff(handoff_id=f"h{self.turns}", state=state, why=why, name="Sam"), after_ms=1000)
        return self

    def identified(self, customer: str, name: str) -> "LoggedVisits":
        """The customer identifies themselves."""
        self.add(Identified(level="verified", customer=customer, name=name))
        return self

    def waits(self, ms: int) -> "LoggedVisits":
        """Time passes."""
        self.at_ms += ms
        return self

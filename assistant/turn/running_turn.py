"""A turn that is being taken: its entries so far, the conversation around it, and its calls' tasks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.outcomes import Outcome
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.tooling.execute import Ready
from assistant.turn.record import Record
from assistant.turn.views import Views
from assistant.turn.waiting.last_heard import LastHeard


class CallTasks(Protocol):
    """The tasks of calls. They belong to the session, so a turn that is cut short leaves them running."""

    async def start(self, ready: Ready, turn: "RunningTurn", record: Record) -> None:
        """Record that the call starts and run it, for as long as its tool may; its end is recorded when it comes.

        A side effect starts only when the record of it is durable.
        """
        ...

    async def found_out(self, ready: Ready, turn: "RunningTurn") -> Outcome:
        """What became of a side effect that was begun before a restart, as far as anybody can tell."""
        ...

    def running(self, turn_id: str, call_id: str) -> bool:
        """Whether the call has a task in this process."""
        ...

    async def ended(self, turn_id: str, calls: Sequence[Call], until: float | None = None) -> None:
        """Wait until the outcomes of these calls are recorded, or until that moment of the clock's ``monotonic()``.

        Cancelling leaves the calls running, and so does a wait that is over.
        """
        ...


@dataclass(slots=True, kw_only=True)
class RunningTurn:
    """What a stage may look at.

    ``vouched`` is whom the door vouches for. ``credential`` gives the customer's own until it expires.
    ``deadline`` is in seconds of the clock's ``monotonic()``: the turn waits for no call longer. ``clauses``
    keeps, by call id, what the customer will be asked about; it is worked out again after a restart.
    """

    key: ConversationKey
    vouched: Customer
    state: TurnState
    conversation: ConversationState
    views: Views
    tasks: CallTasks
    deadline: float
    credential: Callable[[], CustomerCredential | None] = lambda: None
    clauses: dict[str, str] = field(default_factory=dict[str, str])
    last_heard: LastHeard = field(default_factory=LastHeard)

    @property
    def customer(self) -> Customer:
        """Who speaks, as well as they are known by now, in the language of their message: tools speak it too."""
        known = self.conversation.customer(self.vouched)
        # The site gave it for the customer whom it has introduced, and for no one else.
        held = self.credential() if known.level == "signed_in" else None
        if known.locale == self.locale and held is None:
            return known
        return replace(known, locale=self.locale, credential=held)

    @property
    def locale(self) -> str:
        """The language that is spoken in this turn: that of the customer's message."""
        return self.state.message.locale

    @property
    def earlier(self) -> Sequence[TurnState]:
        """The turns before this one, oldest first."""
        return self.conversation.turns[: self.conversation.turns.index(self.state)]

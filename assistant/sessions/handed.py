"""What a handoff asks of the conversation that is handed over."""

from collections.abc import Callable, Sequence
from typing import Protocol

from assistant.conversation.entries import Entry, Logged
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.state import ConversationState
from assistant.sessions.editions import Edition


class Handed(Protocol):
    """A live conversation, as far as a handoff needs it."""

    @property
    def key(self) -> ConversationKey:
        """Whose conversation it is."""
        ...

    @property
    def edition(self) -> Edition:
        """The prompts that it is on."""
        ...

    @property
    def customer(self) -> Customer:
        """Who is talking."""
        ...

    @property
    def failed(self) -> bool:
        """Whether nothing can be recorded any more: the conversation must be opened again, or is erased."""
        ...

    state: ConversationState
    """The fold of its log, up to what was recorded last."""

    entries: list[Logged]
    """Everything durable so far, in order."""

    async def record(self, entry: Entry, turn_id: str = "", *, durable: bool = False) -> None:
        """Append an entry. It has its place before anything else can run; raises ``LogError``."""
        ...

    async def stop(self, turn_id: str | None = None) -> None:
        """Stop what is being said, and wait until it is over; lookups end by themselves."""
        ...

    async def answered(self) -> None:
        """Wait until nothing is left to answer and everything is durable."""
        ...

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Hand every batch of entries that becomes durable to ``listener``; gives back what stops it."""
        ...

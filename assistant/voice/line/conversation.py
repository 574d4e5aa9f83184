"""What a line asks of the conversation that is spoken over it."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from assistant.conversation.entries import Logged
from assistant.conversation.people import ConversationKey


class Conversation(Protocol):
    """One live conversation, as :class:`assistant.sessions.session.Session` is one."""

    @property
    def key(self) -> ConversationKey:
        """Whose conversation it is."""
        ...

    @property
    def entries(self) -> Sequence[Logged]:
        """Everything durable so far, in order; it only grows."""
        ...

    def listen(self, listener: Callable[[Sequence[Logged]], None]) -> Callable[[], None]:
        """Hand ``listener`` every batch of entries that becomes durable, in order; gives back what stops it."""
        ...

    def typing(self) -> None:
        """The customer is saying something: for a while nothing is said only to break a silence."""
        ...

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Literal["yes", "no"] | None = None,
        spoken: bool = False,
    ) -> Literal["accepted", "known", "busy"]:
        """Take a customer's message. ``busy``: too many wait already. Raises ``LogError``."""
        ...

    async def stop(self, turn_id: str | None) -> None:
        """Stop what is being said, if this turn (None: any) is the running one."""
        ...

    async def heard(self, message_id: str, up_to: int) -> None:
        """So many characters of a message were heard; in the log before anything that is recorded later.

        Raises ``LogError``.
        """
        ...

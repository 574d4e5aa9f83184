"""What the server asks of live conversations: the protocols of a session and of all sessions."""

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.documents import Attached
from assistant.conversation.entries import Logged, Rating
from assistant.server.frames.frame import Hints

Button: TypeAlias = Literal["yes", "no"]
Taken: TypeAlias = Literal["accepted", "known", "busy"]
Told: TypeAlias = Literal["sent", "seen"]
Listener: TypeAlias = Callable[[Sequence[Logged]], None]


class Session(Protocol):
    """One live conversation."""

    @property
    def key(self) -> ConversationKey:
        """Whose conversation it is."""
        ...

    @property
    def epoch(self) -> str:
        """Changes when the numbering of entries restarts."""
        ...

    @property
    def entries(self) -> Sequence[Logged]:
        """Everything durable so far, in order: ``entries[i].seq == i + 1``. It only grows."""
        ...

    @property
    def credential(self) -> CustomerCredential | None:
        """The customer's own credential for the company's systems; None when there is none, or it has expired."""
        ...

    @property
    def wants_credential(self) -> bool:
        """Whether a tool of this conversation acts with the customer's own credential."""
        ...

    async def take_credential(self, credential: CustomerCredential) -> None:
        """From now on tools use this one."""
        ...

    @property
    def failed(self) -> bool:
        """Whether the log refused an entry: the conversation must be opened again."""
        ...

    @property
    def doing(self) -> Hints:
        """What tools' chips say in this conversation."""
        ...

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` on the loop with every batch that becomes durable; returns how to stop."""
        ...

    def typing(self) -> None:
        """Note that the customer is typing just now."""
        ...

    def came(self, last_seq: int) -> None:
        """Note that a client has come, which had every entry up to ``last_seq``."""
        ...

    def left(self, last_seq: int) -> None:
        """Note that a client is gone, which had been sent every entry up to ``last_seq``."""
        ...

    async def say(
        self,
        *,
        client_message_id: str,
        text: str,
        locale: str,
        button: Button | None = None,
        attachments: tuple[Attached, ...] = (),
        spoken: bool = False,
    ) -> Taken:
        """Take a customer's message. ``known``: that id was said before; ``busy``: the queue is full.

        ``spoken``: it was said aloud, or keyed in on a phone.
        """
        ...

    async def stop(self, turn_id: str | None) -> None:
        """Interrupt this turn, if it is still running; None: whichever is."""
        ...

    async def rate(self, message_id: str, rating: Rating | None, text: str = "") -> bool:
        """Note what the customer thinks of a message; False when the assistant has not said it, or not yet."""
        ...

    async def heard(self, message_id: str, up_to: int) -> None:
        """Note how many characters of a message the customer has been told aloud; 0: it begins to be spoken.

        It has its place before whatever is recorded afterwards.
        """
        ...

    def tell(self, message_id: str, how: Told, up_to: int) -> None:
        """Note how many characters of a message got how far."""
        ...


class Sessions(Protocol):
    """All live conversations."""

    async def open(
        self, key: ConversationKey, customer: Customer, credential: CustomerCredential | None = None
    ) -> Session:
        """The conversation with this key, loaded from the log, its unfinished turn resumed.

        ``credential`` is what the customer's site has given along now.
        """
        ...

"""Who a client is, and the people of the company who take conversations over."""

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from assistant.conversation.credential import CustomerCredential
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.transcript import Line


class Identity(Protocol):
    """Who a client is."""

    async def identify(self, token: str | None, locale: str) -> Customer:
        """The customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedForPerson:
    """A customer who wants a human being, with what one needs to know who takes them over.

    ``why`` is what they want, in words; ``locale`` the language that they speak. ``transcript`` is what was
    said so far, oldest first.
    """

    key: ConversationKey
    handoff_id: str
    why: str
    locale: str
    transcript: tuple[Line, ...]
    customer_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Somebody will look at it; nobody has taken it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NobodyThere:
    """No person can be had now; ``why`` is for our logs."""

    why: str


DeskAnswer: TypeAlias = Queued | NobodyThere


class Desk(Protocol):
    """Where a company's people are asked to take conversations over.

    What they do comes back another way: see :class:`assistant.sessions.handoffs.Handoffs`. Every method may be
    called again for the same thing, after a restart; the second time changes nothing.
    """

    async def request(self, asked: AskedForPerson) -> DeskAnswer:
        """Ask for a person. May take as long as it likes: who waits for it goes by a clock of their own."""
        ...

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Something stands in the log of a conversation that a person has: the customer's newest words."""
        ...

    async def ticket(self, asked: AskedForPerson, number: str) -> None:
        """Nobody came: leave word for later. The customer was told this number."""
        ...

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """The assistant speaks again, and nobody needs to come any more."""
        ...

    async def erase(self, tenant: str, customer: str) -> None:
        """Tell nothing more of this customer, and forget what was not told yet: they are being erased here."""
        ...

    async def stop(self) -> None:
        """Let go of connections; what was not delivered is kept for the next start."""
        ...


class CredentialStore(Protocol):
    """Keeps signed-in customers' credentials over a restart, one for each conversation, unreadable at rest."""

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        """Keep it in place of the conversation's earlier one, until it expires. Raises ``LogError``."""
        ...

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        """The conversation's credential; None when there is none, or it has expired or cannot be read."""
        ...

"""Where entries are kept for good."""

from collections.abc import Collection, Sequence
from typing import Protocol

from assistant.conversation.entries import Logged
from assistant.conversation.people import ConversationKey
from assistant.conversation.thinned import Aging


class Log(Protocol):
    """Where entries are kept for good, in order, one sequence per conversation."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Keep these entries, all or none; durable when it returns.

        Raises ``LogConflict`` when one of the numbers is taken or leaves a gap, ``AlreadySaid`` when a client
        message id is; then nothing was kept. One caller's failure never fails another's append. A cancelled
        call may or may not have been kept: read before writing on.
        """
        ...

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order. Unknown conversations are empty."""
        ...

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """The ids of a customer's conversations, oldest first."""
        ...

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for a person.

        The last turn has no end, the last customer message neither turn nor person, or a handoff has not ended.
        """
        ...

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """The visitors in whose conversations it turned out that they are this customer, in no order."""
        ...

    async def erasures(self) -> int:
        """How often something was erased here or forgotten: since then, a conversation may have begun anew."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer for good, and give their number.

        Nothing of them can be read again, not from the raw bytes either. Whoever still appends to one of them gets
        a ``LogConflict``. Raises ``LogError`` when not all of it could be done; it can be asked for again.
        """
        ...

    async def forget(self, before_ms: int, keep: Collection[ConversationKey] = ()) -> int:
        """Erase, as ``erase`` does, the conversations that are over and in which nothing has happened since.

        ``keep``: but not these, which somebody has open.
        """
        ...

    async def thin_out(self, what: Aging, before_ms: int) -> int:
        """Take out of entries from before that time what is no longer to be kept; gives the number of entries.

        Every entry stays in its place. See :mod:`assistant.conversation.thinned`.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...

"""Protocols of what is stored: the log, documents and their queue, deliveries, spending, credentials.

Adapters in store/ implement them, and so do tests. :mod:`assistant.store.storage` has the other ports of storage.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.documents import (
    Document,
    DocumentInfo,
    DocumentKind,
    Finding,
    Passage,
    QueuedDocument,
    Vector,
)
from assistant.conversation.entries import Logged
from assistant.conversation.snapshots import Aging
from assistant.conversation.usage import Spent, SpentToday


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbering:
    """Distinguishes a conversation's entries from deleted or lost entries that had the same numbers.

    ``erasures``: the number of erasures in this log. ``restore``: the id of the last restore of a backup; ""
    for none. ``restored_seq``: the conversation's last number at that time. In the lost history, other entries
    may have followed it.
    """

    erasures: int = 0
    restore: str = ""
    restored_seq: int = 0

    @property
    def name(self) -> str:
        """Changes when numbers may repeat; "" for a log without erasures and restores.

        >>> Numbering().name, Numbering(erasures=2).name, Numbering(erasures=2, restore="k3x9").name
        ('', '2', '2-k3x9')
        """
        parts = [str(self.erasures)] if self.erasures or self.restore else []
        return "-".join([*parts, *([self.restore] if self.restore else [])])


FIRST_NUMBERING = Numbering()
"""The numbering of a log without erasures and restores."""


class Log(Protocol):
    """Stores entries permanently, in order, one sequence for each conversation."""

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Store all of these entries or none. They are on disk when this returns.

        Raises ``LogConflict`` if a number is already used or leaves a gap, and ``AlreadySaid`` if a client
        message id is already used; then nothing was stored. A failure never affects another caller's append.
        After a cancelled call the entries may or may not be stored: read before you write again.
        """
        ...

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """Returns the entries with a number above ``after``, in order. Empty for an unknown conversation."""
        ...

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """Returns the ids of a customer's conversations, oldest first."""
        ...

    async def unfinished(self) -> list[ConversationKey]:
        """Conversations that wait for the assistant, or for an agent.

        The last turn has no end, or the last customer message has neither a turn nor an agent, or a handoff has
        not ended.
        """
        ...

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """Returns the visitors who were identified as this customer, in any order."""
        ...

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Distinguishes this conversation's entries from others that had the same numbers."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Erase all conversations of a customer permanently; returns their number.

        No part of them can be read again, not even from the raw bytes. A writer that still appends to one of
        them gets a ``LogConflict``. Raises ``LogError`` if something could not be erased; call it again then.
        """
        ...

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erase, like ``erase``, ended conversations without an entry after ``before_ms``.

        Those in ``keep`` stay, because a session has them open. ``tenant``: only this tenant's; None: all.
        """
        ...

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Remove expired parts from entries older than ``before_ms``; returns the number of changed entries.

        Each entry stays in its place. ``tenant``: only this tenant's; None: all. See
        :mod:`assistant.conversation.snapshots`.
        """
        ...

    async def check_writable(self) -> None:
        """Return if entries can be stored now, without changing any. Otherwise raise ``LogError`` with the reason.

        The reason names no customer, no path and no address, because it is shown to clients of ``/readyz``.
        """
        ...

    async def close(self) -> None:
        """Finish pending work and close the store."""
        ...


ListedOnly: TypeAlias = Literal["all", "handoff", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredConversation:
    """A conversation in a list: when it began, in Unix ms, and its entries of the kinds that were asked for."""

    key: ConversationKey
    opened_ms: int
    entries: Sequence[Logged]


class ConversationList(Protocol):
    """Lists of a tenant's conversations, for staff. Nothing is changed. Methods raise ``LogError``."""

    async def find(self, tenant: str, conversation: str) -> ConversationKey | None:
        """Returns the key of the conversation with this id, or None if there is none."""
        ...

    async def newest(
        self,
        tenant: str,
        kinds: Collection[str],
        limit: int,
        *,
        before: tuple[int, str] | None = None,
        only: ListedOnly = "all",
        customer: str | None = None,
    ) -> list[StoredConversation]:
        """Returns conversations, the one that began last first, with their entries of these kinds.

        ``before``: only those that began before this time; at the same time, those with a lower id. ``only``:
        those with a handoff that has not ended, or those that staff have closed. ``customer``: only theirs.
        """
        ...

    async def count(self, tenant: str, only: ListedOnly = "all") -> int:
        """Returns how many there are."""
        ...


class DocumentStore(Protocol):
    """Stores documents and their passages. Each query names the tenant and the customer.

    All methods except ``close`` raise ``StoreError`` if the store is not available; then nothing was changed.
    """

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Store a document and replace the one with the same ``ref``, completely or not. It is on disk when
        this returns.
        """
        ...

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """Returns the passages nearest to the vector, nearest first, that this customer may read: their own
        and the company's.

        Expired passages are not found.
        """
        ...

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """Returns the whole document, or None if it does not exist, has expired, or belongs to another
        customer.
        """
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """Returns all documents, oldest first: of one customer, or of the whole tenant if None."""
        ...

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of documents with vectors of another embedder, oldest first. Search finds
        them again only after a new ``put``.
        """
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages permanently. Returns whether it existed."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all documents of a customer permanently; returns their number."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        ...

    async def close(self) -> None:
        """Finish pending work and close the store."""
        ...


class WriteQueue(Protocol):
    """A durable queue of documents to be written into the document store. It contains each document once.

    All methods except ``close`` raise ``StoreError`` if the queue is not available; then nothing was changed.
    """

    async def add(self, document: Document, now_ms: int) -> None:
        """Queue a document and replace the one with the same ``ref``. It is on disk when this returns.

        A result may come without its text, because the log has the text.
        """
        ...

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """Returns the document of these kinds with the oldest due time, or None if none is due."""
        ...

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """Returns all waiting and all failed documents, longest first: of one customer, or of all if None."""
        ...

    async def read(self, number: int) -> Document | None:
        """Returns the whole waiting document with this number, or None if it is no longer queued."""
        ...

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """Returns the whole document, if it waits or has failed and this customer may read it."""
        ...

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """Record a failure. The document is tried again at ``due_ms``, or never if None."""
        ...

    async def remove(self, number: int) -> None:
        """Remove a document from the queue. Does nothing if it is not queued."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a queued document permanently. Returns whether it existed."""
        ...

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Delete all queued documents of a customer permanently; returns their references."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Delete all expired documents permanently; returns their number."""
        ...

    async def close(self) -> None:
        """Finish pending work and close the queue."""
        ...


@dataclass(frozen=True, slots=True)
class DeliveryPosition:
    """How many of a conversation's events a receiver has got.

    ``seq`` is the number of the last entry that needs no delivery. ``ended`` is the last entry before the
    newest end of the conversation that the receiver knows.
    """

    seq: int
    ended: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryAttempt:
    """One attempt to deliver an event to a receiver.

    ``status`` is the HTTP status of the answer, 0 without an answer. ``problem`` is "" if the receiver accepted
    the event.
    """

    receiver: str
    key: ConversationKey
    event_id: str
    event: str
    at_ms: int
    status: int
    took_ms: int
    problem: str = ""


class DeliveryStore(Protocol):
    """How far the events of each conversation were delivered to each receiver, and a log of the attempts.

    Methods raise ``LogError``. Their changes are durable when they return.
    """

    async def begin(self, receivers: Sequence[str], key: ConversationKey, seq: int) -> None:
        """Begin deliveries to these receivers after the entry ``seq``. A delivery that has begun continues
        from its position, even after ``rest``.
        """
        ...

    async def delivered(self, receiver: str, key: ConversationKey) -> DeliveryPosition | None:
        """Returns the position, or None if nothing is to be delivered."""
        ...

    async def note(self, receiver: str, key: ConversationKey, position: DeliveryPosition) -> None:
        """Store the position of a delivery that has begun."""
        ...

    async def rest(self, receiver: str, key: ConversationKey, now_ms: int) -> None:
        """Leave the conversation out of ``all``, until ``begin`` is called for it."""
        ...

    async def forget(self, receiver: str, key: ConversationKey) -> None:
        """Delete the position: nothing more will be delivered."""
        ...

    async def drop_rested(self, before_ms: int) -> None:
        """Delete the positions that have rested since before this time."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete the positions and attempts of all conversations of a customer permanently; returns the number
        of positions.
        """
        ...

    async def all(self, receiver: str) -> list[ConversationKey]:
        """Returns the conversations that may have something to deliver."""
        ...

    async def add_attempt(self, attempt: DeliveryAttempt) -> None:
        """Add an attempt to the log, which keeps the newest thousand of each tenant."""
        ...

    async def attempts(self, tenant: str, limit: int) -> list[DeliveryAttempt]:
        """Returns the newest attempts of a tenant, newest first."""
        ...


class SpendingStore(Protocol):
    """Counts what customers and tenants have spent on a day, on all servers together. Methods raise ``LogError``.

    Days of more than two days ago are forgotten.
    """

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        """Returns what was spent on this day; zero for an unknown one."""
        ...

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        """Add to both, and return the new sums. Of several callers, only one sees a sum pass a limit."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete this customer's counts permanently; returns their number. The tenant's stay."""
        ...


class CredentialStore(Protocol):
    """Stores signed-in customers' credentials across restarts, one for each conversation, encrypted on disk."""

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        """Store the credential until it expires, and replace the conversation's earlier credential. Raises
        ``LogError``.
        """
        ...

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        """Returns the conversation's credential, or None if there is none, or if it has expired or cannot be
        read.
        """
        ...

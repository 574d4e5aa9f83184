"""Protocols of everything outside the core: models, logs, document stores, agents, time.

This module contains no behaviour. Adapters in models/, store/ and handoff/ implement the protocols; so do tests
and the virtual clock. The protocols of speech are in :mod:`assistant.speech_ports`.
"""

from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol, TypeAlias

from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.documents import (
    Document,
    DocumentInfo,
    DocumentKind,
    Finding,
    Passage,
    QueuedDocument,
    Vector,
)
from assistant.conversation.entries import Logged, ModelRole
from assistant.conversation.snapshots import Aging
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.transcript import TranscriptLine
from assistant.conversation.usage import Spent, SpentToday
from assistant.conversation.values import Json
from assistant.conversation.views import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Options that are passed to a provider. Times are in seconds. None uses the provider's default.

    ``formatted``: false sends the messages of the view in our neutral form, for a gateway that translates them;
    providers refuse that form. ``images``: the model can see pictures; other models receive a description.
    ``room``: the factor for the maximum length of the reply. ``family`` names what the model accepts if its own
    name does not tell (:mod:`assistant.formats.families`). ``extra`` are more fields of the request, in the
    provider's format.

    ``first_token_s`` limits the silence before the first token, ``next_token_s`` later silences; ``thinking_s``
    limits the time to the next token while other signals arrive.
    """

    max_tokens: int | None = None
    temperature: float | None = None
    parallel_calls: bool = True
    formatted: bool = True
    images: bool = True
    room: int = 1
    family: str = ""
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    first_token_s: float = 20.0
    next_token_s: float = 15.0
    thinking_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request: the role that asks, the view, and the offered tools.

    ``may_call``: false if the model must answer in words. The tools are still listed then, so that the request
    begins like the previous one. ``conversation`` is the id of its conversation, "" for none.
    """

    role: ModelRole
    view: View
    tools: tuple[ToolSpec, ...] = ()
    may_call: bool = True
    options: ModelOptions = field(default_factory=ModelOptions)
    conversation: str = ""


class Model(Protocol):
    """A language model of any provider."""

    @property
    def name(self) -> str:
        """The name in the settings."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Send a request and yield the reply chunk by chunk, in order; the last chunk is ``StreamEnded``.

        Closing the generator cancels the request. Raises only ``ModelError``, before or between chunks; a
        broken stream raises ``ModelBroke``.
        """
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class TokenCounter(Protocol):
    """Counts tokens for one model. The count is exact or too high, never too low."""

    @property
    def name(self) -> str:
        """The name of the method: "o200k_base", "estimate"."""
        ...

    def count(self, text: str) -> int:
        """Returns the number of tokens in a text. Pure, and fast enough for each request."""
        ...


class Clock(Protocol):
    """The source of time. All code reads dates and waiting times from it."""

    def now(self) -> datetime:
        """Returns the current time, with the company's time zone."""
        ...

    def now_ms(self) -> int:
        """Returns the current time in Unix milliseconds."""
        ...

    def monotonic(self) -> float:
        """Returns the seconds since an arbitrary start. The value never decreases."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        """A block that raises ``TimeoutError`` when it takes longer. None: no limit."""
        ...


class Ids(Protocol):
    """Makes ids and secrets."""

    def new(self) -> str:
        """Returns a new id: sortable by time, safe in URLs, impossible to guess."""
        ...

    def secret(self) -> str:
        """Returns a new secret that can authenticate a program. Safe in URLs."""
        ...


class Keys(Protocol):
    """Secrets that sign and encrypt. They may be replaced while a server runs."""

    @property
    def signing(self) -> bytes:
        """The secret for everything that is signed or encrypted from now on."""
        ...

    @property
    def accepted(self) -> Sequence[bytes]:
        """The secrets for verifying and decrypting: also those that were used earlier. Never empty."""
        ...


@dataclass(frozen=True, slots=True)
class FixedKey:
    """A secret that is not replaced."""

    signing: bytes

    @property
    def accepted(self) -> Sequence[bytes]:
        """The one secret."""
        return (self.signing,)


def keys_of(given: bytes | Keys) -> Keys:
    """Returns the keys; a secret alone is not replaced."""
    return FixedKey(given) if isinstance(given, bytes) else given


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


class Embedder(Protocol):
    """Turns texts into vectors. Texts with similar meanings have near vectors."""

    @property
    def name(self) -> str:
        """The name in the settings. Vectors of different embedders are never compared."""
        ...

    @property
    def width(self) -> int:
        """The length of a vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Returns one vector for each text, in order, without blocking the event loop.

        Raises ``EmbeddingError``.
        """
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


class Identity(Protocol):
    """Identifies clients."""

    async def identify(self, token: str | None, locale: str) -> Customer:
        """Returns the customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffRequest:
    """A customer's request for an agent, with the information that the agent needs.

    ``why`` is the customer's wish in words, ``locale`` the language that they speak. ``transcript`` is the
    conversation so far, oldest first.
    """

    key: ConversationKey
    handoff_id: str
    why: str
    locale: str
    transcript: tuple[TranscriptLine, ...]
    customer_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """The request is in a queue; no agent has accepted it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAgentAvailable:
    """No agent is available now; ``why`` is for our logs."""

    why: str


HandoffAnswer: TypeAlias = Queued | NoAgentAvailable


class HandoffBackend(Protocol):
    """A system in which the company's agents are asked to take over conversations.

    Agents' actions come back through :class:`~assistant.sessions.handoff_registry.HandoffRegistry`. After a
    restart each method may be called again for the same event; the second call must change nothing.
    """

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Ask for an agent. May take any time; the caller applies its own timeout."""
        ...

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Report that the log has a new message of the customer while an agent has the conversation."""
        ...

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
        """Report that no agent came and a ticket was opened. The customer has received its number."""
        ...

    async def close(self, key: ConversationKey, handoff_id: str) -> None:
        """Report that the handoff has ended: the assistant speaks again, and no agent is needed."""
        ...

    async def erase(self, tenant: str, customer: str) -> None:
        """Send nothing more about this customer, who is being erased, and delete events that were not sent yet."""
        ...

    async def stop(self) -> None:
        """Close the connections. Undelivered events are kept for the next start."""
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

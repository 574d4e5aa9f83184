"""Protocols of everything outside the core: models, logs, document stores, speech, agents, time.

This module holds no behaviour. Adapters in models/, store/, handoff/ and voice implement the protocols;
tests and the virtual clock implement them too.

Audio is mono, 16-bit little-endian PCM. What is heard has 16,000 samples a second; what is spoken has the rate
of its voice.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
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
from assistant.conversation.values import Json
from assistant.conversation.views import View


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What is passed through to a provider. Times are in seconds; None leaves a thing to the provider.

    ``formatted``: false sends the messages of the view as they stand, calls and results in our own neutral
    form: for a gateway that translates them itself, the providers refuse them. ``images``: the model can
    see; to one that cannot, pictures are described. ``extra`` are further fields of the request, as the provider
    has them.
    """

    max_tokens: int = 1024
    temperature: float | None = None
    parallel_calls: bool = True
    formatted: bool = True
    images: bool = True
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])
    first_token_s: float = 20.0
    next_token_s: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request: who asks, the view, the tools on offer (none: the model must answer in words).

    ``conversation`` is the id of the conversation that it belongs to, "" for none.
    """

    role: ModelRole
    view: View
    tools: tuple[ToolSpec, ...] = ()
    options: ModelOptions = field(default_factory=ModelOptions)
    conversation: str = ""


class Model(Protocol):
    """A language model, whichever provider it is."""

    @property
    def name(self) -> str:
        """As the operator wrote it in the settings."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask, and give the reply chunk by chunk, in the order it comes; the last is ``StreamEnded``.

        Closing the generator cancels the request. Raises ``ModelError`` and nothing else, before or between
        chunks; a stream that dies raises ``ModelBroke``.
        """
        ...

    async def close(self) -> None:
        """Give back connections."""
        ...


class TokenCounter(Protocol):
    """Counts tokens as one model does, or a little more: what it counts never takes more than that."""

    @property
    def name(self) -> str:
        """How it counts, for whoever reads its numbers: "o200k_base", "estimate"."""
        ...

    def count(self, text: str) -> int:
        """The tokens of a text; pure, and quick enough for every request."""
        ...


class Clock(Protocol):
    """Time. Everything that waits or dates waits or dates by this."""

    def now(self) -> datetime:
        """The present, aware, in the company's time zone."""
        ...

    def now_ms(self) -> int:
        """The present in Unix milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        """A block that raises ``TimeoutError`` when it takes longer. None: no limit."""
        ...


class Ids(Protocol):
    """Names for new things."""

    def new(self) -> str:
        """A fresh id: sortable by time, safe in URLs, not to be guessed."""
        ...

    def secret(self) -> str:
        """A fresh secret: by it alone a program may be let in. Safe in URLs."""
        ...


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

        Every entry stays in its place. See :mod:`assistant.conversation.snapshots`.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors, whose nearness is that of their meanings."""

    @property
    def name(self) -> str:
        """As the operator wrote it; vectors of one are never compared with those of another."""
        ...

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order, without holding up the loop. Raises ``EmbeddingError``."""
        ...


class DocumentStore(Protocol):
    """Where documents and their passages are kept. Every question says whose they are.

    All methods but ``close`` raise ``StoreError`` when the store does not answer; then nothing was changed.
    """

    async def put(self, document: Document, passages: Sequence[Passage]) -> None:
        """Keep a document in place of the one with its ``ref``, all or nothing; durable when it returns."""
        ...

    async def search(
        self, tenant: str, customer: str, vector: Vector, *, limit: int, now_ms: int
    ) -> list[Finding]:
        """The nearest passages, nearest first, of what this customer may read: their own and everybody's.

        What has expired is not found.
        """
        ...

    async def get(self, tenant: str, customer: str, ref: str, *, now_ms: int) -> Document | None:
        """The whole document; None for one that is not there, has expired, or is another customer's."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> list[DocumentInfo]:
        """What is kept, oldest first: of one customer alone, or of the whole tenant for None."""
        ...

    async def stale(self) -> list[tuple[str, str, str]]:
        """Tenant, customer and ref of what another embedder made, oldest first: not found until it is put again."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document and its passages for good; whether it was there."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all that is kept of a customer, for good; gives the number of documents."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Delete what has expired, for good; gives the number of documents."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...


class WriteQueue(Protocol):
    """What waits to be written into the document store, durably; each document once.

    All methods but ``close`` raise ``StoreError`` when the queue does not answer; then nothing was changed.
    """

    async def add(self, document: Document, now_ms: int) -> None:
        """Let a document wait, in place of the one with its ``ref``; durable when it returns.

        A result may come without its text, which then stands in the log.
        """
        ...

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        """Of these kinds the one that has been due the longest; None while none is."""
        ...

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        """All that waits or has failed for good, longest first: of one customer alone, or of all for None."""
        ...

    async def read(self, number: int) -> Document | None:
        """The document that waits under this number, whole; None when it does not any more."""
        ...

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        """The document, whole, if it waits or has failed, and this customer may read it."""
        ...

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        """It failed: not again before then; None: never again."""
        ...

    async def remove(self, number: int) -> None:
        """It need not wait any longer; nothing happens when it does not."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Forget a document for good; whether it was there."""
        ...

    async def erase(self, tenant: str, customer: str) -> list[str]:
        """Forget all that waits of a customer, for good; gives the documents' references."""
        ...

    async def expire(self, now_ms: int) -> int:
        """Forget what has expired, for good; gives the number of documents."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the queue."""
        ...


class Identity(Protocol):
    """Who a client is."""

    async def identify(self, token: str | None, locale: str) -> Customer:
        """The customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffRequest:
    """A customer who wants a human being, with what one needs to know who takes them over.

    ``why`` is what they want, in words; ``locale`` the language that they speak. ``transcript`` is what was
    said so far, oldest first.
    """

    key: ConversationKey
    handoff_id: str
    why: str
    locale: str
    transcript: tuple[TranscriptLine, ...]
    customer_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Somebody will look at it; nobody has taken it yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAgentAvailable:
    """No person can be had now; ``why`` is for our logs."""

    why: str


HandoffAnswer: TypeAlias = Queued | NoAgentAvailable


class HandoffBackend(Protocol):
    """Where a company's people are asked to take conversations over.

    What they do comes back another way: see :class:`~assistant.sessions.handoff.HandoffRegistry`. Every method may
    be called again for the same thing, after a restart; the second time changes nothing.
    """

    async def request(self, asked: HandoffRequest) -> HandoffAnswer:
        """Ask for a person. May take as long as it likes: who waits for it goes by a clock of their own."""
        ...

    async def pass_on(self, key: ConversationKey, handoff_id: str) -> None:
        """Something stands in the log of a conversation that a person has: the customer's newest words."""
        ...

    async def ticket(self, asked: HandoffRequest, number: str) -> None:
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


Pcm: TypeAlias = bytes
"""Mono sound, 16-bit little-endian samples."""

HEARD_RATE = 16_000
"""Samples a second of everything that is heard."""

FRAME_SAMPLES = 512
"""Samples of one frame, of which is said whether somebody speaks in it: 32 ms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcription:
    """What somebody said.

    ``text`` is "" where nobody spoke. ``likely``: how sure the model is of its words, from 0 to 1. ``seconds`` of
    sound were heard.
    """

    text: str
    likely: float = 1.0
    seconds: float = 0.0


class SpeechToText(Protocol):
    """Writes down what was said."""

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        ...

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """What is said in an utterance of 16 kHz, without holding up the loop.

        ``hint`` are words that are likely to occur. Whoever waits may leave: then the work is not begun, or its
        outcome is dropped. Raises ``SpeechError``.
        """
        ...


class TextToSpeech(Protocol):
    """Says a text."""

    @property
    def name(self) -> str:
        """As the operator wrote it."""
        ...

    @property
    def rate(self) -> int:
        """Samples a second of what it says."""
        ...

    def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """The sound of a clause or sentence in its spoken form, piece by piece as it is made.

        ``tempo``: 0.5 is half as fast, 2.0 twice. Leaving the iteration stops it. Raises ``SpeechError``.
        """
        ...


class VoiceActivity(Protocol):
    """Tells speech from everything else. One stream per caller, for it remembers what came before."""

    def stream(self) -> "VoiceStream":
        """Begin to listen to somebody."""
        ...


class VoiceStream(Protocol):
    """One caller's sound, frame after frame."""

    def push(self, frame: Pcm) -> float:
        """How likely somebody speaks in the next ``FRAME_SAMPLES`` samples, from 0 to 1; soon said."""
        ...

"""Protocols of everything outside the core: models, agents, time, identities.

This module contains no behaviour. Adapters in models/ and handoff/ implement the protocols; so do tests
and the virtual clock. The protocols of storage are in :mod:`assistant.storage_ports`, those of speech in
:mod:`assistant.speech_ports`.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeAlias

from assistant.conversation.chunks import Chunk
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.documents import (
    Vector,
)
from assistant.conversation.entries import ModelRole
from assistant.conversation.staff_entries import HandoffRouted
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.transcript import TranscriptLine
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


class Identity(Protocol):
    """Identifies clients."""

    async def identify(self, token: str | None, locale: str) -> Customer:
        """Returns the customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffRequest:
    """A customer's request for an agent, with the information that the agent needs.

    ``why`` is the customer's wish in words, ``locale`` the language that they speak. ``transcript`` is the
    conversation so far, oldest first. ``customer`` is who they are, as far as that is known. ``routed`` says for
    which people it is, and which rule of the company asks for them; None if there is nothing to say.
    """

    key: ConversationKey
    handoff_id: str
    why: str
    locale: str
    transcript: tuple[TranscriptLine, ...]
    customer: Customer | None = None
    routed: HandoffRouted | None = None


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

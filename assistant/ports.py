"""The walls of the house: what the rooms ask of the world, as Protocols. Nothing here does anything."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import Logged, ModelRole
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import View


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What is passed through to a provider. Times are in seconds; None leaves a thing to the provider.

    ``formatted``: false sends the messages of the view as they stand, calls and results in our own neutral
    form: for a gateway that translates them itself, the providers refuse them.
    """

    max_tokens: int = 1024
    temperature: float | None = None
    parallel_calls: bool = True
    formatted: bool = True
    first_token_s: float = 20.0
    next_token_s: float = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request: who asks, the view, the tools on offer (none: the model must answer in words)."""

    role: ModelRole
    view: View
    tools: tuple[ToolSpec, ...] = ()
    options: ModelOptions = field(default_factory=ModelOptions)


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
        """Conversations whose last turn has no end, or whose last customer message has no turn."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...


class Identity(Protocol):
    """Who a client is."""

    async def identify(self, token: str | None, locale: str) -> Customer:
        """The customer behind a token; a new visitor for None. Raises ``IdentityError``."""
        ...

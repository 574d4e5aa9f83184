"""What we need of litellm, as the rest of the room sees it: nothing of it is imported here."""

from collections.abc import Sequence
from typing import Any, Protocol


class TokenDetails(Protocol):
    """Of which kinds the tokens of a request were."""

    cached_tokens: int | None


class LitellmUsage(Protocol):
    """The count of tokens of one request."""

    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: TokenDetails | None


class Function(Protocol):
    """What a delta says of a call."""

    name: str | None
    arguments: str | None


class ToolCallDelta(Protocol):
    """Some more of a call; what its provider wants back stands beside these, where there is any."""

    index: int | None
    id: str | None
    function: Function


class Delta(Protocol):
    """Some more of a reply; what its provider wants back stands beside these, where there is any."""

    content: str | None
    tool_calls: Sequence[ToolCallDelta] | None


class Choice(Protocol):
    """The reply itself: we never ask for more than one."""

    delta: Delta
    finish_reason: str | None


class LitellmChunk(Protocol):
    """One piece of a stream. ``choices`` has one entry, or none where only tokens are counted."""

    choices: Sequence[Choice]


class Stream(Protocol):
    """A reply that is coming in. ``chunks`` are those that came, as the provider sent them."""

    chunks: Sequence[LitellmChunk]

    async def __anext__(self) -> LitellmChunk:
        """The next piece; ``StopAsyncIteration`` at the end."""
        ...

    async def aclose(self) -> None:
        """Let go of it; what is still under way is cancelled."""
        ...


class Loaded(Protocol):
    """litellm, ready."""

    async def ask(self, body: dict[str, Any], api_base: str | None, api_key: str | None) -> Stream:
        """Send a chat completion request. Raises litellm's own errors."""
        ...

    def problem(self, model: str) -> str | None:
        """What is wrong with a model's name; None when nothing is."""
        ...

    def missing(self, model: str) -> list[str]:
        """The variables that are usually set for a model, and are not."""
        ...

    def cost_usd(self, model: str, usage: LitellmUsage) -> float | None:
        """US dollars for a reply; None when the model has no price."""
        ...

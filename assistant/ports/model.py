"""A language model: what it is asked, and how its tokens are counted."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from assistant.conversation.chunks import Chunk
from assistant.conversation.entries import ModelRole
from assistant.conversation.tool_spec import ToolSpec
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


class Counter(Protocol):
    """Counts tokens as one model does, or a little more: what it counts never takes more than that."""

    @property
    def name(self) -> str:
        """How it counts, for whoever reads its numbers: "o200k_base", "estimate"."""
        ...

    def count(self, text: str) -> int:
        """The tokens of a text; pure, and quick enough for every request."""
        ...

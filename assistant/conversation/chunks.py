"""The pieces of a model's stream, the same for all providers."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More text. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class CallNamed:
    """A call begins.

    Its tool is known, its arguments are not. ``index`` counts the calls of a reply from 0.
    """

    index: int
    name: str
    provider_id: str | None = None


@dataclass(frozen=True, slots=True)
class CallArguments:
    """A piece of the JSON text of a call's arguments."""

    index: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data that must be sent back to the provider unchanged: a block of reasoning, or its signature.

    Only ``provider`` may get ``value``. ``index`` is the call that it belongs to; then the chunk comes after
    that call's ``CallNamed`` and before its arguments. None: it belongs to the whole reply.
    """

    provider: str
    value: Json
    index: int | None = None


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The reply is complete. This is always the last chunk, exactly once. A stream without it broke.

    A value of None means that the provider does not report it. ``cached_tokens`` is the part of
    ``input_tokens`` that came from the provider's cache. ``model`` is the model that answered, if it is not
    the requested one.
    """

    reason: Literal["stop", "tool_calls", "length", "refused"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None


Chunk: TypeAlias = TextDelta | CallNamed | CallArguments | Opaque | StreamEnded

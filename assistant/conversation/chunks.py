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
    """A call begins: its tool is known, its arguments are not yet. ``index`` counts from 0 in one reply."""

    index: int
    name: str
    provider_id: str | None = None


@dataclass(frozen=True, slots=True)
class CallArguments:
    """More of the JSON text of a call's arguments."""

    index: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Data that a provider wants back unchanged: a block of reasoning, or its signature.

    Only ``provider`` reads ``value``; no other provider gets it. ``index`` is its call; then it comes after
    that call's ``CallNamed`` and before its arguments. None: it belongs to the whole reply.
    """

    provider: str
    value: Json
    index: int | None = None


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The reply is complete. It is always the last chunk, exactly once; a stream without it broke.

    None means that the provider does not say. ``cached_tokens`` is the part of ``input_tokens`` that came
    from the provider's cache. ``model`` is the model that answered, if it is not the one that was asked.
    """

    reason: Literal["stop", "tool_calls", "length", "refused"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None


Chunk: TypeAlias = TextDelta | CallNamed | CallArguments | Opaque | StreamEnded

"""What comes out of a model's stream, the same for every provider."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Some more text. Never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class CallNamed:
    """A call begins: its tool is known, its arguments are not. ``index`` counts from 0 in one reply."""

    index: int
    name: str
    provider_id: str | None = None


@dataclass(frozen=True, slots=True)
class CallArguments:
    """Some more of the JSON text of a call's arguments."""

    index: int
    fragment: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that its provider wants back untouched: a block of reasoning, the signature of a thought.

    Only ``provider`` reads ``value``; no other provider gets it. ``index`` is the call that it
    belongs to, after whose ``CallNamed`` and before whose arguments it comes; None for the whole reply.
    """

    provider: str
    value: Json
    index: int | None = None


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The reply is complete. Always last, exactly once; a stream without it broke off.

    None is for what the provider does not tell. ``cached_tokens`` are those of ``input_tokens`` that it had
    kept from before. ``model`` is who answered, when that was not the model that was asked.
    """

    reason: Literal["stop", "tool_calls", "length", "refused"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None


Chunk: TypeAlias = TextDelta | CallNamed | CallArguments | Opaque | StreamEnded

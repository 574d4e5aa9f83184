"""What the models answer: one reply for each time that one is asked, in the order of the requests."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from assistant.conversation.entries import ModelRole
from assistant.replay.cassette.written import Ms, Object, Text, Written

Ending: TypeAlias = Literal["complete", "breaks", "stalls", "refused", "timed_out", "stopped"]
"""How a reply ends: as it should; the line breaks; nothing comes any more, until it is given up; the provider
refuses; the request's time is up; somebody stopped the turn."""


class Called(Written):
    """A call in a reply. ``written`` are arguments that are no JSON object, as the model wrote them."""

    tool: Text
    arguments: Object = Field(default_factory=dict)
    written: str | None = None


class TextPiece(Written):
    """Some text, so many ms after the request."""

    at_ms: Ms
    text: Text


class NamePiece(Written):
    """A call begins."""

    at_ms: Ms
    call: Text
    index: int = 0
    id: str | None = None


class ArgumentsPiece(Written):
    """Some more of a call's arguments."""

    at_ms: Ms
    arguments: str
    index: int = 0


class EndPiece(Written):
    """The reply is complete; tokens and money as the provider told them."""

    at_ms: Ms
    end: Literal["stop", "tool_calls", "length", "refused"]
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    model: str | None = None


Piece: TypeAlias = TextPiece | NamePiece | ArgumentsPiece | EndPiece


class Reply(Written):
    """One reply.

    Written by hand it has ``says``, ``calls`` or both, the first piece ``first_ms`` after the request and the
    others ``each_ms`` apart, a text word by word. A recorded one has its ``pieces`` instead.
    """

    role: ModelRole
    says: str | tuple[str, ...] = ""
    calls: tuple[Called, ...] = ()
    first_ms: Ms = 0
    each_ms: Ms = 0
    pieces: tuple[Piece, ...] = ()
    ends: Ending = "complete"


Replies = Annotated[tuple[Reply, ...], Field(default_factory=tuple)]

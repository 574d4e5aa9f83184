"""What a client may say. The first frame is ``hello``; after it any other, in any order.

``message`` and ``confirm`` are answered with ``accepted`` or ``rejected`` under their ``id``. The client
chooses the id, unique in the conversation, and sends the frame again with the same id until it has an answer:
saying it three times is saying it once. What does not fit is answered with ``error`` and has no other effect.
"""

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]
"""Printable ASCII without spaces."""

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def _language_tag(text: str) -> str:
    """The part that is a language tag; English where none is.

    >>> _language_tag("de-AT"), _language_tag("en_US@posix"), _language_tag("?")
    ('de-AT', 'en-US', 'en')
    """
    tag = _TAG.match(text.replace("_", "-"))
    return tag[0] if tag else "en"


Locale = Annotated[str, Field(max_length=64), AfterValidator(_language_tag)]
"""A language tag such as ``en`` or ``de-AT``. Some browsers give odder ones: that must keep nobody out."""

Seq = Annotated[int, Field(ge=0, le=2**53 - 1)]


class ClientFrame(BaseModel):
    """A frame from a client. A field nobody knows is refused: a misspelt one must not pass in silence."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Capabilities(ClientFrame):
    """What a client can do or wants. Unknown ones are ignored, so that a newer client may announce more.

    ``developer`` asks for tools' names, arguments and results; the server grants it or not.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    developer: bool = False


class Hello(ClientFrame):
    """Who is there and what it has already. Without a token a new conversation begins.

    ``last_seq`` is the number of the last durable frame that the client has shown, ``epoch`` the one it was
    numbered in. ``last_seq`` 0 asks for the whole conversation as a snapshot.
    """

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=4_096)] | None = None
    conversation_id: Id | None = None
    last_seq: Seq = 0
    epoch: Annotated[str, Field(max_length=64)] | None = None
    locale: Locale = "en"
    capabilities: Capabilities = Capabilities()


class Message(ClientFrame):
    """The customer says something. Empty and overlong texts are ``rejected``."""

    type: Literal["message"]
    id: Id
    text: Annotated[str, Field(max_length=65_536)]
    locale: Locale | None = None


class Confirm(ClientFrame):
    """The customer presses a confirmation's button; ``label`` is what stands on it, for the history."""

    type: Literal["confirm"]
    id: Id
    confirmation_id: Id
    answer: Literal["yes", "no"]
    label: Annotated[str, Field(min_length=1, max_length=80)] | None = None


class Cancel(ClientFrame):
    """The stop button. Without ``turn_id``: whichever turn is running. ``turn.completed`` tells of it."""

    type: Literal["cancel"]
    id: Id | None = None
    turn_id: Id | None = None


class Seen(ClientFrame):
    """Everything up to the frame with this number stood before the customer's eyes."""

    type: Literal["seen"]
    seq: Seq


class Feedback(ClientFrame):
    """A rating of a message. Not supported yet."""

    type: Literal["feedback"]
    message_id: Id
    rating: Literal["up", "down"]
    text: Annotated[str, Field(max_length=4_000)] | None = None


class AudioStart(ClientFrame):
    """The microphone is on. Not supported yet."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    type: Literal["audio.start"]


class AudioStop(ClientFrame):
    """The microphone is off. Not supported yet."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    type: Literal["audio.stop"]


class AudioPlayed(ClientFrame):
    """How much of a message was played. Not supported yet."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    type: Literal["audio.played"]


class Ping(ClientFrame):
    """Are you there? The ``pong`` carries the same id."""

    type: Literal["ping"]
    id: Id | None = None


AnyClientFrame: TypeAlias = (
    Hello | Message | Confirm | Cancel | Seen | Feedback | AudioStart | AudioStop | AudioPlayed | Ping
)

CLIENT_FRAMES: TypeAdapter[AnyClientFrame] = TypeAdapter(
    Annotated[AnyClientFrame, Field(discriminator="type")]
)

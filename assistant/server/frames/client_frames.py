"""The frames that a client may send, and their parser. The first frame is ``hello``; others follow in any
order.

``message`` and ``confirm`` are answered with ``accepted`` or ``rejected`` under their ``id``. The client
chooses the id, unique in the conversation, and sends the frame again with the same id until it has an answer.
Repeated frames count once. An invalid frame is answered with ``error`` and has no other effect.
"""

import re
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from assistant.conversation.entries import Rating

Id = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]
"""Printable ASCII without spaces."""

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def _language_tag(text: str) -> str:
    """The part that is a language tag; English if there is none.

    >>> _language_tag("de-AT"), _language_tag("en_US@posix"), _language_tag("?")
    ('de-AT', 'en-US', 'en')
    """
    tag = _TAG.match(text.replace("_", "-"))
    return tag[0] if tag else "en"


Locale = Annotated[str, Field(max_length=64), AfterValidator(_language_tag)]
"""A language tag such as ``en`` or ``de-AT``. Some browsers send unusual tags, which must not prevent a
connection.
"""

Seq = Annotated[int, Field(ge=0, le=2**53 - 1)]


MOST_TOKEN = 16_384
"""The maximum length of a website's token in characters: it can contain a credential that is a token itself."""


class ClientFrame(BaseModel):
    """A frame from a client. Unknown fields are refused, so that a misspelt field is noticed."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Capabilities(ClientFrame):
    """What a client can do or wants. Unknown capabilities are ignored, so that newer clients may announce more.

    ``welcome`` says which are granted.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")

    developer: bool = Field(default=False, description="asks for tools' names, arguments and results")
    notices: bool = Field(default=False, description="asks for ``notice`` frames, which are for operators")


class Hello(ClientFrame):
    """Identifies the client and says what it already has. Without a token a new conversation begins.

    For a customer who is signed in to the site, ``user`` holds the site's token, once. Afterwards the client
    sends the token from ``welcome.token``. With a ``token`` of the same customer their conversation continues;
    with another customer's token, or none, a new one begins.
    """

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=4_096)] | None = Field(
        default=None, description="the newest ``welcome.token``; opens its conversation again"
    )
    user: Annotated[str, Field(max_length=MOST_TOKEN)] | None = Field(
        default=None,
        description="the site's token for its customer, valid for one hello (docs/guides/embedding.md)",
    )
    conversation_id: Id | None = Field(
        default=None, description="which conversation the client means; must be the token's"
    )
    last_seq: Seq = Field(
        default=0,
        description="the number of the last durable frame that the client has shown;"
        " 0 asks for the whole conversation as a snapshot",
    )
    epoch: Annotated[str, Field(max_length=64)] | None = Field(
        default=None, description="the ``welcome.epoch`` that ``last_seq`` was numbered in"
    )
    locale: Locale | None = Field(
        default=None, description="the page's language, such as ``de-AT``; the company's when left out"
    )
    capabilities: Capabilities = Field(
        default=Capabilities(), description="what the client can do or wants; all off when left out"
    )


class Identity(ClientFrame):
    """The site identifies its customer again, without a new connection.

    This renews a credential that tools use in the customer's name; ``welcome.credential`` says when to do it.
    The token must be for the same customer. It is answered with ``identity.renewed``, or with an ``error``
    whose code begins with ``user_``; the conversation continues in both cases.
    """

    type: Literal["identity"]
    user: Annotated[str, Field(max_length=MOST_TOKEN)] = Field(
        description="a new token of the site's, as in ``hello.user``; good once"
    )


MOST_FILES = 5
"""The maximum number of files with one message."""


class AttachedFile(ClientFrame):
    """A file that was uploaded before and belongs to this message."""

    ref: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="what ``POST /v1/uploads`` answered"
    )
    name: Annotated[str, Field(max_length=500)] = Field(
        default="", description="what the client calls it; the server knows it by its own name"
    )


class Message(ClientFrame):
    """The customer sends a message. Empty and overlong texts are ``rejected``; with a file, no words are needed."""

    type: Literal["message"]
    id: Id = Field(description="the client's own, unique in the conversation")
    text: Annotated[str, Field(max_length=65_536)] = Field(
        description="what the customer says; up to ``welcome.max_text`` characters are taken"
    )
    locale: Locale | None = Field(default=None, description="its language, where it is not the hello's")
    attachments: Annotated[list[AttachedFile], Field(max_length=MOST_FILES)] = Field(
        default=[], description="the customer's own files that go with it"
    )


class Confirm(ClientFrame):
    """The customer presses a confirmation's button."""

    type: Literal["confirm"]
    id: Id = Field(description="the client's own, unique in the conversation, messages' included")
    confirmation_id: Id = Field(description="the question: ``confirmation.requested.confirmation_id``")
    answer: Literal["yes", "no"] = Field(description="what the button means")
    label: Annotated[str, Field(min_length=1, max_length=80)] | None = Field(
        default=None, description="the button's text, for the history"
    )


class Cancel(ClientFrame):
    """The stop button. ``turn.completed`` reports the end."""

    type: Literal["cancel"]
    id: Id | None = Field(default=None, description="not used; some clients number every frame")
    turn_id: Id | None = Field(default=None, description="the turn that is meant; null: whichever is running")


class Seen(ClientFrame):
    """The message was visible to the customer. There is no answer."""

    type: Literal["seen"]
    seq: Seq = Field(description="everything up to the frame with this number was seen")


class HandoffEnd(ClientFrame):
    """The customer wants the assistant back. ``handoff.updated`` reports it. Without a handoff it has no
    effect.
    """

    type: Literal["handoff.end"]


class Typing(ClientFrame):
    """The customer is typing. For five seconds the assistant sends no message that only breaks a silence. An
    agent of the company sees it. There is no answer.

    Send it again every few seconds while it is true. It has an effect only while a turn is running, or while an
    agent has the conversation.
    """

    type: Literal["typing"]


class Feedback(ClientFrame):
    """The customer rates a message of the assistant. All clients get ``rated``.

    A later rating replaces an earlier one. The answer is ``rejected`` with ``unknown_message`` if the assistant
    has not said the message, or is still saying it.
    """

    type: Literal["feedback"]
    id: Id | None = Field(
        default=None, description="comes back in ``rejected``; ``message_id`` when left out"
    )
    message_id: Id = Field(description="``message.completed.message_id`` of what is rated")
    rating: Rating | None = Field(description="null takes it back")
    text: Annotated[str, Field(max_length=65_536)] | None = Field(
        default=None,
        description="why, in the customer's words; up to ``welcome.max_text`` characters are taken",
    )


class AudioStart(ClientFrame):
    """The customer wants to speak, or to change how. The answer is ``audio.ready`` or ``error``.

    From ``audio.ready`` on, binary frames are the microphone's audio: mono, 16-bit little-endian samples,
    16,000 per second, at most one second in each frame. With ``push_to_talk`` they are sent only while the
    button is held.
    """

    type: Literal["audio.start"]
    mode: Literal["hands_free", "push_to_talk"] = Field(
        default="hands_free",
        description="who says when the customer has finished: the server, or ``audio.end``",
    )
    speak: bool = Field(default=True, description="answers are spoken, too")
    tempo: float = Field(default=1.0, ge=0.5, le=2.0, description="how fast they are spoken; 1 is usual")


class AudioEnd(ClientFrame):
    """The customer released the button: the utterance is complete. The answer is the transcript."""

    type: Literal["audio.end"]


class AudioStop(ClientFrame):
    """The customer continues in writing. Speech stops, and audio is ignored from now on."""

    type: Literal["audio.stop"]


class AudioPlayed(ClientFrame):
    """How much of a clip was played. There is no answer.

    Sent when a clip begins, at least twice a second while it plays, and when it ends or is stopped.
    """

    type: Literal["audio.played"]
    clip: Annotated[int, Field(ge=1, le=2**31)] = Field(description="``audio.clip.clip``")
    ms: Annotated[int, Field(ge=0, le=2**31)] = Field(
        description="how much of it was played, in milliseconds"
    )
    playing: bool = Field(default=True, description="whether playback continues")


class Ping(ClientFrame):
    """Checks the connection."""

    type: Literal["ping"]
    id: Id | None = Field(default=None, description="the ``pong`` carries the same")


AnyClientFrame: TypeAlias = (
    Hello
    | Identity
    | Message
    | Confirm
    | Cancel
    | Seen
    | Typing
    | HandoffEnd
    | Feedback
    | AudioStart
    | AudioEnd
    | AudioStop
    | AudioPlayed
    | Ping
)

CLIENT_FRAMES: TypeAdapter[AnyClientFrame] = TypeAdapter(
    Annotated[AnyClientFrame, Field(discriminator="type")]
)


_PROBLEMS = 3
_VALUE_CHARS = 60


class BadFrame(Exception):
    """An invalid frame; ``str()`` is for the client's developer."""


def parse(raw: str | bytes) -> AnyClientFrame:
    """Read one frame. Raises ``BadFrame``."""
    if isinstance(raw, bytes):
        raise BadFrame(
            f"binary frame of {len(raw)} bytes: this server takes JSON text frames only, before audio.ready"
        )
    try:
        return CLIENT_FRAMES.validate_json(raw)
    except ValidationError as error:
        raise BadFrame(complaint(error)) from error


def complaint(error: ValidationError) -> str:
    """The place of the error, the wrong value, and the allowed values; for the first few problems."""
    problems = error.errors(include_url=False)
    lines = [
        f"{'.'.join(map(str, problem['loc'])) or 'frame'} = {_short(problem['input'])}: {problem['msg']}"
        for problem in problems[:_PROBLEMS]
    ]
    if len(problems) > _PROBLEMS:
        lines.append(f"and {len(problems) - _PROBLEMS} more")
    return "; ".join(lines)


def _short(value: object) -> str:
    # Cut before it is formatted: the value may be as large as a frame.
    text = repr(value[:_VALUE_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}..."

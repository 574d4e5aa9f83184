"""A server frame, the parts that frames have in common, and the codes with which a websocket is closed."""

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Literal, TypeAlias

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from assistant.conversation.customer import Level
from assistant.conversation.entries import HandoffState, Rating
from assistant.conversation.values import Json, MessageKind

JsonFrame: TypeAlias = dict[str, Json]
"""One server frame, ready to be written. ``server_frames`` defines the shapes; a test compares the two."""

Hints: TypeAlias = Callable[[str, str], str]
"""(tool's name, locale) -> the label of its call: "looking up your appointments"."""


def encode(frame: JsonFrame) -> str:
    """Write a frame as JSON.

    >>> encode({"type": "pong", "id": None})
    '{"type":"pong","id":null}'
    """
    try:
        return orjson.dumps(frame, default=_plain).decode()
    except orjson.JSONEncodeError:
        # A tool's result may contain a value that the fast writer refuses, such as an integer of more than 64
        # bits.
        return json.dumps(frame, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return str(value)


UserRefusal: TypeAlias = Literal["user_unavailable", "user_refused", "user_expired", "user_replayed"]
ErrorCode: TypeAlias = (
    Literal["bad_frame", "hello_expected", "token_invalid", "not_supported", "not_heard"] | UserRefusal
)
RejectedCode: TypeAlias = Literal[
    "empty", "too_long", "busy", "rate_limited", "confirmation_closed", "unknown_message", "unknown_file"
]


Seq = Annotated[int, Field(ge=1, description="the frame's number in the conversation")]
At = Annotated[int, Field(description="when, in Unix milliseconds")]
MessageId = Annotated[str, Field(description="the message, unique in the conversation")]
TurnId = Annotated[str, Field(description="the turn that it belongs to")]
CallId = Annotated[str, Field(description="the running of the tool, unique in the conversation")]
Kind = Annotated[
    MessageKind,
    Field(
        description="``acknowledgement``, what is being looked up; ``status``, that it still is;"
        " ``response``, the answer"
    ),
]


class ServerFrame(BaseModel):
    """A frame to a client. Clients ignore unknown types and fields."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Assistant(ServerFrame):
    """The assistant's texts for an empty page, in the language of the hello if the operator has them."""

    name: str = Field(description="what it is called")
    greeting: str = Field(description="its first words")
    starters: list[str] = Field(description="what one may ask, for buttons")
    disclosure: str = Field(description="that it is no human; must be shown")
    note: str | None = Field(description="fine print, such as what a demo model can do")


class Visitor(ServerFrame):
    """The customer as the server knows them."""

    id: str = Field(
        description="the company's customer number, or a random one for an anonymous visitor;"
        " what a client keeps of a customer, it keeps under this"
    )
    level: Level = Field(
        description="``anonymous``; ``signed_in``, the site vouches for them; ``verified``, known by other"
        " means, such as the demo's customer"
    )
    name: str | None = Field(description="what they are called, where that is known")


class Progress(ServerFrame):
    """The last progress report of a tool that takes minutes to days."""

    done: int = Field(description="how much of it is done")
    total: int | None = Field(description="of how much; null: not known")
    unit: str | None = Field(description='of what: "pages"')


class Tool(ServerFrame):
    """The label of a tool call."""

    call_id: CallId
    hint: str = Field(description='what is being done: "looking up your appointments"; may be empty')
    name: str | None = Field(default=None, description="the tool's name; for developers only")
    arguments: dict[str, JsonValue] | None = Field(
        default=None, description="what the tool is called with; for developers only"
    )


class RunningTool(Tool):
    """A running tool call, for a client that has just connected."""

    progress: Progress | None = Field(default=None, description="for a tool that takes minutes to days")


class Usage(ServerFrame):
    """A turn's use of its models, for developers only. Null: unknown for at least one request."""

    models: list[str] = Field(description="all that were asked or that stood in, in order")
    requests: int = Field(description="how often a model was asked")
    input_tokens: int | None = Field(description="what the models read")
    output_tokens: int | None = Field(description="what they wrote")
    cached_tokens: int | None = Field(description="those read that the provider had kept from before")
    cost_usd: float | None = Field(description="what it cost, in US dollars")


class Confirmation(ServerFrame):
    """An open question: may these calls run?"""

    confirmation_id: str = Field(description="what ``confirm`` must name")
    read_back: str = Field(description="the sentence that the customer was shown")
    calls: list[Tool] = Field(description="what runs if the answer is yes")
    expires_at: int = Field(
        description="until when a yes is taken, in Unix milliseconds; a later one is asked for again"
    )


class Attachment(ServerFrame):
    """A picture or file that a tool returned, shown with the message about it.

    A picture has a width and a height; other files have none and can be saved.
    """

    call_id: CallId
    mime: str = Field(description="its kind, such as ``image/jpeg``")
    name: str | None = Field(
        description="what it shows, or what it is called: words for those who cannot see it"
    )
    bytes: int = Field(description="its size")
    width: int | None = Field(description="of a picture, in pixels")
    height: int | None = Field(description="of a picture, in pixels")
    url: str = Field(
        description="where it is, as seen from the server's own address; cannot be guessed, and is good for a week"
    )


Attachments = Annotated[
    list[Attachment],
    Field(default_factory=list[Attachment], description="what the tools gave that it tells of; a response's"),
]


class Uploads(ServerFrame):
    """Which files a customer may send: first to ``POST /v1/uploads``, then named in a ``message``."""

    max_bytes: int = Field(description="the largest, in bytes")
    max_files: int = Field(description="the maximum number with one message")
    endings: list[str] = Field(description="the kinds that can be read, such as ``.pdf``")


class CredentialStanding(ServerFrame):
    """How long tools can still act on behalf of the customer with the site's credential."""

    expires_in_s: int = Field(
        description="seconds until it expires; 0: there is none. Send ``identity`` before it has passed"
    )


class SentFile(ServerFrame):
    """A file that the customer sent with a message."""

    ref: str = Field(description="the document that is kept of it")
    name: str = Field(description="what it is called")


SentFiles = Annotated[
    list[SentFile],
    Field(default_factory=list[SentFile], description="the files that came with it; left out for none"),
]


HeardSoFar = Annotated[
    int | None,
    Field(
        default=None,
        description="the number of its Unicode characters that were heard; null: it is not spoken",
    ),
]


class CustomersMessage(ServerFrame):
    """A message of the customer."""

    from_: Literal["customer"] = Field(alias="from", description="who said it")
    message_id: str = Field(description="the id under which a client sent it")
    text: str = Field(description="all of it; may be empty where there are files")
    spoken: bool = Field(default=False, description="whether it was said aloud")
    attachments: SentFiles
    at: At


class AssistantsMessage(ServerFrame):
    """A message of the assistant."""

    from_: Literal["assistant"] = Field(alias="from", description="who said it")
    message_id: MessageId
    turn_id: TurnId
    kind: Kind
    text: str = Field(description="all of it")
    interrupted: bool = Field(description="whether it was stopped before its end")
    heard: HeardSoFar
    rating: Rating | None = Field(description="what the customer thinks of it; null: nothing that we know of")
    attachments: Attachments
    at: At


class PersonsMessage(ServerFrame):
    """A message of an agent of the company."""

    from_: Literal["person"] = Field(alias="from", description="who said it")
    message_id: MessageId
    name: str = Field(description="what they are called")
    text: str = Field(description="all of it")
    at: At


class HandoffStanding(ServerFrame):
    """The state of a request for a person."""

    handoff_id: str = Field(description="the request")
    state: HandoffState = Field(
        description="``requested``; ``queued``, an agent will look at it; ``accepted``, a person has the"
        " conversation and the assistant is silent; ``unavailable``, no agent can come; ``ticket``, word was left"
        " for later; ``ended``, the assistant speaks again"
    )
    name: str | None = Field(default=None, description="the person, where one has it or had it")
    ticket: str | None = Field(default=None, description="the number that the customer can refer to")


class OpenMessage(ServerFrame):
    """An unfinished message with its text so far; deltas append to it."""

    message_id: MessageId
    turn_id: TurnId
    text: str = Field(description="as far as it got")
    heard: HeardSoFar
    at: At

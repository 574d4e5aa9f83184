"""What a client hears. The order within a turn is the contract with the widget::

    accepted
    turn.started
    [ message.* (acknowledgement or status)?  tool.started*  tool.finished* ]*
    message.* (response or read-back)  confirmation.requested?
    turn.completed

where ``message.*`` is ``message.started message.delta* message.completed``. A tool may start before the
acknowledgement is complete. A failure is told as a response; ``error`` is for what cannot be told in words.
``turn.completed`` is always last. A ``turn.started`` takes an open question's buttons away; where the
question stays open, it is requested again in that turn.

Before everything else comes ``welcome``, then ``snapshot`` if ``welcome.resumed`` says so. Frames with a
``seq`` are durable: they come in the order of their numbers, each once, and can be asked for again. Gaps
between numbers are normal. Neighbouring deltas of one message may come as one, under the last one's number.
``at`` and ``expires_at`` are Unix milliseconds.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter

from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded, MessageKind

Seq = Annotated[int, Field(ge=1)]
ErrorCode: TypeAlias = Literal["bad_frame", "hello_expected", "token_invalid", "not_supported"]
RejectedCode: TypeAlias = Literal["empty", "too_long", "busy", "rate_limited", "confirmation_closed"]


class ServerFrame(BaseModel):
    """A frame to a client. Clients ignore types and fields they do not know."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Assistant(ServerFrame):
    """The assistant's words for an empty page. ``note`` is fine print, such as what a demo model can do."""

    name: str
    greeting: str
    starters: list[str]
    disclosure: str
    note: str | None


class Welcome(ServerFrame):
    """The answer to ``hello``. ``token`` opens this conversation, and no other, until ``expires_at``.

    ``resumed``: ``new``, nothing was said so far; ``replay``, the durable frames after ``last_seq`` follow;
    ``snapshot``, that frame follows and stands for everything before. After ``new`` and ``snapshot`` a client
    forgets what it had shown. ``seq`` is the newest entry's number and does not move the client's cursor.
    """

    type: Literal["welcome"]
    conversation_id: str
    token: str
    expires_at: int
    epoch: str
    seq: int
    resumed: Literal["new", "replay", "snapshot"]
    developer: bool
    max_text: int
    assistant: Assistant


class Tool(ServerFrame):
    """A tool's chip. ``name`` and ``arguments`` are for developers only."""

    call_id: str
    hint: str
    name: str | None = None
    arguments: dict[str, JsonValue] | None = None


class Confirmation(ServerFrame):
    """An open question: may these calls run? ``read_back`` is the sentence the customer was shown."""

    confirmation_id: str
    read_back: str
    calls: list[Tool]
    expires_at: int


class CustomersMessage(ServerFrame):
    """What the customer said; ``message_id`` is the id under which a client sent it."""

    from_: Literal["customer"] = Field(alias="from")
    message_id: str
    text: str
    at: int


class AssistantsMessage(ServerFrame):
    """What the assistant said."""

    from_: Literal["assistant"] = Field(alias="from")
    message_id: str
    turn_id: str
    kind: MessageKind
    text: str
    interrupted: bool
    at: int


class OpenMessage(ServerFrame):
    """A message that is still growing, as far as it got; deltas append to it."""

    message_id: str
    turn_id: str
    text: str
    at: int


class Snapshot(ServerFrame):
    """The conversation as it stands at ``seq``; it moves the cursor there.

    ``messages`` are oldest first; ``omitted`` older ones were left out. ``turn_id`` is the running turn,
    ``tools`` are those still running.
    """

    type: Literal["snapshot"]
    seq: int
    messages: list[Annotated[CustomersMessage | AssistantsMessage, Field(discriminator="from_")]]
    omitted: int
    open_message: OpenMessage | None
    turn_id: str | None
    tools: list[Tool]
    confirmation: Confirmation | None


class Accepted(ServerFrame):
    """A customer's message stands in the history, and every client of the conversation hears of it.

    A message that is sent again is accepted again, under its first number.
    """

    type: Literal["accepted"]
    seq: Seq
    id: str
    text: str
    at: int


class Rejected(ServerFrame):
    """A message was not taken. ``message`` says why in plain English; other languages go by ``code``.

    ``busy`` and ``rate_limited`` may be tried again later under the same id.
    """

    type: Literal["rejected"]
    id: str
    code: RejectedCode
    message: str


class TurnStarted(ServerFrame):
    """The assistant takes up the message with the client's id ``client_id``."""

    type: Literal["turn.started"]
    seq: Seq
    turn_id: str
    client_id: str | None


class MessageStarted(ServerFrame):
    """The assistant begins to say something."""

    type: Literal["message.started"]
    seq: Seq
    message_id: str
    turn_id: str
    at: int


class MessageDelta(ServerFrame):
    """Some more of it."""

    type: Literal["message.delta"]
    seq: Seq
    message_id: str
    text: str


class MessageCompleted(ServerFrame):
    """A message is complete and stands in the history; only now is its kind known.

    ``text`` is all of it. ``call_ids`` are the tools that it announces.
    """

    type: Literal["message.completed"]
    seq: Seq
    message_id: str
    kind: MessageKind
    text: str
    call_ids: list[str]
    interrupted: bool


class ToolStarted(Tool):
    """A tool is running."""

    type: Literal["tool.started"]
    seq: Seq


class ToolFinished(ServerFrame):
    """A tool that had started is done, ``ms`` after its start.

    ``name``, ``arguments`` and ``result`` are for developers only.
    """

    type: Literal["tool.finished"]
    seq: Seq
    call_id: str
    outcome: OutcomeName
    ms: int
    name: str | None = None
    arguments: dict[str, JsonValue] | None = None
    result: JsonValue = None


class ConfirmationRequested(Confirmation):
    """The customer is asked; show the buttons."""

    type: Literal["confirmation.requested"]
    seq: Seq


class TurnCompleted(ServerFrame):
    """The turn is over."""

    type: Literal["turn.completed"]
    seq: Seq
    turn_id: str
    how: HowTurnEnded


class Error(ServerFrame):
    """Something that cannot be told as a response.

    ``message`` is for developers: what is wrong, with which value, and what would have worked.
    """

    type: Literal["error"]
    code: ErrorCode
    retryable: bool
    message: str


class Pong(ServerFrame):
    """Here I am."""

    type: Literal["pong"]
    id: str | None


AnyServerFrame: TypeAlias = (
    Welcome
    | Snapshot
    | Accepted
    | Rejected
    | TurnStarted
    | MessageStarted
    | MessageDelta
    | MessageCompleted
    | ToolStarted
    | ToolFinished
    | ConfirmationRequested
    | TurnCompleted
    | Error
    | Pong
)

SERVER_FRAMES: TypeAdapter[AnyServerFrame] = TypeAdapter(
    Annotated[AnyServerFrame, Field(discriminator="type")]
)

"""The operators' frames: their commands, by websocket or single requests, and the server's frames.

``welcome`` comes first, with each conversation that an agent has, that waits for an agent, or that could be
taken over. Then ``conversation`` comes when the state of a handoff changes, and ``message`` for each message in
a conversation with a handoff. ``refused`` answers a command that failed; the result of a successful command is
in the following frames.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from assistant.conversation.customer import Level
from assistant.conversation.entries import HandoffState
from assistant.server.frames.client_frames import ClientFrame, Id
from assistant.server.frames.frame import (
    AssistantsMessage,
    CustomersMessage,
    PersonsMessage,
    ServerFrame,
)

Name = Annotated[str, Field(min_length=1, max_length=80, pattern=r"\S")]
Text = Annotated[str, Field(min_length=1, max_length=8_000, pattern=r"\S")]
ConversationId = Annotated[str, Field(min_length=1, max_length=128)]


class OperatorHello(ClientFrame):
    """Identifies the operator; the first frame. It contains the token because pages cannot send headers with a
    websocket.
    """

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=4_096)] = Field(description="``ASSISTANT_OPERATOR_TOKEN``")
    name: Name = Field(description="what customers will see")


class Read(ClientFrame):
    """Asks for the transcript of a conversation; answered with ``transcript``."""

    type: Literal["read"]
    conversation_id: ConversationId


class Accept(ClientFrame):
    """Accepts a conversation, requested or not. The first operator gets it."""

    type: Literal["accept"]
    conversation_id: ConversationId


class Say(ClientFrame):
    """Sends a message to the operator's own conversation. The same id again is the same message."""

    type: Literal["say"]
    conversation_id: ConversationId
    id: Id = Field(description="the operator's own, unique in the conversation")
    text: Text = Field(description="what is said, as plain text")


class End(ClientFrame):
    """Gives the conversation back to the assistant, or closes a ticket."""

    type: Literal["end"]
    conversation_id: ConversationId


class Decline(ClientFrame):
    """No agent is available: the customer gets a ticket immediately."""

    type: Literal["decline"]
    conversation_id: ConversationId
    why: Annotated[str, Field(max_length=200)] = Field(default="declined", description="for the log")


class OperatorPing(ClientFrame):
    """Checks the connection."""

    type: Literal["ping"]


Command: TypeAlias = Accept | Say | End | Decline
AnyOperatorFrame: TypeAlias = OperatorHello | Read | Command | OperatorPing

OPERATOR_FRAMES: TypeAdapter[AnyOperatorFrame] = TypeAdapter(
    Annotated[AnyOperatorFrame, Field(discriminator="type")]
)


RefusedCode: TypeAlias = Literal["bad_frame", "unknown_conversation", "taken", "not_yours", "nothing_to_do"]
SaidMessage: TypeAlias = Annotated[
    CustomersMessage | AssistantsMessage | PersonsMessage, Field(discriminator="from_")
]


class Summary(ServerFrame):
    """A conversation in a list."""

    conversation_id: str = Field(description="what commands name")
    state: HandoffState | None = Field(description="the state of its handoff; null: no person was requested")
    handoff_id: str | None = Field(description="the handoff")
    why: str | None = Field(description="what the customer wants from a person")
    name: str | None = Field(description="the person who has it")
    ticket: str | None = Field(description="the number that the customer was told")
    customer_name: str | None = Field(description="what the customer is called, where that is known")
    customer_level: Level = Field(description="how well they are known")
    locale: str = Field(description="the language that they speak")
    asked_at: int | None = Field(description="when a person was asked for, in Unix milliseconds")
    last_at: int = Field(description="when something happened last, in Unix milliseconds")
    last_text: str = Field(description="what the customer said last")


class OperatorWelcome(ServerFrame):
    """The answer to ``hello``."""

    type: Literal["welcome"]
    name: str = Field(description="what customers will see")
    conversations: list[Summary] = Field(
        description="those with a handoff first, the longest waiting before others"
    )


class ConversationChanged(ServerFrame):
    """The state of a handoff has changed."""

    type: Literal["conversation"]
    conversation: Summary


class MessageSaid(ServerFrame):
    """A new message."""

    type: Literal["message"]
    conversation_id: str
    message: SaidMessage


class Transcript(ServerFrame):
    """The messages of a conversation, oldest first."""

    type: Literal["transcript"]
    conversation_id: str
    messages: list[SaidMessage]
    omitted: int = Field(description="how many older ones were left out")


class Refused(ServerFrame):
    """A command was refused."""

    type: Literal["refused"]
    code: RefusedCode
    conversation_id: str | None = Field(default=None, description="the command's")
    message: str = Field(description="what is wrong, for people")
    name: str | None = Field(default=None, description="with ``taken``: who has it")


class OperatorPong(ServerFrame):
    """The answer to ``ping``."""

    type: Literal["pong"]


AnyOperatorServerFrame: TypeAlias = (
    OperatorWelcome | ConversationChanged | MessageSaid | Transcript | Refused | OperatorPong
)

OPERATOR_SERVER_FRAMES: TypeAdapter[AnyOperatorServerFrame] = TypeAdapter(
    Annotated[AnyOperatorServerFrame, Field(discriminator="type")]
)

"""The operators' frames: what they may ask for, over the websocket or with one request each, and what they hear.

``welcome`` comes first, with every conversation that a person has, was asked for, or could take over; then
``conversation`` whenever a handoff moves on, and ``message`` for what is said in a conversation with one.
``refused`` answers a command that could not be followed; one that could shows in what comes next.
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
    """Who is there; the first frame. The token stands in it because pages cannot send headers with a websocket."""

    type: Literal["hello"]
    token: Annotated[str, Field(max_length=4_096)] = Field(description="``ASSISTANT_OPERATOR_TOKEN``")
    name: Name = Field(description="what customers will see")


class Read(ClientFrame):
    """Asks for what was said in a conversation; answered with ``transcript``."""

    type: Literal["read"]
    conversation_id: ConversationId


class Accept(ClientFrame):
    """Takes a conversation over, asked for or not. Whoever is first has it."""

    type: Literal["accept"]
    conversation_id: ConversationId


class Say(ClientFrame):
    """Says something in a conversation that one has. The same id again is the same message."""

    type: Literal["say"]
    conversation_id: ConversationId
    id: Id = Field(description="the operator's own, unique in the conversation")
    text: Text = Field(description="what is said, as plain text")


class End(ClientFrame):
    """Gives the conversation back to the assistant, or closes a ticket."""

    type: Literal["end"]
    conversation_id: ConversationId


class Decline(ClientFrame):
    """Nobody can come: the customer gets a ticket at once."""

    type: Literal["decline"]
    conversation_id: ConversationId
    why: Annotated[str, Field(max_length=200)] = Field(default="declined", description="for the log")


class OperatorPing(ClientFrame):
    """Are you there?"""

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
    """A conversation, as a list of them shows it."""

    conversation_id: str = Field(description="what commands name")
    state: HandoffState | None = Field(description="how its handoff stands; null: no person was asked for")
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
    """A handoff has moved on."""

    type: Literal["conversation"]
    conversation: Summary


class MessageSaid(ServerFrame):
    """Somebody has said something."""

    type: Literal["message"]
    conversation_id: str
    message: SaidMessage


class Transcript(ServerFrame):
    """What was said, oldest first."""

    type: Literal["transcript"]
    conversation_id: str
    messages: list[SaidMessage]
    omitted: int = Field(description="how many older ones were left out")


class Refused(ServerFrame):
    """A command was not followed."""

    type: Literal["refused"]
    code: RefusedCode
    conversation_id: str | None = Field(default=None, description="the command's")
    message: str = Field(description="what is wrong, for people")
    name: str | None = Field(default=None, description="with ``taken``: who has it")


class OperatorPong(ServerFrame):
    """Here I am."""

    type: Literal["pong"]


AnyOperatorServerFrame: TypeAlias = (
    OperatorWelcome | ConversationChanged | MessageSaid | Transcript | Refused | OperatorPong
)

OPERATOR_SERVER_FRAMES: TypeAdapter[AnyOperatorServerFrame] = TypeAdapter(
    Annotated[AnyOperatorServerFrame, Field(discriminator="type")]
)

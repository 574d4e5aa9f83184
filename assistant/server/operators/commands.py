"""What an operator may ask for, over the websocket or with one request each."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from assistant.server.client_frames import ClientFrame, Id

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

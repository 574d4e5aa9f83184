"""What an operator hears over the websocket.

``welcome`` first, with every conversation that a person has, was asked for, or could take over; then
``conversation`` whenever a handoff moves on, and ``message`` for whatever is said in a conversation with one.
``refused`` answers a command that could not be followed; one that could shows in what comes next.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from assistant.conversation.customer import Level
from assistant.conversation.entries import HandoffState
from assistant.server.frame_parts import AssistantsMessage, CustomersMessage, PersonsMessage, ServerFrame

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


AnyToldFrame: TypeAlias = (
    OperatorWelcome | ConversationChanged | MessageSaid | Transcript | Refused | OperatorPong
)

TOLD_FRAMES: TypeAdapter[AnyToldFrame] = TypeAdapter(Annotated[AnyToldFrame, Field(discriminator="type")])

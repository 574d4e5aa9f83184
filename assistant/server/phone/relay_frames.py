"""What Twilio says over a ConversationRelay socket, and what it is told.

What it says, field by field, is documented at twilio.com/docs/voice/conversationrelay/websocket-messages. Its
``info`` messages stand there no longer or not yet; they are heard where they come and never waited for.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from assistant.server.frames.frame import Wire

CallSid = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{2,64}$")]

Parameters = Annotated[dict[str, str], Field(max_length=32)]
"""What we wrote into the answer that opened the socket; by it the socket is known to be that call's."""


class RelayFrame(BaseModel):
    """A message of Twilio's; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Setup(RelayFrame):
    """The first one: which call it is. ``from`` is a claim that nobody has checked."""

    type: Literal["setup"]
    call_sid: CallSid = Field(alias="callSid")
    session_id: str = Field(default="", alias="sessionId")
    parameters: Parameters = Field(default={}, alias="customParameters")


class Prompt(RelayFrame):
    """The caller said something; ``last``: they have finished."""

    type: Literal["prompt"]
    voice_prompt: str = Field(alias="voicePrompt")
    lang: str = ""
    last: bool = True


class Dtmf(RelayFrame):
    """The caller pressed a key."""

    type: Literal["dtmf"]
    digit: Annotated[str, Field(pattern=r"^[0-9*#A-Da-d]$")]


class Interrupt(RelayFrame):
    """The caller cut off what was being spoken, which had got so far."""

    type: Literal["interrupt"]
    utterance: str = Field(default="", alias="utteranceUntilInterrupt")
    duration_ms: int = Field(default=0, alias="durationUntilInterruptMs")


class Info(RelayFrame):
    """What goes on; of it, ``tokensPlayed`` says which text has come out of the telephone."""

    type: Literal["info"]
    name: str = ""
    value: str = ""


class RelayError(RelayFrame):
    """Something that we said could not be followed, or Twilio could not go on."""

    type: Literal["error"]
    description: str = ""


AnyRelayFrame: TypeAlias = Setup | Prompt | Dtmf | Interrupt | Info | RelayError

RELAY_FRAMES: TypeAdapter[AnyRelayFrame] = TypeAdapter(Annotated[AnyRelayFrame, Field(discriminator="type")])


def text(token: str, *, last: bool, preemptible: bool = False) -> Wire:
    """Words to be spoken after those before; ``last`` ends what belongs together.

    ``preemptible``: what follows may cut it off.
    """
    return {"type": "text", "token": token, "last": last, "interruptible": True, "preemptible": preemptible}


def end(handoff_data: str) -> Wire:
    """The conversation by voice is over; ``handoff_data`` comes back to the route that is asked what next."""
    return {"type": "end", "handoffData": handoff_data}

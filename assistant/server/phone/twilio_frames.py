"""Twilio's frames: of ConversationRelay websockets, which carry text, and of Media Streams, which carry audio.

Documented at twilio.com/docs/voice/conversationrelay/websocket-messages and
twilio.com/docs/voice/media-streams/websocket-messages. Relay's ``info`` messages are not documented there; they
are used if they come, but never required. Audio is mu-law, 8,000 samples per second.
"""

from base64 import b64encode
from typing import Annotated, Literal, TypeAlias

from pydantic import Base64Bytes, BaseModel, ConfigDict, Field, TypeAdapter

from assistant.server.frames.frame import JsonFrame

CallSid = Annotated[str, Field(pattern=r"^[A-Za-z0-9]{2,64}$")]

Parameters = Annotated[dict[str, str], Field(max_length=32)]
"""The parameters of our answer that opened the websocket; they prove that the websocket belongs to that call."""


class RelayFrame(BaseModel):
    """A message of Twilio; fields that are not listed are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class Setup(RelayFrame):
    """The first message: identifies the call. ``from`` is not verified."""

    type: Literal["setup"]
    call_sid: CallSid = Field(alias="callSid")
    parameters: Parameters = Field(default={}, alias="customParameters")


class Prompt(RelayFrame):
    """The caller's words; ``last``: they have finished."""

    type: Literal["prompt"]
    voice_prompt: str = Field(alias="voicePrompt")
    last: bool = True


class Dtmf(RelayFrame):
    """The caller pressed a key."""

    type: Literal["dtmf"]
    digit: Annotated[str, Field(pattern=r"^[0-9*#A-Da-d]$")]


class Interrupt(RelayFrame):
    """The caller interrupted; the fields contain the text that had been spoken."""

    type: Literal["interrupt"]
    utterance: str = Field(default="", alias="utteranceUntilInterrupt")
    duration_ms: int = Field(default=0, alias="durationUntilInterruptMs")


class Info(RelayFrame):
    """Status; ``tokensPlayed`` is the text that was played."""

    type: Literal["info"]
    name: str = ""
    value: str = ""


class RelayError(RelayFrame):
    """Twilio could not perform one of our messages, or could not continue."""

    type: Literal["error"]
    description: str = ""


AnyRelayFrame: TypeAlias = Setup | Prompt | Dtmf | Interrupt | Info | RelayError

RELAY_FRAMES: TypeAdapter[AnyRelayFrame] = TypeAdapter(Annotated[AnyRelayFrame, Field(discriminator="type")])


def text_frame(token: str, *, last: bool, preemptible: bool = False) -> JsonFrame:
    """Words to be spoken; ``last`` ends a connected text.

    ``preemptible``: later text may interrupt it.
    """
    return {"type": "text", "token": token, "last": last, "interruptible": True, "preemptible": preemptible}


def language_frame(tag: str) -> JsonFrame:
    """From now on the call is spoken and understood in this language, such as "fr-FR"."""
    return {"type": "language", "ttsLanguage": tag, "transcriptionLanguage": tag}


def end_frame(handoff_data: str) -> JsonFrame:
    """Ends the voice conversation; ``handoff_data`` comes back to the route that Twilio asks next."""
    return {"type": "end", "handoffData": handoff_data}


class MediaFrame(RelayFrame):
    """A message of Twilio; fields that are not listed are ignored."""


class Connected(MediaFrame):
    """The socket is open."""

    event: Literal["connected"]


class MediaFormat(MediaFrame):
    """The encoding of the stream's audio."""

    encoding: str = ""
    sample_rate: int = Field(default=0, alias="sampleRate")
    channels: int = 0

    @property
    def is_ours(self) -> bool:
        """Whether it is the supported encoding; any other would sound like noise."""
        return (self.encoding, self.sample_rate, self.channels) == ("audio/x-mulaw", 8_000, 1)


class StartedStream(MediaFrame):
    """The call and stream that start."""

    call_sid: CallSid = Field(alias="callSid")
    parameters: Parameters = Field(default={}, alias="customParameters")
    media_format: MediaFormat = Field(default=MediaFormat(), alias="mediaFormat")


class Start(MediaFrame):
    """Audio follows."""

    event: Literal["start"]
    stream_sid: str = Field(alias="streamSid", min_length=1, max_length=64)
    start: StartedStream


class Sound(MediaFrame):
    """Audio of the caller, in base64."""

    payload: Base64Bytes
    track: str = "inbound"


class Media(MediaFrame):
    """The caller's audio."""

    event: Literal["media"]
    media: Sound


class MarkName(MediaFrame):
    """The name of a mark."""

    name: str


class Mark(MediaFrame):
    """Everything before this mark was played, or was cleared."""

    event: Literal["mark"]
    mark: MarkName


class Digit(MediaFrame):
    """The pressed key."""

    digit: Annotated[str, Field(pattern=r"^[0-9*#A-Da-d]$")]


class MediaDtmf(MediaFrame):
    """The caller pressed a key."""

    event: Literal["dtmf"]
    dtmf: Digit


class Stop(MediaFrame):
    """The call, or its stream, has ended."""

    event: Literal["stop"]


AnyMediaFrame: TypeAlias = Connected | Start | Media | Mark | MediaDtmf | Stop

MEDIA_FRAMES: TypeAdapter[AnyMediaFrame] = TypeAdapter(Annotated[AnyMediaFrame, Field(discriminator="event")])


def media_frame(stream_sid: str, sound: bytes) -> JsonFrame:
    """Audio to be played after the audio that was sent before."""
    return {"event": "media", "streamSid": stream_sid, "media": {"payload": b64encode(sound).decode()}}


def mark_frame(stream_sid: str, name: str) -> JsonFrame:
    """A mark that Twilio sends back when everything before it has been played."""
    return {"event": "mark", "streamSid": stream_sid, "mark": {"name": name}}


def clear_frame(stream_sid: str) -> JsonFrame:
    """Drops audio that was sent and not played yet."""
    return {"event": "clear", "streamSid": stream_sid}

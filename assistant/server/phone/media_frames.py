"""What Twilio says over a Media Streams socket, and what it is told.

Documented at twilio.com/docs/voice/media-streams/websocket-messages. Sound is mu-law, 8,000 samples a second.
"""

from base64 import b64encode
from typing import Annotated, Literal, TypeAlias

from pydantic import Base64Bytes, Field, TypeAdapter

from assistant.server.frames.frame import Wire
from assistant.server.phone.relay_frames import CallSid, Parameters, RelayFrame


class MediaFrame(RelayFrame):
    """A message of Twilio's; fields that are not listed are ignored."""


class Connected(MediaFrame):
    """The socket is open."""

    event: Literal["connected"]


class MediaFormat(MediaFrame):
    """How the stream's sound is written."""

    encoding: str = ""
    sample_rate: int = Field(default=0, alias="sampleRate")
    channels: int = 0

    @property
    def is_ours(self) -> bool:
        """Whether it is the one that is read here; any other would be heard as noise."""
        return (self.encoding, self.sample_rate, self.channels) == ("audio/x-mulaw", 8_000, 1)


class StartedStream(MediaFrame):
    """Which call it is."""

    call_sid: CallSid = Field(alias="callSid")
    parameters: Parameters = Field(default={}, alias="customParameters")
    media_format: MediaFormat = Field(default=MediaFormat(), alias="mediaFormat")


class Start(MediaFrame):
    """Sound follows."""

    event: Literal["start"]
    stream_sid: str = Field(alias="streamSid", min_length=1, max_length=64)
    start: StartedStream


class Sound(MediaFrame):
    """Some of what the caller says, base64."""

    payload: Base64Bytes
    track: str = "inbound"


class Media(MediaFrame):
    """The caller's sound."""

    event: Literal["media"]
    media: Sound


class MarkName(MediaFrame):
    """Which mark."""

    name: str


class Mark(MediaFrame):
    """What was sent before this mark has been played, or was cleared."""

    event: Literal["mark"]
    mark: MarkName


class Digit(MediaFrame):
    """Which key."""

    digit: Annotated[str, Field(pattern=r"^[0-9*#A-Da-d]$")]


class MediaDtmf(MediaFrame):
    """The caller pressed a key."""

    event: Literal["dtmf"]
    dtmf: Digit


class Stop(MediaFrame):
    """The call, or its stream, is over."""

    event: Literal["stop"]


AnyMediaFrame: TypeAlias = Connected | Start | Media | Mark | MediaDtmf | Stop

MEDIA_FRAMES: TypeAdapter[AnyMediaFrame] = TypeAdapter(Annotated[AnyMediaFrame, Field(discriminator="event")])


def media(stream_sid: str, sound: bytes) -> Wire:
    """Sound to be played after what was sent before."""
    return {"event": "media", "streamSid": stream_sid, "media": {"payload": b64encode(sound).decode()}}


def mark(stream_sid: str, name: str) -> Wire:
    """Comes back when everything before it has been played."""
    return {"event": "mark", "streamSid": stream_sid, "mark": {"name": name}}


def clear(stream_sid: str) -> Wire:
    """What was sent and not played yet is not to be played."""
    return {"event": "clear", "streamSid": stream_sid}

"""What a client that speaks hears beside the conversation. Nothing of it is durable: who comes back begins anew.

Sound itself comes in binary frames: four bytes, little-endian, the number of its clip; then mono 16-bit
little-endian samples. Clips are played one after the other, in the order of their numbers.
"""

from typing import Literal, TypeAlias

from pydantic import Field

from assistant.server.frame_parts import ServerFrame


class Voice(ServerFrame):
    """Whether one can speak here."""

    ready: bool = Field(
        description="the microphone may be switched on; false: it is not installed, or not loaded"
    )
    problem: str | None = Field(default=None, description="for whoever runs the assistant: what is missing")


class AudioReady(ServerFrame):
    """The answer to ``audio.start``: binary frames are taken from now on."""

    type: Literal["audio.ready"]
    mode: Literal["hands_free", "push_to_talk"] = Field(description="as it was asked for")
    speak: bool = Field(description="whether answers will be spoken")
    tempo: float = Field(description="how fast")


class AudioClip(ServerFrame):
    """A clip follows in binary frames."""

    type: Literal["audio.clip"]
    clip: int = Field(description="its number, from 1")
    rate: int = Field(description="samples a second")
    message_id: str | None = Field(description="the message that it says a piece of; null: a sound, no words")
    start: int = Field(description="where in the message's text the piece begins, in Unicode characters")
    end: int = Field(description="where it ends")


class AudioClipEnd(ServerFrame):
    """A clip is complete."""

    type: Literal["audio.clip_end"]
    clip: int = Field(description="which")
    ms: int = Field(description="how long it plays")


class AudioPause(ServerFrame):
    """Somebody speaks: fall silent at once, and remember where; answer with ``audio.played``."""

    type: Literal["audio.pause"]


class AudioResume(ServerFrame):
    """It was nothing: go on where it was paused."""

    type: Literal["audio.resume"]


class AudioDrop(ServerFrame):
    """These clips need not be played any more; one of them that is playing falls silent softly."""

    type: Literal["audio.drop"]
    clips: list[int] = Field(description="their numbers")
    fade_ms: int = Field(description="within which time")


class AudioClear(ServerFrame):
    """Fall silent at once and forget all clips; answer with ``audio.played`` for one that was playing."""

    type: Literal["audio.clear"]


class AudioCaption(ServerFrame):
    """What the customer is understood to say. The next one replaces it; ``accepted`` stands for the final one."""

    type: Literal["audio.caption"]
    text: str = Field(description='so far; "" takes it away')
    final: bool = Field(description="whether it is a message now")


class AudioActivity(ServerFrame):
    """What goes on."""

    type: Literal["audio.activity"]
    activity: Literal["listening", "hearing", "thinking", "speaking"] = Field(
        description="nobody speaks; the customer does; an answer is being found; the assistant speaks"
    )


AnyAudioFrame: TypeAlias = (
    AudioReady
    | AudioClip
    | AudioClipEnd
    | AudioPause
    | AudioResume
    | AudioDrop
    | AudioClear
    | AudioCaption
    | AudioActivity
)

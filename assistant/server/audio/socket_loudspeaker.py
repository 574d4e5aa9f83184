"""The loudspeaker at the other end of a websocket."""

from assistant.ports import Pcm
from assistant.server.outbox import Outbox
from assistant.voice.ports import Activity, Clip

_CHUNK_BYTES = 32 * 1024
"""So much sound goes in one frame: what is urgent must not wait behind a long one."""


class SocketLoudspeaker:
    """Sends clips to a page, which plays them and reports with ``audio.played``."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    @property
    def rate(self) -> int | None:
        """A page plays any."""
        return None

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """A clip follows."""
        self._outbox.sound(
            {
                "type": "audio.clip",
                "clip": clip.number,
                "rate": rate,
                "message_id": clip.message_id,
                "start": clip.start,
                "end": clip.end,
            },
            clip.number,
        )

    def add_audio(self, number: int, pcm: Pcm) -> None:
        """More sound of a clip: its number in four bytes, then the samples."""
        head = number.to_bytes(4, "little")
        for at in range(0, len(pcm), _CHUNK_BYTES):
            self._outbox.sound(head + pcm[at : at + _CHUNK_BYTES], number)

    def end_clip(self, number: int, ms: int) -> None:
        """A clip is complete."""
        self._outbox.sound({"type": "audio.clip_end", "clip": number, "ms": ms}, number)

    def pause(self) -> None:
        """Fall silent at once."""
        self._outbox.sound_now({"type": "audio.pause"})

    def resume(self) -> None:
        """Go on."""
        self._outbox.sound({"type": "audio.resume"})

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Do not play these."""
        self._outbox.forget_sound(numbers)
        self._outbox.sound_now({"type": "audio.drop", "clips": list(numbers), "fade_ms": fade_ms})

    def clear(self) -> None:
        """Fall silent at once, and forget."""
        self._outbox.forget_sound()
        self._outbox.sound_now({"type": "audio.clear"})

    def show_caption(self, text: str, *, final: bool) -> None:
        """What the customer is understood to say."""
        self._outbox.sound({"type": "audio.caption", "text": text, "final": final})

    def show_filler(self, text: str) -> None:
        """What is said beside the conversation."""
        self._outbox.sound({"type": "error", "code": "not_heard", "retryable": False, "message": text})

    def show_activity(self, activity: Activity) -> None:
        """What goes on."""
        self._outbox.sound({"type": "audio.activity", "activity": activity})

"""The spoken side of one socket: nothing, until its customer switches the microphone on."""

from assistant.ports import HEARD_RATE
from assistant.server.audio.socket_loudspeaker import SocketLoudspeaker
from assistant.server.audio.sound_allowance import SoundAllowance
from assistant.server.client_frames import AudioEnd, AudioPlayed, AudioStart, AudioStop
from assistant.server.closing import TOO_MANY, Close
from assistant.server.codes import ErrorCode
from assistant.server.door import Door
from assistant.server.live import Session
from assistant.server.outbox import Outbox
from assistant.voice.session import VoiceSession

_MOST_BYTES = 2 * HEARD_RATE
_ELSEWHERE = "the microphone was switched on in another window of this conversation"


class SpokenSide:
    """Opens a line for whoever asks for one, and passes sound on to it.

    Args:
        locale: the customer's.
    """

    __slots__ = ("_allowance", "_door", "_line", "_locale", "_outbox", "_session", "_spoke")

    def __init__(self, session: Session, outbox: Outbox, door: Door, locale: str) -> None:
        self._session, self._outbox, self._door, self._locale = session, outbox, door, locale
        self._line: VoiceSession | None = None
        self._allowance: SoundAllowance | None = None
        self._spoke = False

    @property
    def takes_sound(self) -> bool:
        """Whether binary frames are sound: somebody speaks here, or has spoken."""
        return self._spoke

    async def take(self, frame: AudioStart | AudioEnd | AudioStop | AudioPlayed) -> None:
        """Do what one frame asks."""
        match frame:
            case AudioStart():
                await self._start(frame)
            case AudioEnd() if self._line is not None:
                self._line.finish_utterance()
            case AudioPlayed() if self._line is not None:
                self._line.report_playback(frame.clip, frame.ms, frame.playing)
            case AudioStop():
                await self.close()
            case AudioEnd() | AudioPlayed():
                pass  # it was on its way when the line was closed

    def hear(self, sound: bytes) -> Close | None:
        """Some sound; gives why to close the socket, if it has to be."""
        if self._allowance is not None and not self._allowance.take(len(sound)):
            return TOO_MANY
        if len(sound) % 2 or len(sound) > _MOST_BYTES:
            problem = (
                f"binary frame of {len(sound)} bytes: send whole 16-bit samples, {_MOST_BYTES} bytes at most"
            )
            self._refuse("bad_frame", problem)
        elif self._line is not None:
            self._line.receive_audio(sound)
        return None

    async def hush(self) -> None:
        """Fall silent, for the customer writes: how much they have heard stands in the log then."""
        if self._line is not None:
            await self._line.stop_speaking()

    async def close(self) -> None:
        """Nothing is heard or spoken any more."""
        line, self._line = self._line, None
        if line is not None and self._door.voice is not None:
            await self._door.voice.close_session(line)

    async def _start(self, frame: AudioStart) -> None:
        voice = self._door.voice
        if voice is None or voice.problem is not None:
            problem = voice.problem if voice is not None else None
            self._refuse("not_supported", problem or "nobody can speak here: ASSISTANT_VOICE is false")
            return
        if self._line is None:
            self._line = await voice.open_session(
                self._session, SocketLoudspeaker(self._outbox), locale=self._locale, on_replaced=self._lost
            )
            self._allowance = self._allowance or SoundAllowance(self._door.limits, self._door.clock)
        self._line.configure(mode=frame.mode, speak=frame.speak, tempo=frame.tempo)
        self._spoke = True
        self._outbox.sound(
            {"type": "audio.ready", "mode": frame.mode, "speak": frame.speak, "tempo": frame.tempo}
        )

    def _lost(self) -> None:
        self._line = None
        self._refuse("not_supported", _ELSEWHERE)

    def _refuse(self, code: ErrorCode, problem: str) -> None:
        self._outbox.sound({"type": "error", "code": code, "retryable": False, "message": problem})

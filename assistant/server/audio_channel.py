"""The audio of one websocket. It is off until the customer turns the microphone on."""

import asyncio

from assistant.errors import SpeechError
from assistant.ports import Clock
from assistant.server.frame_sender import FrameSender
from assistant.server.frames.client_frames import AudioEnd, AudioPlayed, AudioStart, AudioStop
from assistant.server.frames.close_codes import TOO_MANY, Close
from assistant.server.frames.frame import ErrorCode
from assistant.server.limits import Limits
from assistant.server.server_context import ServerContext
from assistant.sessions.session import Session
from assistant.speech_ports import HEARD_RATE, Pcm
from assistant.voice.ports import Activity, Clip
from assistant.voice.session import VoiceSession, VoiceSessionFactory

_LEAST_S = 0.005
"""The cost of the smallest frame, because many empty frames are a flood, too."""


class AudioAllowance:
    """Limits how much faster than real time audio may arrive. Delayed audio arrives in bursts."""

    __slots__ = ("_at", "_clock", "_left_s", "_limits")

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits, self._clock = limits, clock
        self._left_s, self._at = limits.sound_burst_s, clock.monotonic()

    def allow(self, size: int) -> bool:
        """Whether this many bytes may pass; if so, they are counted."""
        now = self._clock.monotonic()
        refilled = self._left_s + (now - self._at) * self._limits.sound_speed
        self._left_s, self._at = min(self._limits.sound_burst_s, refilled), now
        self._left_s -= max(_LEAST_S, size / (2 * HEARD_RATE))
        return self._left_s >= 0


_CHUNK_BYTES = 32 * 1024
"""The maximum audio in one frame: urgent frames must not wait behind a long one."""


class SocketAudioOutput:
    """Sends clips to a page, which plays them and reports ``audio.played``."""

    def __init__(self, sender: FrameSender) -> None:
        self._sender = sender

    @property
    def rate(self) -> int | None:
        """None: a page plays any rate."""
        return None

    def begin_clip(self, clip: Clip, rate: int) -> None:
        """Announce a clip."""
        self._sender.sound(
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
        """Send more audio of a clip: its number in four bytes, then the samples."""
        head = number.to_bytes(4, "little")
        for at in range(0, len(pcm), _CHUNK_BYTES):
            self._sender.sound(head + pcm[at : at + _CHUNK_BYTES], number)

    def end_clip(self, number: int, ms: int) -> None:
        """Report that a clip is complete."""
        self._sender.sound({"type": "audio.clip_end", "clip": number, "ms": ms}, number)

    def pause(self) -> None:
        """Stop playback immediately."""
        self._sender.sound_now({"type": "audio.pause"})

    def resume(self) -> None:
        """Continue playback."""
        self._sender.sound({"type": "audio.resume"})

    def drop(self, numbers: tuple[int, ...], fade_ms: int) -> None:
        """Drop these clips."""
        self._sender.forget_sound(numbers)
        self._sender.sound_now({"type": "audio.drop", "clips": list(numbers), "fade_ms": fade_ms})

    def clear(self) -> None:
        """Stop playback immediately and drop all clips."""
        self._sender.forget_sound()
        self._sender.sound_now({"type": "audio.clear"})

    def show_caption(self, text: str, *, final: bool) -> None:
        """Show the transcript of the customer's speech."""
        self._sender.sound({"type": "audio.caption", "text": text, "final": final})

    def show_filler(self, text: str) -> None:
        """Show a filler: words that do not belong to the conversation."""
        self._sender.sound({"type": "error", "code": "not_heard", "retryable": False, "message": text})

    def show_activity(self, activity: Activity) -> None:
        """Show the current activity."""
        self._sender.sound({"type": "audio.activity", "activity": activity})


_MOST_BYTES = 2 * HEARD_RATE
_ELSEWHERE = "the microphone was switched on in another window of this conversation"


class AudioChannel:
    """Opens a voice session when the client asks for one, and passes its audio on.

    Args:
        locale: the customer's locale.
    """

    __slots__ = (
        "_allowance",
        "_context",
        "_loading",
        "_locale",
        "_sender",
        "_session",
        "_spoke",
        "_voice_session",
    )

    def __init__(self, session: Session, sender: FrameSender, context: ServerContext, locale: str) -> None:
        self._session, self._sender, self._context, self._locale = session, sender, context, locale
        self._voice_session: VoiceSession | None = None
        self._loading: asyncio.Task[None] | None = None
        self._allowance: AudioAllowance | None = None
        self._spoke = False

    @property
    def takes_sound(self) -> bool:
        """Whether binary frames are accepted as audio: the customer uses voice here, or has used it."""
        return self._spoke

    async def handle_frame(self, frame: AudioStart | AudioEnd | AudioStop | AudioPlayed) -> None:
        """Handle one audio frame of the client."""
        match frame:
            case AudioStart():
                await self._start(frame)
            case AudioEnd() if self._voice_session is not None:
                self._voice_session.finish_utterance()
            case AudioPlayed() if self._voice_session is not None:
                self._voice_session.report_playback(frame.clip, frame.ms, frame.playing)
            case AudioStop():
                await self.close()
            case AudioEnd() | AudioPlayed():
                pass  # the audio was in transit when voice was turned off

    def receive_audio(self, sound: bytes) -> Close | None:
        """Handle audio. Returns the reason to close the websocket, if there is one."""
        if self._allowance is not None and not self._allowance.allow(len(sound)):
            return TOO_MANY
        if len(sound) % 2 or len(sound) > _MOST_BYTES:
            problem = (
                f"binary frame of {len(sound)} bytes: send whole 16-bit samples, {_MOST_BYTES} bytes at most"
            )
            self._refuse("bad_frame", problem)
        elif self._voice_session is not None:
            self._voice_session.receive_audio(sound)
        return None

    async def stop_speaking(self) -> None:
        """Stop speaking because the customer writes. The log then shows how much they have heard."""
        if self._voice_session is not None:
            await self._voice_session.stop_speaking()

    async def close(self) -> None:
        """Stop listening and speaking."""
        await self._stop_waiting()
        voice_session, self._voice_session = self._voice_session, None
        if voice_session is not None and self._context.voice is not None:
            await self._context.voice.close_session(voice_session)

    async def _start(self, frame: AudioStart) -> None:
        voice = self._context.voice
        if voice is None:
            self._refuse("not_supported", "customers cannot speak here: ASSISTANT_VOICE is false")
        elif voice.problem is not None:
            self._refuse("not_supported", voice.problem)
        elif voice.voice is None:
            # The first use of the microphone loads the models. Written messages do not wait for that.
            await self._stop_waiting()
            self._loading = asyncio.create_task(self._start_when_loaded(voice, frame))
        else:
            await self._open(voice, frame)

    async def _start_when_loaded(self, voice: VoiceSessionFactory, frame: AudioStart) -> None:
        try:
            await voice.services()
        except SpeechError as error:
            self._refuse("not_supported", str(error))
        else:
            await self._open(voice, frame)

    async def _stop_waiting(self) -> None:
        waiting, self._loading = self._loading, None
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait({waiting})

    async def _open(self, voice: VoiceSessionFactory, frame: AudioStart) -> None:
        if self._voice_session is None:
            # Customers who switched the microphone off here wanted to hear no more.
            resume = frame.speak and not self._spoke
            self._voice_session = await voice.open_session(
                self._session,
                SocketAudioOutput(self._sender),
                locale=self._locale,
                on_replaced=self._lost,
                resume=resume,
            )
            self._allowance = self._allowance or AudioAllowance(self._context.limits, self._context.clock)
        self._voice_session.configure(mode=frame.mode, speak=frame.speak, tempo=frame.tempo)
        self._spoke = True
        self._sender.sound(
            {"type": "audio.ready", "mode": frame.mode, "speak": frame.speak, "tempo": frame.tempo}
        )

    def _lost(self) -> None:
        self._voice_session = None
        self._refuse("not_supported", _ELSEWHERE)

    def _refuse(self, code: ErrorCode, problem: str) -> None:
        self._sender.sound({"type": "error", "code": code, "retryable": False, "message": problem})

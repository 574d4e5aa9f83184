"""A spoken conversation. Read this file first: ``VoiceSession`` connects the other modules of this package.

``VoiceSessionFactory`` opens a session for each customer who wants to speak. The first one loads the speech models,
unless the start did (``ASSISTANT_PRELOAD_SPEECH``).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import LogError, SpeechError
from assistant.prompts.utterances import Aside
from assistant.speech_ports import Pcm
from assistant.voice.barge_in import BargeIn
from assistant.voice.comfort_noise import ComfortNoise
from assistant.voice.dictation import expected_input_after
from assistant.voice.endpointing import EndpointDetector
from assistant.voice.ports import Activity, AudioOutput, Conversation, VoiceServices
from assistant.voice.scheduler import FillerKind, SpeechScheduler
from assistant.voice.stt_loop import MessageSubmitter, SttLoop
from assistant.voice.tts_player import HeardPositionRecorder, TtsPlayer
from assistant.voice.turn_progress import TurnProgress

log = structlog.get_logger(__name__)
Mode: TypeAlias = Literal["hands_free", "push_to_talk"]

_BUTTONS: dict[str, Literal["yes", "no"]] = {"1": "yes", "2": "no"}
"""The meaning of keys while a question is open."""


class VoiceSession:
    """One spoken conversation, independent of how the sound is transported.

    Only :meth:`close`, :meth:`stop_speaking` and :meth:`press_key` wait. No method raises because of problems
    with listening or speaking. Call all methods on the event loop.

    Args:
        conversation: receives the customer's speech as messages; its own messages are spoken.
        voice: the speech models and shared services.
        audio_output: plays the sound for the customer, and calls :meth:`report_playback`.
        locale: the customer's language, if their words do not show it.
        mode: what ends an utterance: endpointing, or :meth:`finish_utterance`.
        speak: whether answers are spoken; otherwise they are only written.
        tempo: the speed of speech; 1 is normal.
    """

    def __init__(
        self,
        conversation: Conversation,
        voice: VoiceServices,
        audio_output: AudioOutput,
        *,
        locale: str,
        mode: Mode = "hands_free",
        speak: bool = True,
        tempo: float = 1.0,
    ) -> None:
        self._conversation, self._voice, self._audio_output = conversation, voice, audio_output
        self._words = voice.book().words(locale).listening
        self._detector = EndpointDetector(voice.voice_activity.stream(), words=self._words)
        self._progress = TurnProgress(voice.waits)
        recorder = HeardPositionRecorder(conversation.heard)
        self._tts_player = TtsPlayer(
            voice.text_to_speech,
            audio_output,
            voice.clock,
            recorder,
            changed=self._changed,
            telemetry=voice.telemetry,
        )
        self._tts_player.locale = locale
        self._comfort_noise = ComfortNoise(
            self._tts_player.playlist, audio_output, voice.clock, voice.text_to_speech.rate
        )
        self._scheduler = SpeechScheduler(
            self._tts_player, recorder, self._progress, voice.clock, word=self._word, asked=self._answered
        )
        self._submitter = MessageSubmitter(
            conversation,
            audio_output,
            self._scheduler,
            self._progress,
            voice.ids,
            locale=locale,
            words=self._words,
        )
        barge_in = BargeIn(conversation, self._tts_player, self._scheduler)
        self._stt_loop = SttLoop(self._detector, voice, self._spoken_locale, barge_in, self._submitter)
        self._shown: Activity | None = None
        self._stop_listening: Callable[[], None] | None = None
        self.configure(mode=mode, speak=speak, tempo=tempo)

    def start(self, *, resume: bool = True) -> None:
        """Start to follow the conversation. Messages from now on are spoken; with ``resume``, also the rest of
        an answer that was cut off.
        """
        self._tts_player.start()
        self._stt_loop.start()
        self._scheduler.catch_up(self._conversation.entries, resume=resume)
        self._stop_listening = self._conversation.listen(self._take)
        self._changed()

    def receive_audio(self, pcm: Pcm) -> None:
        """Process the next sound of the customer's microphone: 16 kHz, any length."""
        self._detector.audible = self._tts_player.audible and not self._tts_player.paused
        for event in self._detector.process_audio(pcm):
            self._stt_loop.handle_event(event)
        if self._stt_loop.customer_speaks:
            self._conversation.typing()
        self._changed()

    def finish_utterance(self) -> None:
        """End the utterance, because the customer released the push-to-talk button."""
        for event in self._detector.finish():
            self._stt_loop.handle_event(event)
        self._changed()

    def report_playback(self, clip: int, ms: int, playing: bool) -> None:
        """Handle a report that this many milliseconds of a clip were played.

        ``playing`` is True if it is still playing.
        """
        self._tts_player.report_playback(clip, ms, playing=playing)

    async def press_key(self, digit: str) -> bool:
        """Handle a key of the phone: 1 means yes to an open question, 2 means no.

        Returns False if the key has no meaning.
        """
        if digit not in _BUTTONS or not self._progress.confirmation_open:
            return False
        await self.stop_speaking()
        with suppress(LogError):  # the conversation has ended; the transport's own call reports it
            await self._submitter.submit_button(_BUTTONS[digit])
        return True

    async def stop_speaking(self) -> None:
        """Stop speaking, and record what was heard. Await it before you pass on a typed message or a stop."""
        self._scheduler.stop_speaking()
        await self._tts_player.wait_until_recorded()

    def configure(
        self, *, mode: Mode | None = None, speak: bool | None = None, tempo: float | None = None
    ) -> None:
        """Change the given settings; the others stay."""
        if mode is not None:
            self._detector.push_to_talk = mode == "push_to_talk"
        if tempo is not None:
            self._tts_player.tempo = tempo
        if speak is not None:
            self._scheduler.speak = speak
            if not speak:
                self._scheduler.stop_speaking()

    async def close(self) -> None:
        """Stop listening and speaking. What was heard so far is recorded."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._scheduler.close()
        self._comfort_noise.set_active(False)
        await self._stt_loop.close()
        await self._tts_player.close()

    def _take(self, batch: Sequence[Logged]) -> None:
        try:
            self._scheduler.handle_entries(batch)
            self._changed()
        except Exception:
            # A listener must not raise, because an error in speaking must not end the conversation.
            log.exception("cannot follow", conversation=self._conversation.key.conversation)

    def _answered(self, text: str) -> None:
        self._detector.expecting = expected_input_after(text, self._words)

    def _spoken_locale(self) -> str:
        """Returns the language of the conversation, which the customer's last message may have changed."""
        return self._tts_player.locale

    def _word(self, what: FillerKind, locale: str) -> str:
        return self._voice.book().render(Aside(what=what), locale)

    def _changed(self) -> None:
        self._comfort_noise.set_active(self._scheduler.wants_comfort_noise)
        activity = self._activity
        if activity != self._shown:
            self._shown = activity
            self._audio_output.show_activity(activity)

    @property
    def _activity(self) -> Activity:
        if self._stt_loop.customer_speaks:
            return "hearing"
        if self._tts_player.audible and not self._tts_player.paused:
            return "speaking"
        awaited = self._stt_loop.transcribes or self._progress.message_waiting or self._progress.turn_id
        return "thinking" if awaited or self._tts_player.busy else "listening"


class VoiceSessionFactory:
    """Opens the voice sessions of this process, at most one for each conversation.

    Args:
        problem: tells the operator why customers cannot speak here. It is None if they can.
        load: loads the speech models. Raises ``SpeechError``. :meth:`start_loading` calls it once.
    """

    def __init__(
        self, problem: str | None = None, load: Callable[[], Awaitable[VoiceServices]] | None = None
    ) -> None:
        self.problem = problem
        self.voice: VoiceServices | None = None
        self._load = load
        self._loading: asyncio.Task[None] | None = None
        self._sessions: dict[ConversationKey, tuple[VoiceSession, Callable[[], None]]] = {}

    def set_services(self, voice: VoiceServices) -> None:
        """Make speech available, because the models are loaded."""
        self.voice, self.problem = voice, None

    def mark_unavailable(self, problem: str) -> None:
        """Make speech unavailable, for this reason."""
        self.voice, self.problem = None, problem

    def start_loading(self) -> None:
        """Load the models in the background, unless loading has already begun.

        If it fails, ``problem`` says why.
        """
        if self._load is not None and self._loading is None and self.problem is None:
            self._loading = asyncio.create_task(self._finish_loading(self._load))

    async def services(self) -> VoiceServices:
        """Returns the loaded models. The first call waits for them, some seconds. Raises ``SpeechError``."""
        self.start_loading()
        if self._loading is not None:
            await asyncio.wait({self._loading})
        if self.voice is None:
            raise SpeechError(self.problem or "the speech models are not loaded")
        return self.voice

    async def open_session(
        self,
        conversation: Conversation,
        audio_output: AudioOutput,
        *,
        locale: str,
        on_replaced: Callable[[], None] = lambda: None,
        resume: bool = True,
    ) -> VoiceSession:
        """Start a session. An earlier session of the conversation is closed, after its ``on_replaced`` was
        called. ``resume`` is True if an answer that was cut off with an earlier connection is continued.

        The first call waits until the models are loaded. Raises ``SpeechError`` if there is a ``problem``.
        """
        voice = await self.services()
        earlier = self._sessions.pop(conversation.key, None)
        session = VoiceSession(conversation, voice, audio_output, locale=locale)
        self._sessions[conversation.key] = session, on_replaced
        if earlier is not None:
            earlier[1]()
            await earlier[0].close()
        session.start(resume=resume)
        return session

    async def close_session(self, session: VoiceSession) -> None:
        """Close a session."""
        self._sessions = {key: known for key, known in self._sessions.items() if known[0] is not session}
        await session.close()

    async def close(self) -> None:
        """Stop loading, and close all sessions."""
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.wait({self._loading})
        for session, _ in tuple(self._sessions.values()):
            await self.close_session(session)
        self.mark_unavailable("the server is stopping")

    async def _finish_loading(self, load: Callable[[], Awaitable[VoiceServices]]) -> None:
        try:
            self.set_services(await load())
        except SpeechError as error:
            self.mark_unavailable(str(error))

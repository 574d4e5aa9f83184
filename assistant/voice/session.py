"""A spoken conversation. Read this file first: ``Line`` connects the other modules of this package.

``Switchboard`` opens a line for each customer who wants to speak, once the speech models are loaded.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Literal, TypeAlias

import structlog

from assistant.conversation.entries import Logged
from assistant.conversation.people import ConversationKey
from assistant.errors import LogError, SpeechError
from assistant.ports.speech import Pcm
from assistant.prompts.aside import Aside
from assistant.voice.barge_in import BargeIn
from assistant.voice.comfort_noise import Hum
from assistant.voice.dictation import expected_after
from assistant.voice.endpointing import Ears
from assistant.voice.ports import Activity, Conversation, Loudspeaker, Voice
from assistant.voice.scheduler import AsideWhat, Telling
from assistant.voice.stt_loop import Hearing, PassOn
from assistant.voice.tts_player import HeardNotes, Mouth
from assistant.voice.turn_progress import Progress

log = structlog.get_logger(__name__)
Mode: TypeAlias = Literal["hands_free", "push_to_talk"]

_BUTTONS: dict[str, Literal["yes", "no"]] = {"1": "yes", "2": "no"}
"""What keys mean while a question is open."""


class Line:
    """A conversation that is spoken, over whatever carries the sound.

    Nothing but :meth:`close`, :meth:`hush` and :meth:`key` waits, and nothing raises because of what was heard or
    could not be said. Everything is called on the loop.

    Args:
        conversation: what is said becomes messages of it, and what it says is spoken.
        voice: hears and speaks.
        loudspeaker: the customer's end; it reports to :meth:`played`.
        locale: the customer's language, where their words do not tell.
        mode: who says when the customer has finished: the ears, or :meth:`end_of_speech`.
        speak: whether answers are spoken; else they are only written.
        tempo: how fast; 1 is usual.
    """

    def __init__(
        self,
        conversation: Conversation,
        voice: Voice,
        loudspeaker: Loudspeaker,
        *,
        locale: str,
        mode: Mode = "hands_free",
        speak: bool = True,
        tempo: float = 1.0,
    ) -> None:
        self._conversation, self._voice, self._loudspeaker = conversation, voice, loudspeaker
        self._words = voice.book().words(locale).listening
        self._ears = Ears(voice.activity.stream(), words=self._words)
        self._progress = Progress(voice.waits)
        notes = HeardNotes(conversation.heard)
        self._mouth = Mouth(voice.speech, loudspeaker, voice.clock, notes, changed=self._changed)
        self._mouth.locale = locale
        self._hum = Hum(self._mouth.playlist, loudspeaker, voice.clock, voice.speech.rate)
        self._telling = Telling(
            self._mouth, notes, self._progress, voice.clock, word=self._word, asked=self._answered
        )
        self._pass_on = PassOn(
            conversation,
            loudspeaker,
            self._telling,
            self._progress,
            voice.ids,
            locale=locale,
            words=self._words,
        )
        barge_in = BargeIn(conversation, self._mouth, self._telling)
        self._hearing = Hearing(self._ears, voice, locale, barge_in, self._pass_on)
        self._shown: Activity | None = None
        self._stop_listening: Callable[[], None] | None = None
        self.change(mode=mode, speak=speak, tempo=tempo)

    def start(self) -> None:
        """Begin to follow the conversation: what it says from now on is spoken."""
        self._mouth.start()
        self._hearing.start()
        self._telling.catch_up(self._conversation.entries)
        self._stop_listening = self._conversation.listen(self._take)
        self._changed()

    def hear(self, pcm: Pcm) -> None:
        """The next sound of the customer's microphone: 16 kHz, any length."""
        self._ears.audible = self._mouth.audible and not self._mouth.held
        for event in self._ears.hear(pcm):
            self._hearing.follow(event)
        if self._hearing.hears:
            self._conversation.typing()
        self._changed()

    def end_of_speech(self) -> None:
        """The customer says that they have finished: they let go of the button."""
        for event in self._ears.end():
            self._hearing.follow(event)
        self._changed()

    def played(self, clip: int, ms: int, playing: bool) -> None:
        """So many milliseconds of a clip came out of the loudspeaker; ``playing``: it goes on."""
        self._mouth.played(clip, ms, playing=playing)

    async def key(self, digit: str) -> bool:
        """A key of the phone was pressed: 1 is yes and 2 is no to an open question; False: it means nothing."""
        if digit not in _BUTTONS or not self._progress.asked:
            return False
        await self.hush()
        with suppress(LogError):  # the conversation is over; whoever carries the sound is told
            await self._pass_on.press(_BUTTONS[digit])
        return True

    async def hush(self) -> None:
        """Fall silent, and note what was heard: to be awaited before a typed message or a stop is passed on."""
        self._telling.hush()
        await self._mouth.settled()

    def change(
        self, *, mode: Mode | None = None, speak: bool | None = None, tempo: float | None = None
    ) -> None:
        """Go on in another way; what is left out stays as it is."""
        if mode is not None:
            self._ears.push_to_talk = mode == "push_to_talk"
        if tempo is not None:
            self._mouth.tempo = tempo
        if speak is not None:
            self._telling.speak = speak
            if not speak:
                self._telling.hush()

    async def close(self) -> None:
        """The customer is gone, or goes on in writing: what was heard until now is noted, all else let go of."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None
        self._telling.close()
        self._hum.want(False)
        await self._hearing.close()
        await self._mouth.close()

    def _take(self, batch: Sequence[Logged]) -> None:
        try:
            self._telling.take(batch)
            self._changed()
        except Exception:
            # Whoever listens must not raise: a mistake in speaking must not cost the conversation.
            log.exception("cannot follow", conversation=self._conversation.key.conversation)

    def _answered(self, text: str) -> None:
        self._ears.expecting = expected_after(text, self._words)

    def _word(self, what: AsideWhat, locale: str) -> str:
        return self._voice.book().render(Aside(what=what), locale)

    def _changed(self) -> None:
        self._hum.want(self._telling.leaves_silence)
        activity = self._activity
        if activity != self._shown:
            self._shown = activity
            self._loudspeaker.show(activity)

    @property
    def _activity(self) -> Activity:
        if self._hearing.hears:
            return "hearing"
        if self._mouth.audible and not self._mouth.held:
            return "speaking"
        awaited = self._hearing.understands or self._progress.awaited or self._progress.turn_id
        return "thinking" if awaited or self._mouth.busy else "listening"


class Switchboard:
    """All lines of this process, one for each conversation: it has one voice, wherever it is open.

    ``problem`` says, for whoever runs the assistant, why nobody can speak; None: they can.
    """

    def __init__(self, problem: str) -> None:
        self.problem: str | None = problem
        self.voice: Voice | None = None
        self._lines: dict[ConversationKey, tuple[Line, Callable[[], None]]] = {}

    def connect(self, voice: Voice) -> None:
        """Everything is loaded: from now on one can speak."""
        self.voice, self.problem = voice, None

    def fail(self, problem: str) -> None:
        """Nobody will be able to speak, for this reason."""
        self.voice, self.problem = None, problem

    async def open(
        self,
        conversation: Conversation,
        loudspeaker: Loudspeaker,
        *,
        locale: str,
        lost: Callable[[], None] = lambda: None,
    ) -> Line:
        """A line that has started. Whoever had one to the same conversation has ``lost`` it.

        Raises ``SpeechError`` while there is a ``problem``.
        """
        if self.voice is None:
            raise SpeechError(self.problem or "no voice")
        earlier = self._lines.pop(conversation.key, None)
        line = Line(conversation, self.voice, loudspeaker, locale=locale)
        self._lines[conversation.key] = line, lost
        if earlier is not None:
            earlier[1]()
            await earlier[0].close()
        line.start()
        return line

    async def hang_up(self, line: Line) -> None:
        """This line is not needed any more."""
        self._lines = {key: known for key, known in self._lines.items() if known[0] is not line}
        await line.close()

    async def close(self) -> None:
        """Nobody speaks any more."""
        for line, _ in tuple(self._lines.values()):
            await self.hang_up(line)
        self.fail("the server is stopping")

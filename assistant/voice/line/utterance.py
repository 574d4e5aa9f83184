"""One thing that a customer says, and what is understood of it."""

import asyncio
from collections.abc import Callable, Coroutine

from assistant.conversation.spoken import Transcript
from assistant.ports.speech import Pcm
from assistant.voice.dictation import Expecting


class Utterance:
    """From its first sound to the message that it becomes.

    What was said up to a pause is written down at once; if nothing comes after it, that is what was said.

    Args:
        transcribe: writes down a sound.
        expecting: what the customer had been asked for when it began.

    Attributes:
        interrupts: the assistant was speaking when it began, or when it went on.
        spoken_until: when its last word was, by the clock's ``monotonic()``.
        decided: what to do about the assistant's own words is settled.
        considering: what goes on because of the last pause.
    """

    def __init__(
        self,
        transcribe: Callable[[Pcm], Coroutine[None, None, Transcript]],
        expecting: Expecting = "anything",
    ) -> None:
        self.expecting: Expecting = expecting
        self.interrupts, self.decided = False, False
        self.spoken_until = 0.0
        self.considering: asyncio.Task[None] | None = None
        self._transcribe = transcribe
        self._audio: Pcm = b""
        self._writing: asyncio.Task[Transcript] | None = None

    def pause(self, audio: Pcm, now: float) -> asyncio.Task[Transcript]:
        """So much was said by now; perhaps that was all."""
        self.spoken_until = now
        return self._write_down(audio)

    def go_on(self) -> None:
        """That was not all."""
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def end(self, audio: Pcm, now: float) -> None:
        """That was all; what was written down of the same sound is kept."""
        if self._writing is None or audio != self._audio:
            self.go_on()
            self.spoken_until = now
            self._write_down(audio)

    async def transcript(self) -> Transcript:
        """What was said, once it has ended. Raises ``SpeechError``."""
        if self.considering is not None:
            await asyncio.wait({self.considering})
        return await self._writing if self._writing is not None else Transcript(text="")

    def forget(self) -> None:
        """Nobody asks any more."""
        self.go_on()
        if self.considering is not None:
            self.considering.cancel()

    def _write_down(self, audio: Pcm) -> asyncio.Task[Transcript]:
        self._audio = audio
        self._writing = asyncio.create_task(self._transcribe(audio))
        # Nobody may come to ask: the customer goes on, or away.
        self._writing.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._writing

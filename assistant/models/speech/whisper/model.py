"""The embedded model that hears: Whisper, in threads of this process, with a queue before them."""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from assistant.errors import AssistantError, SpeechError
from assistant.models.load_once import LoadOnce
from assistant.models.speech.whisper.transcribe import LoadedModel, transcribe
from assistant.ports import HEARD_RATE, Clock, Pcm, Transcription

_SECOND_OF_NOTHING: Pcm = bytes(2 * HEARD_RATE)


class Whisper:
    """Needs no network and no key. The first utterance loads the weights, unless it has been warmed.

    Args:
        load: brings the model, in a thread; called once.
        worker_slots: how many utterances are written down at the same time.
        clock: measures how long one takes.
    """

    def __init__(self, load: Callable[[], LoadedModel], *, worker_slots: int, clock: Clock) -> None:
        self._loaded = LoadOnce(load)
        self._worker_slots = WorkerSlots(worker_slots, clock=clock)

    @property
    def name(self) -> str:
        """As the operator writes it."""
        return "offline"

    async def warm(self) -> None:
        """Load the weights and write something down, two seconds of work. Raises ``SpeechError``."""
        await self.transcribe(_SECOND_OF_NOTHING)

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """What is said in an utterance of 16 kHz; "" if there is no speech.

        Raises:
            SpeechError: too many wait already, the sound is none, or the model cannot.
        """

        def work() -> Transcription:
            return transcribe(audio, self._loaded(), locale, hint)

        try:
            return await self._worker_slots.run(work)
        except AssistantError:
            raise
        except Exception as error:
            # The wall to the model's own code: it raises what it likes where memory is short.
            raise SpeechError(f"the embedded model 'offline' wrote nothing down: {error!r}") from error


T = TypeVar("T")

_WAITING_A_PLACE = 8
_GUESSED_S = 0.5
_NEWEST = 0.2
"""How much the latest work counts in the mean of how long one takes."""


class WorkerSlots:
    """So many do their work at the same time; the others wait, first come, first served.

    A caller that is cancelled before its work begins leaves the queue. Work that has begun goes on, and its
    result is dropped.

    Args:
        count: how many work at the same time, each in a thread.
        clock: measures how long they take; an error says how long the wait would have been.
    """

    def __init__(self, count: int, *, clock: Clock) -> None:
        self._count, self._clock = count, clock
        self._free = count
        self._waiting = deque[asyncio.Future[None]]()
        self._takes_s = _GUESSED_S
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="hearing")

    @property
    def wait_s(self) -> float:
        """How long the next caller is likely to wait."""
        return 0.0 if self._free else self._takes_s * (len(self._waiting) + 1) / self._count

    async def run(self, work: Callable[[], T]) -> T:
        """What the work gives, or raises.

        Raises:
            SpeechError: too many wait already.
        """
        await self._enter()
        began = self._clock.monotonic()
        doing = asyncio.get_running_loop().run_in_executor(self._threads, work)

        def done(_: asyncio.Future[T]) -> None:
            self._takes_s += _NEWEST * (self._clock.monotonic() - began - self._takes_s)
            self._leave()

        doing.add_done_callback(done)
        return await asyncio.shield(doing)

    async def _enter(self) -> None:
        if self._free:
            self._free -= 1
            return
        if len(self._waiting) >= _WAITING_A_PLACE * self._count:
            raise SpeechError(
                f"{len(self._waiting)} utterances wait to be written down, {self._count} at a time: the next one "
                f"would wait {self.wait_s:.1f} s; raise ASSISTANT_TRANSCRIPTION_WORKERS where there are more cores"
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._leave()  # It was this one's turn already.
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def _leave(self) -> None:
        """Work is done: its slot goes to the next."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

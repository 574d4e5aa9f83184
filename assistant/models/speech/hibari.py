"""Speaks answers with hibari's voice "heart", on this machine."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from assistant.errors import DeclarationError, SpeechError
from assistant.language.sentences import sentences
from assistant.models.load_once import LoadOnce
from assistant.speech_ports import Pcm

_RATE: Final = 24_000
_LOUDER: Final = 2.0  # hibari's peaks are at 0.3 to 0.4 of full scale, which is too quiet for a telephone
_SLOWEST, _FASTEST = 0.5, 2.0
_LONGEST: Final = 220  # characters that are spoken in one call: at most half a second of work
_WARMING: Final = "One moment."
_PLACES_TO_CUT: Final = (re.compile(r"[;:,—]\s+"), re.compile(r"\s+"))

_Result = TypeVar("_Result")


class Hibari:
    """Speaks with hibari. It needs no network and no key, and never downloads another voice. The same text
    always gives the same sound.

    It speaks American English, and reads other languages as if they were English. It speaks one sentence at a
    time in its own thread, so that the event loop is not blocked and a cancelled caller does not wait.

    Args:
        load: loads the voice, in that thread; by default the installed one.
    """

    def __init__(self, load: "Callable[[], HibariVoice] | None" = None) -> None:
        self._voice = load or _installed
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="hibari")

    @property
    def name(self) -> str:
        """The name in the settings."""
        return "offline"

    @property
    def rate(self) -> int:
        """The number of samples per second."""
        return _RATE

    async def warm(self) -> None:
        """Load the voice and its dictionary, in about a second.

        Raises ``SpeechError`` and ``DeclarationError``.
        """
        await self._run(lambda: _sound(self._voice(), _WARMING, 1.0))

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        """Yields the sound of each sentence, without leading silence. ``tempo`` is between 0.5 and 2.0.

        All locales are read as English. Raises ``SpeechError``.
        """
        del locale
        speed = min(max(tempo, _SLOWEST), _FASTEST)
        for portion in portions(text):
            pcm = await self._run(lambda said=portion: _sound(self._voice(), said, speed))
            if pcm:
                yield pcm

    async def _run(self, work: Callable[[], _Result]) -> _Result:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except DeclarationError:
            raise
        except Exception as error:
            # The error's text may contain personal data, so only its type is reported.
            raise SpeechError(f"hibari failed with {type(error).__name__}") from error


def portions(text: str) -> Iterator[str]:
    """Yields the sentences of a text. Long sentences are cut at natural pauses.

    >>> list(portions("One moment. Let me see."))
    ['One moment.', 'Let me see.']
    """
    for sentence in sentences(" ".join(text.split())):
        left = sentence.strip()
        while len(left) > _LONGEST:
            ends = (_last_end(pattern, left) for pattern in _PLACES_TO_CUT)
            end = next((end for end in ends if end), _LONGEST)
            yield left[:end].strip()
            left = left[end:].strip()
        if left:
            yield left


def _last_end(pattern: re.Pattern[str], text: str) -> int:
    return max((found.end() for found in pattern.finditer(text, 0, _LONGEST)), default=0)


def _sound(voice: "HibariVoice", text: str, speed: float) -> Pcm:
    # The pause after an incomplete sentence is shorter.
    ends = text.rstrip("\"'”’)").endswith((".", "!", "?"))
    made = trimmed(voice(text, speed=speed, seed=0), _RATE, rest_s=(0.25 if ends else 0.12) / speed)
    return np.rint(np.clip(made * _LOUDER, -1.0, 1.0) * 32_767).astype("<i2").tobytes()


class HibariVoice(Protocol):
    """hibari's function from text to sound."""

    def __call__(self, text: str, *, speed: float, seed: int) -> NDArray[np.float32]:
        """Returns the samples, between -1 and 1. The same ``seed`` gives the same samples."""
        ...


class _Package(Protocol):
    def Hibari(self, *, voice: str, model: str, threads: int) -> HibariVoice: ...  # noqa: N802 - the library's name


def _load() -> HibariVoice:
    found = find_spec("hibari")
    if found is None or not found.submodule_search_locations:
        raise DeclarationError(
            "the package 'hibari-tts', which speaks answers, is not installed: "
            "pip install 'meanwhile-assistant[voice]'"
        )
    # With an explicit model, hibari does not search or download one.
    model = Path(found.submodule_search_locations[0], "assets", "hibari.onnx")
    import hibari

    voice = cast("_Package", hibari).Hibari(voice="heart", model=str(model), threads=1)
    voice(_WARMING, speed=1.0, seed=0)
    return voice


_installed = LoadOnce(_load)

_SILENT_DB: Final = -50.0
_WINDOW_S: Final = 0.01
_LEAD_S: Final = 0.02


def trimmed(sound: NDArray[np.float32], rate: int, *, rest_s: float) -> NDArray[np.float32]:
    """Returns the sound from 20 ms before its first word to ``rest_s`` after its last, or empty if it
    contains only silence.

    Args:
        sound: samples between -1 and 1.
        rate: the number of samples per second.
        rest_s: seconds of silence that are kept at the end, if there are as many.

    >>> sound = np.concatenate([np.zeros(300), np.full(100, 0.5), np.zeros(600)]).astype(np.float32)
    >>> len(trimmed(sound, 1_000, rest_s=0.25))
    370
    """
    window = max(1, round(rate * _WINDOW_S))
    whole = sound.size // window
    power = np.square(sound[: whole * window]).reshape(whole, window).mean(axis=1)
    heard = np.flatnonzero(power > 10 ** (_SILENT_DB / 10))
    if not heard.size:
        return sound[:0]
    begin = max(0, int(heard[0]) * window - round(rate * _LEAD_S))
    return sound[begin : (int(heard[-1]) + 1) * window + round(rate * rest_s)]

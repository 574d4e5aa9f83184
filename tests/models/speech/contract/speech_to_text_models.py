"""Every speech-to-text model, each with sounds that it understands."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import pytest

from assistant.clock import SystemClock
from assistant.errors import SpeechError
from assistant.models.speech.choose import choose_speech_to_text
from assistant.models.speech.transcribe import DecodeResult, Features, features, samples_of
from assistant.models.speech.whisper_model import Whisper
from assistant.ports import Clock
from assistant.speech_ports import Pcm, SpeechToText, Transcription
from assistant.testing.virtual_time import VirtualClock
from tests.models.speech.fake_provider import Failed, FakeProvider
from tests.models.speech.small_whisper import NOBODY, SmallEngine, loaded, loudest, said, tone
from tests.models.speech.synthesised import said_aloud
from tests.support.spoken_chat import FakeSpeechToText, silence, speech


@dataclass(frozen=True, slots=True)
class SpeechToTextCase:
    """A speech-to-text model, and sounds for it.

    ``says`` makes the sound of a text, ``silent`` one without speech, ``broken`` one with which the model fails.
    Make the sounds in the order in which they are transcribed first.
    """

    hearing: SpeechToText
    says: Callable[[str], Pcm]
    silent: Callable[[], Pcm]
    broken: Callable[[], Pcm]
    clock: Clock


def fake() -> SpeechToTextCase:
    """A model with a script."""
    clock = VirtualClock()
    script: list[str | Transcription | SpeechError] = []
    sounds: dict[str, Pcm] = {}

    def adds(line: str | SpeechError) -> Pcm:
        script.append(line)
        return speech(0.5 + 0.1 * len(script))

    def says(text: str) -> Pcm:
        if text not in sounds:
            sounds[text] = adds(text)
        return sounds[text]

    hearing = FakeSpeechToText(clock, script)
    return SpeechToTextCase(hearing, says, lambda: adds(""), lambda: adds(SpeechError("no")), clock)


def hosted() -> SpeechToTextCase:
    """A provider's."""
    provider = FakeProvider(*[0.1] * 9)

    says = provider.sound_of_meaning
    return SpeechToTextCase(
        provider.hearing(), says, lambda: silence(1), lambda: says(Failed(400)), provider.clock
    )


def embedded() -> SpeechToTextCase:
    """Whisper, with an engine that knows a few sounds."""
    clock, meanings = VirtualClock(), dict[str, float]()

    def answer(seen: Features) -> DecodeResult:
        band = loudest(seen)
        if band >= 60:
            raise RuntimeError("out of memory")
        for text, hz in meanings.items():
            if band == _band(hz):
                return said(" ".join(re.findall(r"\w+", text.casefold())))
        return NOBODY

    def says(text: str) -> Pcm:
        return tone(meanings.setdefault(text, 300.0 + 200 * len(meanings)))

    engine = SmallEngine(answer)
    hearing = Whisper(lambda: loaded(engine), worker_slots=2, clock=clock)
    return SpeechToTextCase(hearing, says, lambda: silence(1), lambda: tone(6_000), clock)


@cache
def installed() -> SpeechToTextCase:
    """Whisper with its own weights, and words that are said by another machine."""
    clock = SystemClock()
    hearing = choose_speech_to_text(
        "offline", clock=clock, jitter=lambda: 0.0, environ={}, whisper_dir=None, worker_slots=1
    )
    return SpeechToTextCase(hearing, said_aloud, lambda: silence(2), lambda: b"\0", clock)


EARS: Mapping[str, Callable[[], SpeechToTextCase]] = {"fake": fake, "hosted": hosted, "embedded": embedded}

every_kind = pytest.mark.parametrize(
    "make",
    [
        *[pytest.param(make, id=name) for name, make in EARS.items()],
        pytest.param(installed, id="installed", marks=pytest.mark.slow),
    ],
)


def _band(hz: float) -> int:
    return loudest(features(samples_of(tone(hz)), 80))

"""Every text-to-speech model."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from assistant.clock import SystemClock
from assistant.models.speech.choose import choose_text_to_speech
from assistant.speech_ports import TextToSpeech
from assistant.testing.virtual_time import VirtualClock
from tests.models.speech.fake_provider import Failed, FakeProvider
from tests.support.spoken_chat import FakeTextToSpeech


@dataclass(frozen=True, slots=True)
class TextToSpeechCase:
    """A text-to-speech model, and one that fails; None if this kind never fails."""

    speech: TextToSpeech
    broken: TextToSpeech | None


def fake() -> TextToSpeechCase:
    """A model that follows a script."""
    clock = VirtualClock()
    return TextToSpeechCase(FakeTextToSpeech(clock), FakeTextToSpeech(clock, fails=True))


def hosted() -> TextToSpeechCase:
    """A provider's."""
    return TextToSpeechCase(FakeProvider().speech(), FakeProvider(Failed(400)).speech())


def embedded() -> TextToSpeechCase:
    """The one in this process."""
    return TextToSpeechCase(
        choose_text_to_speech("offline", None, clock=SystemClock(), jitter=lambda: 0.0, environ={}), None
    )


every_kind = pytest.mark.parametrize(
    "make",
    [
        pytest.param(fake, id="fake"),
        pytest.param(hosted, id="hosted"),
        pytest.param(embedded, id="embedded", marks=pytest.mark.slow),  # it takes seconds to load
    ],
)

Make = Callable[[], TextToSpeechCase]

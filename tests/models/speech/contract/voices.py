"""Every kind of voice."""

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
class Mouth:
    """A voice, and one of its kind that fails; None where none does."""

    speech: TextToSpeech
    broken: TextToSpeech | None


def fake() -> Mouth:
    """A voice that follows a script."""
    clock = VirtualClock()
    return Mouth(FakeTextToSpeech(clock), FakeTextToSpeech(clock, fails=True))


def hosted() -> Mouth:
    """A provider's."""
    return Mouth(FakeProvider().speech(), FakeProvider(Failed(400)).speech())


def embedded() -> Mouth:
    """The one in this process."""
    return Mouth(
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

Make = Callable[[], Mouth]

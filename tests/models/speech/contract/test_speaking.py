"""What all text-to-speech models have in common."""

import asyncio

import pytest

from assistant.errors import SpeechError
from assistant.speech_ports import TextToSpeech
from tests.models.speech.contract.text_to_speech_models import Make, every_kind

SENTENCE = "Your next appointment is on Tuesday at two in the afternoon."


async def seconds(speech: TextToSpeech, text: str, tempo: float = 1.0) -> float:
    pieces = [piece async for piece in speech.speak(text, tempo=tempo)]
    assert all(piece and len(piece) % 2 == 0 for piece in pieces)
    return sum(len(piece) for piece in pieces) / 2 / speech.rate


@every_kind
async def test_a_sentence_comes_in_pieces_of_whole_samples(make: Make) -> None:
    speech = make().speech
    assert speech.name
    assert 2 < await seconds(speech, SENTENCE) < 8


@every_kind
async def test_a_longer_text_takes_more_time(make: Make) -> None:
    speech = make().speech
    assert await seconds(speech, "Tuesday.") < await seconds(speech, SENTENCE) / 2


@every_kind
async def test_twice_the_tempo_takes_half_the_time(make: Make) -> None:
    speech = make().speech
    # A voice may keep its breaths as long as they are.
    assert 0.4 < await seconds(speech, SENTENCE, tempo=2.0) / await seconds(speech, SENTENCE) < 0.65


@every_kind
async def test_an_empty_text_has_no_sound(make: Make) -> None:
    assert await seconds(make().speech, "") == 0


@every_kind
async def test_a_caller_may_stop_listening_and_come_back(make: Make) -> None:
    speech = make().speech
    iterator = aiter(speech.speak(SENTENCE))
    assert await anext(iterator)
    del iterator
    assert await seconds(speech, "Tuesday.") > 0


@every_kind
async def test_two_callers_are_served_at_the_same_time(make: Make) -> None:
    speech = make().speech
    one, other = await asyncio.gather(seconds(speech, SENTENCE), seconds(speech, "Tuesday."))
    assert one > other > 0


@every_kind
async def test_a_failure_is_an_error(make: Make) -> None:
    broken = make().broken
    if broken is not None:
        with pytest.raises(SpeechError):
            await seconds(broken, SENTENCE)

"""What all speech-to-text models have in common."""

import asyncio
import re
from collections.abc import Callable

import pytest

from assistant.errors import SpeechError
from tests.models.speech.contract.speech_to_text_models import SpeechToTextCase, every_kind

APPOINTMENT = "When is my next appointment?"
STOP = "Please stop that now."


def words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


@every_kind
async def test_speech_is_transcribed(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    heard = await speech_to_text.hearing.transcribe(speech_to_text.says(APPOINTMENT))
    assert words(heard.text) == words(APPOINTMENT)
    assert heard.text == heard.text.strip()
    assert 0.5 < heard.likely <= 1
    assert speech_to_text.hearing.name


@every_kind
async def test_silence_has_no_text(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    assert (await speech_to_text.hearing.transcribe(speech_to_text.silent())).text == ""


@every_kind
async def test_the_same_sound_has_the_same_transcript(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    sound = speech_to_text.says(APPOINTMENT)
    assert await speech_to_text.hearing.transcribe(sound) == await speech_to_text.hearing.transcribe(sound)


@every_kind
async def test_concurrent_callers_get_their_own_transcripts(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    sounds = [speech_to_text.says(APPOINTMENT), speech_to_text.says(STOP)]
    heard = await asyncio.gather(*(speech_to_text.hearing.transcribe(sound) for sound in sounds))
    assert [words(one.text) for one in heard] == [words(APPOINTMENT), words(STOP)]


@every_kind
async def test_language_and_hint_may_be_given(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    heard = await speech_to_text.hearing.transcribe(
        speech_to_text.says(APPOINTMENT), locale="en-GB", hint="An appointment, or an order."
    )
    assert words(heard.text) == words(APPOINTMENT)


@every_kind
async def test_a_cancelled_caller_does_not_affect_the_others(make: Callable[[], SpeechToTextCase]) -> None:
    speech_to_text = make()
    sounds = [speech_to_text.says(APPOINTMENT), speech_to_text.says(STOP)]
    left, stays = [asyncio.ensure_future(speech_to_text.hearing.transcribe(sound)) for sound in sounds]
    await speech_to_text.clock.sleep(0)
    left.cancel()
    assert words((await stays).text) == words(STOP)
    assert left.cancelled()


@every_kind
async def test_a_failure_is_an_error_and_does_not_affect_other_callers(
    make: Callable[[], SpeechToTextCase],
) -> None:
    speech_to_text = make()
    broken = speech_to_text.broken()
    with pytest.raises(SpeechError):
        await speech_to_text.hearing.transcribe(broken)
    assert words((await speech_to_text.hearing.transcribe(speech_to_text.says(STOP))).text) == words(STOP)

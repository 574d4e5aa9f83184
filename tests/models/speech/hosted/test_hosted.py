"""Providers' speech models: asked again after a failure, and not forever."""

import asyncio

import numpy as np
import pytest

from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.hosted import HostedTextToSpeech, to_wav
from assistant.speech_ports import Transcription
from tests.models.speech.fake_provider import RATE, Failed, FakeProvider

WORDS = b"\x01\x00" * 8_000


async def all_of(speech: HostedTextToSpeech, text: str, tempo: float = 1.0) -> bytes:
    return b"".join([piece async for piece in speech.speak(text, tempo=tempo)])


async def test_the_sound_is_sent_as_a_file_with_language_and_hint() -> None:
    provider = FakeProvider(" Hello there. ")
    hearing = provider.hearing()
    assert await hearing.transcribe(WORDS, locale="pt_BR", hint="Anna") == Transcription(
        text="Hello there.", seconds=0.5
    )
    [asked] = provider.asked
    assert (asked.what, asked.model, asked.said_beside) == (WORDS, "openai/whisper-1", ("pt", "Anna"))


async def test_silence_is_not_sent_and_invalid_sound_is_refused() -> None:
    provider = FakeProvider()
    assert await provider.hearing().transcribe(b"") == Transcription(text="")
    assert await all_of(provider.speech(), " ") == b""
    with pytest.raises(SpeechError, match="3 bytes are not 16-bit"):
        await provider.hearing().transcribe(b"\0\0\0")
    assert provider.asked == []


async def test_a_temporary_failure_is_tried_twice() -> None:
    provider = FakeProvider(Failed(503))
    assert (await provider.hearing().transcribe(WORDS)).text == "some words"
    assert provider.clock.monotonic() == pytest.approx(0.25)

    provider = FakeProvider(*[Failed(500, "overheated")] * 2)
    with pytest.raises(
        SpeechError, match="ASSISTANT_TRANSCRIPTION_MODEL='openai/whisper-1': overheated; tried 2 times"
    ):
        await provider.hearing().transcribe(WORDS)
    assert len(provider.asked) == 2


async def test_a_long_requested_pause_is_shortened_to_a_second() -> None:
    provider = FakeProvider(Failed(429, **{"retry-after": "30"}))
    before = provider.clock.monotonic()
    await provider.hearing().transcribe(WORDS)
    assert provider.clock.monotonic() - before == pytest.approx(1.0)


async def test_a_refusal_is_not_tried_again_and_names_the_solution() -> None:
    provider = FakeProvider(Failed(401, "wrong key a-secret-key"))
    with pytest.raises(
        SpeechError, match=r"ASSISTANT_SPEECH_MODEL=.*check the model's name and its key"
    ) as raised:
        await all_of(provider.speech(), "Hello")
    assert "a-secret-key" not in str(raised.value)
    assert len(provider.asked) == 1

    provider = FakeProvider(Failed(401, "wrong key a-key-of-its-own"))
    with pytest.raises(SpeechError, match=r"wrong key \[key\]"):
        await provider.hearing().transcribe(WORDS)


async def test_an_answer_may_take_eight_seconds() -> None:
    provider = FakeProvider(9.0, 9.0)
    with pytest.raises(SpeechError, match="no answer within 8 s; tried 2 times"):
        await provider.hearing().transcribe(WORDS)
    assert provider.clock.monotonic() == pytest.approx(16.25)


async def test_a_model_that_keeps_failing_is_not_asked_for_a_while() -> None:
    provider = FakeProvider(*[Failed(500)] * 5)
    hearing = provider.hearing()
    for _ in range(3):
        with pytest.raises(SpeechError):
            await hearing.transcribe(WORDS)
    with pytest.raises(SpeechError, match="is not asked: openai/whisper-1 is left alone"):
        await hearing.transcribe(WORDS)
    assert len(provider.asked) == 5
    await provider.clock.sleep(20)
    # Who comes to see whether it is back, and does not wait for the answer, leaves that to the next.
    provider.answers.append(5.0)
    leaving = asyncio.ensure_future(hearing.transcribe(WORDS))
    await provider.clock.sleep(1)
    leaving.cancel()
    await asyncio.wait([leaving])
    assert (await hearing.transcribe(WORDS)).text == "some words"


async def test_a_cancelled_caller_says_nothing_about_the_provider() -> None:
    provider = FakeProvider(*[5.0] * 6)
    hearing = provider.hearing()
    for _ in range(6):
        leaving = asyncio.ensure_future(hearing.transcribe(WORDS))
        await provider.clock.sleep(1)
        leaving.cancel()
    assert (await hearing.transcribe(WORDS)).text == "some words"


async def test_raw_samples_arrive_in_pieces_of_a_fifth_of_a_second() -> None:
    provider = FakeProvider()
    pieces = [piece async for piece in provider.speech().speak("Hello there", tempo=2.0)]
    assert provider.asked[0].said_beside == ("alloy", "pcm", 2.0)
    assert [len(piece) / 2 / RATE for piece in pieces] == pytest.approx([0.2, 0.13])


@pytest.mark.parametrize(
    ("model", "form"),
    [
        ("elevenlabs/eleven_flash", "pcm_24000"),
        ("groq/playai-tts", "wav"),
        ("gemini/gemini-2.5-flash-tts", "pcm"),
    ],
)
async def test_each_is_asked_for_a_format_with_a_known_rate(model: str, form: str) -> None:
    provider = FakeProvider()
    await all_of(provider.speech(model), "Hello")
    assert provider.asked[0].said_beside[1] == form


async def test_a_provider_without_raw_samples_is_asked_for_a_file() -> None:
    provider = FakeProvider(only="wav")
    speech = provider.speech()
    assert await all_of(speech, "Hello") == await all_of(speech, "Hello") == b"\x01\x00" * 7_200
    assert [asked.said_beside[1] for asked in provider.asked] == ["pcm", "wav", "wav"]


async def test_a_provider_without_both_formats_is_reported() -> None:
    provider = FakeProvider(only="opus")
    with pytest.raises(SpeechError, match="response_format must be opus"):
        await all_of(provider.speech(), "Hello")
    assert [asked.said_beside[1] for asked in provider.asked] == ["pcm", "wav"]


@pytest.mark.parametrize("found", [8_000, 48_000, 44_100])
async def test_a_file_of_another_rate_is_converted(found: int) -> None:
    at = np.arange(found) / found
    sine = 10_000 * np.sin(2 * np.pi * 440 * at)
    provider = FakeProvider(to_wav(sine.astype("<i2").tobytes(), found))
    pcm = np.frombuffer(await all_of(provider.speech(), "Hello"), "<i2")
    assert len(pcm) == RATE
    same = 10_000 * np.sin(2 * np.pi * 440 * np.arange(RATE) / RATE)
    # Before the first sample and after the last one there was silence, which the filter smears into the edges.
    inside = slice(RATE // 50, -RATE // 50)
    assert np.abs(pcm - same)[inside].max() < 20


async def test_a_nearly_empty_file_is_nearly_empty_sound() -> None:
    assert await all_of(FakeProvider(to_wav(b"\x01\x00", 96_000)).speech(), "Hello") == bytes(2)


async def test_a_file_that_was_sent_while_it_grew_is_read_to_its_end() -> None:
    sound = bytearray(to_wav(WORDS, RATE))
    sound[4:8] = sound[40:44] = b"\xff\xff\xff\xff"
    assert await all_of(FakeProvider(bytes(sound)).speech(), "Hello") == WORDS


async def test_half_a_sample_at_the_end_is_left_out() -> None:
    assert await all_of(FakeProvider(WORDS + b"\x01").speech(), "Hello") == WORDS


@pytest.mark.parametrize(
    ("sound", "told"),
    [
        (b"ID3\x04rest", "it is compressed; 'pcm' or 'wav' is needed"),
        (b"RIFF\0\0", "the WAV file cannot be read"),
        (to_wav(WORDS, RATE).replace(b"\x01\x00\x01\x00", b"\x01\x00\x02\x00", 1), "2 channels of 16 bits"),
    ],
)
async def test_unplayable_sound_is_reported(sound: bytes, told: str) -> None:
    with pytest.raises(SpeechError, match=told):
        await all_of(FakeProvider(sound).speech(), "Hello")


async def test_warming_loads_litellm_and_checks_the_name() -> None:
    provider = FakeProvider()
    await provider.hearing().warm()
    await provider.speech().warm()
    assert (provider.loads, provider.asked) == (2, [])
    with pytest.raises(
        DeclarationError, match="ASSISTANT_SPEECH_MODEL='acme/voice': nobody knows 'acme/voice'"
    ):
        await provider.speech("acme/voice").warm()

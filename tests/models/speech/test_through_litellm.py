"""Providers' speech models, asked as in production: through litellm, over a socket."""

import pytest

from assistant.clock import SystemClock
from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.choose import (
    WarmSpeechToText,
    WarmTextToSpeech,
    choose_speech_to_text,
    choose_text_to_speech,
)
from tests.support.fake_model.replies import refuses
from tests.support.fake_model.speech_server import FakeSpeechServer, sounds, writes
from tests.support.spoken_chat import silence, speech

pytestmark = pytest.mark.slow  # it imports litellm


def hearing_at(url: str, name: str = "openai/whisper-1") -> WarmSpeechToText:
    return choose_speech_to_text(
        name,
        clock=SystemClock(),
        jitter=lambda: 0.0,
        environ={"OPENAI_BASE_URL": url},
        whisper_dir=None,
        worker_slots=1,
    )


def speech_at(url: str) -> WarmTextToSpeech:
    return choose_text_to_speech(
        "openai/tts-1", "alloy", clock=SystemClock(), jitter=lambda: 0.0, environ={"OPENAI_BASE_URL": url}
    )


async def test_speech_is_transcribed_through_litellm() -> None:
    async with FakeSpeechServer(refuses(503), writes("Hello."), clock=SystemClock()) as server:
        heard = await hearing_at(server.url).transcribe(speech(0.5), locale="de-DE", hint="Anna Berg")
        assert (heard.text, heard.seconds) == ("Hello.", 0.5)
        assert (await hearing_at(server.url).transcribe(silence(0.5))).text == ""
    first, again, quiet = server.heard
    assert first == again
    assert first.sound == speech(0.5)
    assert first.fields == {
        "model": "whisper-1",
        "language": "de",
        "prompt": "Anna Berg",
        "response_format": "json",
    }
    assert "prompt" not in quiet.fields


async def test_a_text_is_spoken_through_litellm() -> None:
    async with FakeSpeechServer(clock=SystemClock()) as server:
        voice = speech_at(server.url)
        pieces = [piece async for piece in voice.speak("Hello there.", tempo=1.5)]
        assert sum(len(piece) for piece in pieces) == 2 * round(12 * 0.06 * voice.rate / 1.5)
        assert [piece async for piece in voice.speak("Hi.")]
    assert server.said[0] == {
        "model": "tts-1",
        "input": "Hello there.",
        "voice": "alloy",
        "response_format": "pcm",
        "speed": 1.5,
    }
    assert "speed" not in server.said[1]


async def test_its_errors_become_ours() -> None:
    refused = refuses(401, "Incorrect API key provided: sk-abcdefghijklmnop")
    async with FakeSpeechServer(
        refused, refuses(400, "response_format: no pcm"), clock=SystemClock()
    ) as server:
        with pytest.raises(SpeechError, match=r"ASSISTANT_TRANSCRIPTION_MODEL=.*Incorrect API key") as raised:
            await hearing_at(server.url).transcribe(speech(0.5))
        assert "sk-abc" not in str(raised.value)
        assert [piece async for piece in speech_at(server.url).speak("Hello")]
    assert [said["response_format"] for said in server.said] == ["pcm", "wav"]


async def test_sound_that_arrives_in_pieces_is_joined() -> None:
    async with FakeSpeechServer(sounds(b"\x01", b"\x00\x02\x00"), clock=SystemClock()) as server:
        pieces = [piece async for piece in speech_at(server.url).speak("Hello")]
    assert b"".join(pieces) == b"\x01\x00\x02\x00"


async def test_an_unknown_provider_is_reported_at_warm_up() -> None:
    await hearing_at("http://127.0.0.1:9").warm()
    with pytest.raises(
        DeclarationError, match=r"ASSISTANT_TRANSCRIPTION_MODEL='acme/ears': litellm knows no provider"
    ):
        await hearing_at("http://127.0.0.1:9", "acme/ears").warm()

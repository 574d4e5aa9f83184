"""The fake provider of speech transcribes and speaks like OpenAI."""

import aiohttp

from assistant.clock import SystemClock
from assistant.models.speech.hosted import to_pcm, to_wav
from assistant.speech_ports import HEARD_RATE, Pcm
from tests.support.fake_model.replies import refuses
from tests.support.fake_model.speech_server import FakeSpeechServer, Heard, writes
from tests.support.spoken_chat import silence, speech


async def hears(client: aiohttp.ClientSession, url: str, sound: Pcm) -> dict[str, str]:
    form = aiohttp.FormData({"model": "whisper-1", "language": "de"})
    form.add_field("file", to_wav(sound, HEARD_RATE), filename="speech.wav", content_type="audio/wav")
    async with client.post(f"{url}/audio/transcriptions", data=form) as answer:
        return await answer.json()


async def test_it_transcribes_some_words_for_any_sound_but_silence() -> None:
    async with (
        FakeSpeechServer(writes("Hello."), clock=SystemClock()) as server,
        aiohttp.ClientSession() as client,
    ):
        said = [await hears(client, server.url, sound) for sound in (speech(0.1), speech(0.1), silence(0.1))]
    assert said == [{"text": "Hello."}, {"text": "some words"}, {"text": ""}]
    assert server.heard[0] == Heard(speech(0.1), {"model": "whisper-1", "language": "de"})


async def test_each_character_takes_the_same_time_and_other_formats_are_refused() -> None:
    body = {"model": "tts-1", "input": "Hello", "voice": "alloy"}
    async with FakeSpeechServer(clock=SystemClock()) as server, aiohttp.ClientSession() as client:
        url = f"{server.url}/audio/speech"
        async with client.post(url, json=body | {"response_format": "pcm", "speed": 2.0}) as answer:
            assert len(await answer.read()) == 2 * 3_600
        async with client.post(url, json=body | {"response_format": "wav"}) as answer:
            assert len(to_pcm(await answer.read(), 24_000)) == 2 * 7_200
        async with client.post(url, json=body) as answer:
            assert answer.status == 400
            assert "response_format" in await answer.text()
    assert [said["input"] for said in server.said] == ["Hello"] * 3


async def test_it_fails_as_told_and_has_no_other_endpoint() -> None:
    async with (
        FakeSpeechServer(refuses(503), clock=SystemClock()) as server,
        aiohttp.ClientSession() as client,
        client.post(f"{server.url}/audio/speech", json={"input": "Hello"}) as answer,
        client.post(f"{server.url}/chat/completions", json={}) as elsewhere,
    ):
        assert (answer.status, elsewhere.status) == (503, 404)

"""Spoken texts are cached; an incomplete sound never counts as the whole."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from assistant.errors import SpeechError
from assistant.speech_ports import Pcm
from assistant.voice.speech_cache import CachedSpeech


@dataclass(slots=True)
class SlowVoice:
    """Says a text word by word, each when it is let go; two bytes a letter."""

    go: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1_000))
    said: list[tuple[str, str, float]] = field(default_factory=list[tuple[str, str, float]])
    stopped: int = 0
    fails_at: str = ""
    name: str = "slow"
    rate: int = 16_000

    async def speak(self, text: str, *, locale: str = "en", tempo: float = 1.0) -> AsyncIterator[Pcm]:
        self.said.append((text, locale, tempo))
        try:
            for word in text.split():
                await self.go.acquire()
                if word == self.fails_at:
                    raise SpeechError("the voice is gone")
                yield word.encode() * 2
        except asyncio.CancelledError:
            self.stopped += 1
            raise


async def said(speech: CachedSpeech, text: str, *, locale: str = "en", tempo: float = 1.0) -> bytes:
    return b"".join([pcm async for pcm in speech.speak(text, locale=locale, tempo=tempo)])


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_repeated_text_comes_from_the_cache() -> None:
    voice = SlowVoice()
    speech = CachedSpeech(voice)

    first, second = await said(speech, "one moment"), await said(speech, "one moment")

    assert first == second == b"oneonemomentmoment"
    assert voice.said == [("one moment", "en", 1.0)]
    assert (speech.name, speech.rate, speech.kept_bytes) == ("slow", 16_000, 18)


async def test_another_locale_tempo_or_voice_is_another_sound() -> None:
    voice = SlowVoice()
    speech = CachedSpeech(voice)

    await said(speech, "so")
    await said(speech, "so", locale="de")
    await said(speech, "so", tempo=1.5)
    voice.name = "other"
    await said(speech, "so")

    assert len(voice.said) == 4


async def test_concurrent_callers_share_one_synthesis_from_its_beginning() -> None:
    voice = SlowVoice(go=asyncio.Semaphore(1))
    speech = CachedSpeech(voice)
    first = asyncio.create_task(said(speech, "a b c"))
    await settled()
    second = asyncio.create_task(said(speech, "a b c"))
    await settled()
    voice.go.release()
    voice.go.release()

    assert await asyncio.gather(first, second) == [b"aabbcc", b"aabbcc"]
    assert len(voice.said) == 1


async def test_the_sound_streams_while_it_is_made() -> None:
    speech = CachedSpeech(SlowVoice(go=asyncio.Semaphore(1)))

    async for pcm in speech.speak("a b"):
        assert pcm == b"aa"
        break


async def test_if_one_of_two_callers_leaves_the_other_gets_all_of_it() -> None:
    voice = SlowVoice(go=asyncio.Semaphore(1))
    speech = CachedSpeech(voice)
    leaves, stays = (asyncio.create_task(said(speech, "a b")) for _ in range(2))
    await settled()
    leaves.cancel()
    await settled()
    voice.go.release()

    assert await stays == b"aabb"
    assert (len(voice.said), voice.stopped) == (1, 0)


async def test_if_all_callers_leave_the_synthesis_stops_and_is_dropped() -> None:
    voice = SlowVoice(go=asyncio.Semaphore(1))
    speech = CachedSpeech(voice)
    leaves = asyncio.create_task(said(speech, "a b"))
    await settled()
    leaves.cancel()
    await settled()
    assert (voice.stopped, speech.kept_bytes) == (1, 0)

    for _ in range(2):
        voice.go.release()
    assert await said(speech, "a b") == b"aabb"
    assert len(voice.said) == 2


async def test_a_caller_after_all_have_left_gets_a_new_synthesis() -> None:
    voice = SlowVoice(go=asyncio.Semaphore(1))
    speech = CachedSpeech(voice)
    leaves = asyncio.create_task(said(speech, "a b"))
    await settled()
    leaves.cancel()
    again = asyncio.create_task(said(speech, "a b"))
    await settled()
    for _ in range(2):
        voice.go.release()

    assert await again == b"aabb"
    assert await said(speech, "a b") == b"aabb"
    assert len(voice.said) == 2


async def test_a_voice_that_fails_fails_for_all_callers_and_is_asked_again() -> None:
    voice = SlowVoice(fails_at="b")
    speech = CachedSpeech(voice)
    both = await asyncio.gather(said(speech, "a b"), said(speech, "a b"), return_exceptions=True)

    assert [type(each) for each in both] == [SpeechError, SpeechError]
    with pytest.raises(SpeechError, match="the voice is gone"):
        await said(speech, "a b")
    voice.fails_at = ""
    assert await said(speech, "a b") == b"aabb"


async def test_the_least_recently_used_text_is_removed_first() -> None:
    voice = SlowVoice()
    speech = CachedSpeech(voice, most_bytes=20)
    for text in ("aaaa", "bbbb", "aaaa", "cccc"):
        await said(speech, text)
    assert speech.kept_bytes == 16
    voice.said.clear()

    for text in ("aaaa", "cccc", "bbbb"):
        await said(speech, text)

    assert [text for text, _, _ in voice.said] == ["bbbb"]


@pytest.mark.parametrize("text", ["a" * 11, "a " * 20])
async def test_a_long_text_is_not_cached(text: str) -> None:
    voice = SlowVoice()
    speech = CachedSpeech(voice, most_bytes=20, longest=100)

    assert await said(speech, text) == await said(speech, text)
    assert (len(voice.said), speech.kept_bytes) == (2, 0)


async def test_an_answer_is_not_cached() -> None:
    speech = CachedSpeech(SlowVoice(), longest=5)

    await said(speech, "answer")

    assert speech.kept_bytes == 0

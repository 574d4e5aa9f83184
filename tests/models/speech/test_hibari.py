"""The embedded voice speaks immediately, off the loop, with the same sound each time, and downloads nothing."""

import asyncio
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.errors import DeclarationError, SpeechError
from assistant.models.speech.hibari import Hibari, portions
from assistant.speech_ports import Pcm


@dataclass(slots=True)
class Tone:
    """Says each text as 0.1 s between two silences, when it may; keeps how it was asked."""

    asked: list[tuple[str, float, int]] = field(default_factory=list[tuple[str, float, int]])
    threads: set[str] = field(default_factory=set[str])
    may: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None

    def __call__(self, text: str, *, speed: float, seed: int) -> NDArray[np.float32]:
        self.may.wait(5)
        self.asked.append((text, speed, seed))
        self.threads.add(threading.current_thread().name)
        if self.error is not None:
            raise self.error
        tone = np.full(2_400, 0.0 if text == "..." else 0.3)
        return np.concatenate([np.zeros(7_200), tone, np.zeros(12_000)]).astype(np.float32)


def voice(error: Exception | None = None) -> tuple[Hibari, Tone]:
    tone = Tone(error=error)
    tone.may.set()
    return Hibari(lambda: tone), tone


async def said(pieces: AsyncIterator[Pcm]) -> list[NDArray[np.int16]]:
    return [np.frombuffer(pcm, "<i2") async for pcm in pieces]


async def test_each_sentence_is_a_piece_made_in_one_thread() -> None:
    hibari, tone = voice()

    pieces = await said(hibari.speak("One moment. Let me see."))

    assert [text for text, _, _ in tone.asked] == ["One moment.", "Let me see."]
    assert len(pieces) == 2
    assert tone.threads == {"hibari_0"}
    assert (hibari.name, hibari.rate) == ("offline", 24_000)


async def test_leading_silence_is_removed_and_trailing_silence_is_short() -> None:
    hibari, _ = voice()

    (sentence,) = await said(hibari.speak("One moment."))
    (clause,) = await said(hibari.speak("One moment,"))
    (quick,) = await said(hibari.speak("One moment.", tempo=2.0))

    # 20 ms, the sound, and a breath that is shorter where the sentence goes on, or is said quickly.
    assert (sentence.size, clause.size, quick.size) == (
        480 + 2_400 + 6_000,
        480 + 2_400 + 2_880,
        480 + 2_400 + 3_000,
    )
    assert sentence[479] == 0
    assert sentence[480] == pytest.approx(0.6 * 32_767, abs=1)


async def test_a_text_without_sound_is_no_piece() -> None:
    hibari, tone = voice()

    assert await said(hibari.speak("...")) == []
    assert await said(hibari.speak("  ")) == []
    assert len(tone.asked) == 1


@pytest.mark.parametrize(("tempo", "speed"), [(0.1, 0.5), (0.5, 0.5), (1.25, 1.25), (9.0, 2.0)])
async def test_the_tempo_stays_within_the_voices_limits(tempo: float, speed: float) -> None:
    hibari, tone = voice()

    await said(hibari.speak("So", tempo=tempo, locale="de"))

    assert tone.asked == [("So", speed, 0)]


async def test_the_loop_is_not_blocked_and_a_cancelled_caller_does_not_wait() -> None:
    tone = Tone()
    hibari = Hibari(lambda: tone)
    leaves = asyncio.create_task(said(hibari.speak("One. Two. Three.")))
    late = asyncio.create_task(said(hibari.speak("Four.")))
    await asyncio.sleep(0)
    leaves.cancel()
    await asyncio.wait({leaves})
    tone.may.set()

    assert len(await late) == 1
    assert [text for text, _, _ in tone.asked] in (["One.", "Four."], ["Four."])


async def test_a_failure_is_reported_without_the_text() -> None:
    hibari, _ = voice(error=ValueError("Ana's secret"))

    with pytest.raises(SpeechError, match=r"^hibari failed with ValueError$"):
        await said(hibari.speak("Ana's secret"))
    with pytest.raises(SpeechError):
        await hibari.warm()


async def test_a_missing_package_is_reported_with_the_solution() -> None:
    def load() -> Tone:
        raise DeclarationError("pip install it")

    with pytest.raises(DeclarationError, match="pip install it"):
        await Hibari(load).warm()


def test_a_long_sentence_is_cut_at_natural_pauses() -> None:
    clause = "and that is one more clause of a sentence without an end"
    cut = list(portions(", ".join([clause] * 6) + "."))

    assert [part.count(clause) for part in cut] == [3, 3]
    assert cut[0].endswith(",")
    assert [len(part) for part in portions("a" * 500)] == [220, 220, 60]
    assert max(len(part) for part in portions("word " * 100)) <= 220
    assert list(portions(" \n ")) == []


@pytest.mark.slow
async def test_the_installed_voice_begins_quickly_and_always_sounds_the_same() -> None:
    hibari = Hibari()
    await hibari.warm()

    (first,) = await said(hibari.speak("One moment."))
    (again,) = await said(hibari.speak("One moment."))

    assert (first == again).all()
    loud = np.flatnonzero(np.abs(first) > 600)
    assert loud[0] < 0.06 * hibari.rate
    assert first.size - loud[-1] < 0.4 * hibari.rate
    assert 3_000 < np.abs(first).max() < 32_767


@pytest.mark.slow
def test_the_installed_voice_is_in_its_package() -> None:
    from hibari.voices import VOICES

    assert VOICES["heart"]["bundled"]
    assert VOICES["heart"]["file"] == "hibari.onnx"

"""Whisper with its real weights: sentences spoken by a machine, and other sounds."""

import asyncio
import re
from functools import cache

import numpy as np
import pytest

from assistant.clock import SystemClock
from assistant.models.speech.choose import WarmSpeechToText, choose_speech_to_text
from assistant.speech_ports import HEARD_RATE, Pcm
from tests.models.speech.synthesised import said_aloud

pytestmark = pytest.mark.slow  # it loads the weights, and each sentence takes a third of a second of a core

SENTENCES = (
    "When is my next appointment?",
    "I'd like to cancel order number 10482, please.",
    "Can you move my eye exam to Thursday?",
    "The lens I ordered three weeks ago has not arrived yet, and nobody has answered my letters.",
    "Yes, please do that.",
    "My order number is 20731 and the parcel never came.",
    "Is parking free in front of the shop?",
    "I was charged twice for the same order.",
)


@cache
def whisper() -> WarmSpeechToText:
    return choose_speech_to_text(
        "offline", clock=SystemClock(), jitter=lambda: 0.0, environ={}, whisper_dir=None, worker_slots=1
    )


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.casefold())


def pcm(samples: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Pcm:
    return np.clip(32_767 * samples, -32_768, 32_767).astype("<i2").tobytes()


@pytest.mark.parametrize("sentence", SENTENCES)
async def test_a_sentence_is_understood_word_by_word(sentence: str) -> None:
    heard = await whisper().transcribe(said_aloud(sentence))
    assert words(heard.text) == words(sentence)
    assert heard.likely > 0.7


async def test_dictated_digits_become_a_number() -> None:
    heard = await whisper().transcribe(said_aloud("My number is four six, seven zero, one two three."))
    assert re.sub(r"\D", "", heard.text) == "4670123"


@pytest.mark.parametrize("loudness", [0.003, 0.03, 0.1])
@pytest.mark.parametrize("kind", ["hiss", "hum", "beeps", "silence"])
async def test_other_sounds_have_no_text(kind: str, loudness: float) -> None:
    at = np.arange(2 * HEARD_RATE) / HEARD_RATE
    made = {
        "hiss": np.random.default_rng(0).normal(0, 1, len(at)),
        "hum": np.sin(2 * np.pi * 50 * at),
        "beeps": np.sin(2 * np.pi * 1_000 * at) * (at % 1 < 0.5),
        "silence": np.zeros(len(at)),
    }[kind]
    assert (await whisper().transcribe(pcm(loudness * made))).text == ""


async def test_a_long_story_is_transcribed_to_its_end() -> None:
    pause = bytes(HEARD_RATE)
    story = pause.join(said_aloud(sentence) for sentence in SENTENCES * 2)
    assert len(story) / 2 / HEARD_RATE > 45
    heard = words((await whisper().transcribe(story)).text)
    wanted = [word for sentence in SENTENCES * 2 for word in words(sentence)]
    assert len(heard) == pytest.approx(len(wanted), rel=0.08)
    assert heard[-4:] == wanted[-4:]


async def test_other_tasks_continue_while_it_transcribes() -> None:
    await whisper().warm()
    listening = asyncio.ensure_future(whisper().transcribe(said_aloud(SENTENCES[3])))
    turns = 0
    while not listening.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 30

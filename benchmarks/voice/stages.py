"""From the end of speech to the first sound of the answer, stage by stage; and what an acknowledgement costs.

Each question is asked in a new conversation on a real line, in real time. The floor is what nobody gets under who
waits as long for silence: the same utterance given to Whisper alone, and the answer's first words to hibari alone.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from assistant.conversation.customer import Customer
from assistant.conversation.values import JsonObject
from assistant.speech_ports import Pcm
from assistant.tools.registry import Tools
from assistant.tools.tool import ToolContext, ToolResult
from assistant.voice.endpointing import DEFAULT_ENDPOINTING
from assistant.voice.speech_chunker import SpeechChunker
from assistant.voice.text_normalization.normalize import normalize_for_speech
from assistant.voice.turn_progress import AnswerWaits
from benchmarks.fake_model import ANSWER, fake_model
from benchmarks.turn import WILLS, Engine, InstantTool, NoLog
from benchmarks.voice.call import Answered, Call
from benchmarks.voice.embedded import Embedded
from benchmarks.voice.figures import percentile, spread
from benchmarks.voice.speakers import said, speakers
from benchmarks.voice.spoken_clips import FINISHED

MODELS = {"fake-n7": 700, "fake-t300-i10-n7": 1_100}
"""A model that answers at once, and one whose first token takes 300 ms; and the aims, in ms at p95."""

TOOLS_TAKE_S = (0.7, 2.5)


class KnownWaits(AnswerWaits):
    """Expects every tool to take so long, whatever it takes."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds

    def expected_s(self, tools: Sequence[str]) -> float:
        return self._seconds


class SlowTool(InstantTool):
    """Answers after so many seconds."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name)
        self._seconds = seconds

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        await asyncio.sleep(self._seconds)
        return await super().run(arguments, customer=customer, context=context)


def engine(url: str, model: str, tools_take_s: float | None = None) -> Engine:
    """The product without its server; with no tools at all when they take None."""
    made = Engine(url, model, NoLog())
    named = () if tools_take_s is None else tuple(WILLS)
    made.deps = replace(made.deps, tools=Tools([SlowTool(name, tools_take_s or 0.0) for name in named]))
    return made


async def sentences() -> list[Pcm]:
    """What is asked: finished sentences, in both voices."""
    return [await said(text, speaker) for speaker in speakers() for text in FINISHED]


async def ask(models: Embedded, made: Engine, waits: AnswerWaits, sounds: Sequence[Pcm]) -> list[Answered]:
    """Each in a conversation of its own, one after the other; the first one, which warms, is left out."""
    rows: list[Answered] = []
    for sound in (sounds[0], *sounds):
        async with Call(made.open(), models.voice(waits)) as call:
            rows.append(await call.says(sound))
    await made.close()
    return rows[1:]


async def floor(models: Embedded, sounds: Sequence[Pcm]) -> list[float]:
    """The same by hand, in ms: the silence that ends a sentence, Whisper alone within it, and hibari alone."""
    pieces = SpeechChunker("en")
    first = [*pieces.push("".join(ANSWER)), *pieces.close()][0].text
    rows: list[float] = []
    for sound in sounds:
        began = time.perf_counter()
        await models.hearing.transcribe(sound)
        heard_s = max(
            DEFAULT_ENDPOINTING.finished_s, DEFAULT_ENDPOINTING.pause_s + time.perf_counter() - began
        )
        began = time.perf_counter()
        async for _ in models.speech.speak(normalize_for_speech(first)):
            break
        rows.append((heard_s + time.perf_counter() - began) * 1_000)
    return rows


async def stages(models: Embedded, url: str, sounds: Sequence[Pcm]) -> None:
    """How soon an answer is heard that needs no tools."""
    print(f"floor (silence, bare Whisper, bare hibari): {spread(await floor(models, sounds))}")
    for model, aim in MODELS.items():
        rows = await ask(models, engine(url, model), AnswerWaits(), sounds)
        print(f"{model}: end of speech to ...")
        for name, values in {
            "its transcript": [row.transcript_ms for row in rows],
            "the first text": [row.text_ms for row in rows],
            "the first sound": [row.audio_ms for row in rows],
        }.items():
            print(f"  {name:16} {spread(values)}")
        print(
            f"  of which text to sound {spread([row.fact_ms - row.text_ms for row in rows])}; aim p95 {aim} ms"
        )


async def facts(models: Embedded, url: str, sounds: Sequence[Pcm]) -> None:
    """How much later the first fact is heard because of an acknowledgement, and how soon the first words are."""
    for seconds in TOOLS_TAKE_S:
        found: dict[str, list[Answered]] = {}
        for name, waits in {
            "none": KnownWaits(0.0),
            "whole": KnownWaits(9.0),
            "usual": AnswerWaits(),
        }.items():
            found[name] = await ask(models, engine(url, "fake-t300-i10-n7", seconds), waits, sounds)
        print(f"tools take {seconds} s: end of speech to ...")
        for name, rows in found.items():
            print(f"  first words, acknowledgement {name:5} {spread([row.audio_ms for row in rows])}")
            print(f"  first fact,  acknowledgement {name:5} {spread([row.fact_ms for row in rows])}")
        # From the transcript on: what hearing took has nothing to do with it.
        later = [
            each.fact_ms - each.transcript_ms - without.fact_ms + without.transcript_ms
            for each, without in zip(found["whole"], found["none"], strict=True)
        ]
        p50, p95 = percentile(later, 50), percentile(later, 95)
        print(f"  the fact later by it: p50 {p50:.0f} ms, p95 {p95:.0f} ms; aim 300 ms")


async def measure(models: Embedded, most: int | None = None) -> None:
    """Print all of it; ``most``: so many questions only."""
    sounds = (await sentences())[:most]
    with fake_model() as url:
        await stages(models, url, sounds)
        await facts(models, url, sounds[:: max(1, len(sounds) // 10)])

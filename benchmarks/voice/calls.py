"""How many customers can speak at the same time on this machine.

Each of them asks one thing after the other and hears every answer out, with pauses in between: each speaks, listens
and is silent as people do. More of them come until the first sound of an answer takes too long for one in twenty.
Nobody's answer is remembered: every sound is made anew.
"""

import asyncio
import random
import time
from collections.abc import Sequence

import psutil

from assistant.speech_ports import Pcm
from benchmarks.fake_model import fake_model
from benchmarks.turn import Engine
from benchmarks.voice.call import Call
from benchmarks.voice.embedded import Embedded
from benchmarks.voice.figures import percentile, spread
from benchmarks.voice.stages import engine, sentences

CALLERS = (1, 2, 4, 8, 12, 16, 24)
ASKS = 8
AIM_MS = 1_200
MODEL = "fake-t300-i10-n7"
THINKS_S = (1.0, 5.0)


async def caller(models: Embedded, made: Engine, sounds: Sequence[Pcm], chance: random.Random) -> list[float]:
    """One customer's conversation: ms from the end of speech to the first sound, for each of their questions."""
    took: list[float] = []
    await asyncio.sleep(chance.uniform(0, THINKS_S[1]))
    async with Call(made.open(), models.voice()) as call:
        for _ in range(ASKS):
            await asyncio.sleep(chance.uniform(*THINKS_S))
            try:
                took.append((await call.says(chance.choice(sounds), hears_out=True)).audio_ms)
            except TimeoutError:
                took.append(float("inf"))
    return took


async def measure(models: Embedded, callers: Sequence[int] = CALLERS) -> None:
    """Print how late answers are with so many callers, up to the first number that is too many."""
    sounds = await sentences()
    with fake_model() as url:
        for number in callers:
            made, chance = engine(url, MODEL), random.Random(number)
            began, used = time.perf_counter(), psutil.Process().cpu_times()
            talks = [caller(models, made, sounds, random.Random(chance.random())) for _ in range(number)]
            rows = [ms for took in await asyncio.gather(*talks) for ms in took]
            now, seconds = psutil.Process().cpu_times(), time.perf_counter() - began
            cores = (now.user + now.system - used.user - used.system) / seconds
            print(f"{number:2} calls: end of speech to first sound {spread(rows)}; {cores:.2f} cores")
            await made.close()
            if not percentile(rows, 95) <= AIM_MS:
                break

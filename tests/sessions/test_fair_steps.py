"""While several tenants have work, each runs one step in a cycle of the loop."""

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

import pytest

from assistant.sessions.fair_steps import run_fairly


async def stepping(name: str, steps: int, order: list[str]) -> str:
    for _ in range(steps):
        order.append(name)
        await asyncio.sleep(0)
    return name


def of(tenant: str, work: Coroutine[Any, Any, str]) -> asyncio.Task[str]:
    return asyncio.create_task(run_fairly(tenant, lambda: work))


async def test_many_turns_of_one_tenant_take_one_step_for_each_of_another() -> None:
    order: list[str] = []
    quiet = of("quiet", stepping("q", 5, order))
    noisy = [of("noisy", stepping("n", 5, order)) for _ in range(40)]

    assert await quiet == "q"
    assert order.count("n") <= 8
    assert await asyncio.gather(*noisy) == ["n"] * 40
    assert order.count("n") == 200


async def test_after_a_long_step_the_others_have_as_much_time() -> None:
    order: list[str] = []

    async def busy() -> str:
        for _ in range(5):
            order.append("n")
            while time.perf_counter() < began + 0.02 * order.count("n"):
                pass
            await asyncio.sleep(0)
        return "n"

    quiet = of("quiet", stepping("q", 500, order))
    began = time.perf_counter()
    noisy = of("noisy", busy())
    await asyncio.wait({quiet, noisy})

    first, second = (
        place for place, name in enumerate(order) if name == "n" and order[:place].count("n") < 2
    )
    assert second - first > 20


async def test_a_tenant_alone_does_not_wait() -> None:
    order: list[str] = []
    cycles = 0

    async def count() -> None:
        nonlocal cycles
        while True:
            cycles += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await asyncio.gather(*(of("only", stepping("o", 5, order)) for _ in range(40)))
    counting.cancel()

    assert len(order) == 200
    assert cycles < 12


async def test_it_returns_and_raises_like_the_work() -> None:
    async def fails() -> str:
        await asyncio.sleep(0)
        raise LookupError("not there")

    order: list[str] = []
    other = of("other", stepping("o", 50, order))
    with pytest.raises(LookupError, match="not there"):
        await of("noisy", fails())
    assert await other == "o"


@pytest.mark.parametrize("after", [1, 2, 3, 4, 5])
async def test_the_work_is_cancelled_at_its_current_wait(after: int) -> None:
    ended: list[str] = []
    order: list[str] = []

    async def work(name: str) -> str:
        try:
            return await stepping(name, 100, order)
        except asyncio.CancelledError:
            ended.append(name)
            raise

    others = [of("noisy", stepping("n", 20, order)) for _ in range(5)]
    quiet = of("quiet", stepping("q", 30, order))
    cancelled = of("noisy", work("c"))
    while order.count("c") < 1:  # noqa: ASYNC110 - the steps are the time
        await asyncio.sleep(0)
    for _ in range(after):
        await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled

    assert ended == ["c"]
    assert await asyncio.gather(*others, quiet) == [*["n"] * 5, "q"]


async def test_a_time_limit_within_the_work_ends_it() -> None:
    async def waits() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "too late"
        return "never"

    order: list[str] = []
    other = of("other", stepping("o", 50, order))
    assert await of("noisy", waits()) == "too late"
    await other

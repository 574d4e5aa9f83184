"""No tool can hold a call longer than its time limit."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from threading import Event

import pytest

from assistant import tool
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.concurrency import (
    THREADS,
    NoThreadAvailable,
    ThreadPool,
    blocking_pool,
    call_function,
    run_with_timeout,
)
from assistant.tools.confirmation import call_confirm
from tests.tools.running.conftest import Runner

Lines = Callable[[], list[str]]


async def test_a_tool_that_takes_too_long_is_cancelled(run: Runner) -> None:
    cancelled: list[bool] = []

    @tool(waiting_hint="", timeout_s=3)
    async def look() -> None:
        """Look."""
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.append(True)

    outcome = await run(look)
    await asyncio.sleep(0)

    assert outcome == CallTimedOut(call=outcome.call, after_s=3)
    assert cancelled == [True]
    assert run.clock.monotonic() == 3


async def test_a_tool_that_ignores_a_cancellation_is_abandoned(run: Runner, lines: Lines) -> None:
    @tool(waiting_hint="", timeout_s=3)
    async def look() -> str:
        """Look."""
        while asyncio.get_running_loop().time() < 20:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                continue
        return "too late"

    outcome = await run(look)

    assert isinstance(outcome, CallTimedOut)
    assert run.clock.monotonic() == 3
    assert lines() == []
    await asyncio.sleep(30)
    (line,) = lines()
    assert "a tool returned too late; its result is dropped" in line
    assert "came='a result'" in line
    assert "info" in line


async def test_an_error_after_the_time_limit_is_dropped_too(run: Runner, lines: Lines) -> None:
    @tool(waiting_hint="", timeout_s=3)
    async def look() -> None:
        """Look."""
        try:
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(60)
            raise SystemExit

    assert isinstance(await run(look), CallTimedOut)
    assert run.clock.monotonic() == 3
    await asyncio.sleep(120)
    (line,) = lines()
    assert "came=SystemExit" in line


class JustOver(VirtualClock):
    """A clock on which time is up in the very moment in which the work is done."""

    @asynccontextmanager
    async def timeout(self, seconds: float | None) -> AsyncGenerator[None]:  # pyright: ignore[reportIncompatibleMethodOverride]
        yield
        raise TimeoutError


async def test_a_result_in_the_last_moment_counts() -> None:
    assert await run_with_timeout(3, asyncio.sleep(1, "done"), JustOver(), too_late=lambda _: None) == "done"


async def test_a_call_that_is_cancelled_cancels_its_tool(run: Runner) -> None:
    cancelled: list[bool] = []

    @tool(waiting_hint="")
    async def look() -> None:
        """Look."""
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.append(True)

    working = asyncio.ensure_future(run(look))
    await asyncio.sleep(1)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    await asyncio.sleep(0)

    assert cancelled == [True]


async def test_a_thread_that_never_ends_is_abandoned(run: Runner, lines: Lines) -> None:
    go_on = Event()

    @tool(waiting_hint="", timeout_s=0.3)
    def look() -> str:
        """Look."""
        go_on.wait()
        return "too late"

    @tool(waiting_hint="")
    def other() -> int:
        """Look elsewhere."""
        return 1

    try:
        outcome = await run(look)
        assert isinstance(outcome, CallTimedOut)
        assert isinstance(await run(other), CallSucceeded)
        assert lines() == []
    finally:
        go_on.set()
    async with asyncio.timeout(10):
        while not (late := lines()):  # noqa: ASYNC110 - a log line is no event
            await asyncio.sleep(0.01)
    assert "is dropped" in late[0]


async def test_work_that_waits_for_a_thread_does_not_delay_other_work() -> None:
    pool, go_on = ThreadPool(1), Event()
    held = asyncio.ensure_future(call_function(go_on.wait, {}, pool=pool))
    waiting = asyncio.ensure_future(call_function(lambda: 1, {}, pool=pool))

    async def look() -> int:
        return 2

    assert await call_function(look, {}, pool=pool) == 2
    assert not waiting.done()
    go_on.set()
    assert (await held, await waiting) == (True, 1)


async def test_when_every_thread_is_blocked_nothing_waits_for_one() -> None:
    pool, go_on = ThreadPool(2), Event()
    stuck = [asyncio.ensure_future(call_function(go_on.wait, {}, pool=pool)) for _ in range(2)]
    await _begun(pool, 2)
    for one in stuck:
        one.cancel()
    await asyncio.wait(stuck)

    with pytest.raises(NoThreadAvailable, match="All 2 threads are held by calls that did not end in time"):
        await call_function(lambda: 1, {}, pool=pool)

    go_on.set()
    await _begun(pool, 0)
    assert await call_function(lambda: 1, {}, pool=pool) == 1


async def test_a_job_without_a_caller_is_not_started() -> None:
    pool, go_on, begun = ThreadPool(1), Event(), list[int]()
    held = asyncio.ensure_future(call_function(go_on.wait, {}, pool=pool))
    await _begun(pool, 1)
    left = asyncio.ensure_future(call_function(lambda: begun.append(1), {}, pool=pool))
    to_the_end = asyncio.ensure_future(call_function(lambda: begun.append(2), {}, pool=pool, to_the_end=True))
    await asyncio.sleep(0)
    left.cancel()
    to_the_end.cancel()
    await asyncio.wait([left, to_the_end])
    go_on.set()
    await held

    assert await call_function(lambda: 3, {}, pool=pool) == 3
    assert (left.cancelled(), to_the_end.cancelled(), begun) == (True, True, [])


async def test_a_caller_who_waits_to_the_end_leaves_at_the_second_cancellation() -> None:
    pool, go_on = ThreadPool(1), Event()
    staying = asyncio.ensure_future(call_function(go_on.wait, {}, pool=pool, to_the_end=True))
    await _begun(pool, 1)
    staying.cancel()
    await asyncio.wait([staying], timeout=0.01)
    assert not staying.done()
    staying.cancel()
    await asyncio.wait([staying])
    go_on.set()

    assert staying.cancelled()


async def test_hanging_tools_take_no_thread_of_another_tenant(run: Runner) -> None:
    go_on, questions = Event(), list[str]()

    @tool(waiting_hint="", timeout_s=3_600)
    def hang() -> bool:
        """Wait in a thread."""
        return go_on.wait()

    def ask() -> str:
        questions.append("asked")
        return "look"

    @tool(waiting_hint="")
    def look() -> int:
        """Look in a thread."""
        return 7

    run.customer = replace(run.customer, tenant="noisy")
    hanging = [asyncio.ensure_future(run(hang)) for _ in range(THREADS + 1)]
    await _begun(blocking_pool("noisy"), THREADS)

    run.customer = replace(run.customer, tenant="quiet")
    outcome = await run(look)
    await call_confirm(ask, {}, run.customer)

    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == 7
    assert questions == ["asked"]
    assert not any(one.done() for one in hanging)  # the time of the noisy one's tools is not over, either
    go_on.set()
    await asyncio.gather(*hanging)


def test_a_pool_makes_no_more_threads_than_allowed() -> None:
    pool, go_on = ThreadPool(2), Event()
    running = [pool.submit(go_on.wait) for _ in range(5)]
    go_on.set()

    assert [one.result() for one in running] == [True] * 5
    assert pool._threads == 2
    assert pool.submit(max, 1, 2, key=abs).result() == 2


async def _begun(pool: ThreadPool, number: int) -> None:
    while len(pool._at_work) != number:  # noqa: ASYNC110 - threads set no event of the loop's
        await asyncio.sleep(0.001)


async def test_without_a_thread_the_call_fails_and_the_log_says_so(run: Runner, lines: Lines) -> None:
    @tool(waiting_hint="")
    async def look() -> None:
        """Look."""
        raise NoThreadAvailable(32)

    for _ in range(6):
        await run(look)
    outcome = await run(look)

    # That is no fault of the tool, however often it happens.
    assert outcome == CallFailed(
        call=outcome.call, say="I can't look that up at the moment", for_model=str(NoThreadAvailable(32))
    )
    assert "All 32 threads are held" in lines()[-1]


async def test_a_tool_may_see_its_own_tasks_cancelled_repeatedly(run: Runner) -> None:
    @tool(waiting_hint="")
    async def look() -> int:
        """Look."""
        seen = 0
        for _ in range(3):
            child = asyncio.ensure_future(asyncio.sleep(60))
            asyncio.get_running_loop().call_soon(child.cancel)
            try:
                await child
            except asyncio.CancelledError:
                seen += 1
            try:
                async with asyncio.timeout(1), asyncio.timeout(1):
                    await asyncio.sleep(60)
            except TimeoutError:
                seen += 1
        return seen

    outcome = await run(look)

    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == 6

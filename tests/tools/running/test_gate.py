"""A tool serves a limited number of calls at a time, and is not called for a while when it keeps failing."""

import asyncio
from asyncio import ensure_future, gather, sleep

import pytest

from assistant import ToolError, tool
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut, outcome_name
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.concurrency import ConcurrencyLimiter
from assistant.tools.tool import Tool
from tests.tools.running.conftest import Runner


def slow(max_concurrency: int | None, timeout_s: float = 10) -> Tool:
    """A tool that takes two seconds."""

    @tool(waiting_hint="", max_concurrency=max_concurrency, timeout_s=timeout_s)
    async def look() -> float:
        """Look."""
        began = asyncio.get_running_loop().time()
        await sleep(2)
        return began

    return look


async def test_further_calls_wait_in_order(run: Runner) -> None:
    look = slow(max_concurrency=2)
    outcomes = await gather(*(run(look) for _ in range(5)))

    assert [one.value for one in outcomes if isinstance(one, CallSucceeded)] == [0.0, 0.0, 2.0, 2.0, 4.0]


async def test_without_a_limit_all_calls_run_together(run: Runner) -> None:
    await gather(*(run(slow(max_concurrency=None)) for _ in range(9)))

    assert run.clock.monotonic() == 2


async def test_waiting_counts_and_a_call_that_waits_too_long_did_not_run(run: Runner) -> None:
    look = slow(max_concurrency=1, timeout_s=3)

    first, second, third = await gather(*(run(look) for _ in range(3)))

    assert isinstance(first, CallSucceeded)
    assert second == CallTimedOut(call=second.call, after_s=3)
    assert third == CallFailed(
        call=third.call,
        say="too many people are asking for that just now",
        for_model="Too many calls of 'look' are running: none ended in 3 s. It did not run.",
    )
    assert run.clock.monotonic() == 3


async def test_a_slot_is_in_use_until_the_work_has_really_ended(run: Runner) -> None:
    @tool(waiting_hint="", max_concurrency=1, timeout_s=1)
    async def look() -> None:
        """Look."""
        while run.clock.monotonic() < 5:
            try:
                await sleep(5)
            except asyncio.CancelledError:
                continue

    assert outcome_name(await run(look)) == "timed_out"
    assert outcome_name(await run(look)) == "failed"
    await sleep(10)
    assert outcome_name(await run(look)) == "empty"


async def test_a_caller_who_leaves_the_queue_gives_up_its_place() -> None:
    gate = ConcurrencyLimiter("look", VirtualClock())
    assert gate.try_acquire(1)
    leaving, staying = ensure_future(gate.acquire()), ensure_future(gate.acquire())
    await sleep(0)
    leaving.cancel()
    await asyncio.wait([leaving])
    gate.release()
    await staying
    gate.release()

    assert gate.try_acquire(1)
    assert not gate.try_acquire(1)


@pytest.mark.parametrize("hand_over_first", [True, False])
async def test_a_slot_for_a_call_that_just_left_goes_to_the_next(
    hand_over_first: bool,
) -> None:
    gate = ConcurrencyLimiter("look", VirtualClock())
    assert gate.try_acquire(1)
    leaving, staying = ensure_future(gate.acquire()), ensure_future(gate.acquire())
    await sleep(0)
    steps = [gate.release, leaving.cancel]
    for step in steps if hand_over_first else reversed(steps):
        step()

    await staying
    assert leaving.cancelled()
    gate.release()
    assert gate.try_acquire(1)


class Service:
    """What a tool asks, and how often it was."""

    def __init__(self) -> None:
        self.error: BaseException | None = OSError()
        self.asked = 0

    def tool(self, max_concurrency: int | None = None) -> Tool:
        @tool(waiting_hint="", timeout_s=5, max_concurrency=max_concurrency)
        async def look() -> str:
            """Look."""
            self.asked += 1
            if isinstance(self.error, asyncio.TimeoutError):
                await sleep(60)
            if self.error is not None:
                raise self.error
            return "there"

        return look


@pytest.mark.parametrize(
    "error", [OSError(), TimeoutError(), ToolError("not now", temporary=True), SystemExit()]
)
async def test_after_five_failures_in_a_row_it_is_not_called_for_a_while(
    run: Runner, error: BaseException
) -> None:
    service = Service()
    service.error = error
    for _ in range(5):
        await run(service.tool())
    outcome = await run(service.tool())

    assert outcome == CallFailed(
        call=outcome.call,
        say="that service isn't answering at the moment",
        for_model="The service behind 'look' is not answering: tool 'look' is left alone for 15 s after 5 failures"
        " in a row. It did not run; do not call it again now.",
    )
    assert service.asked == 5
    service.error = None
    await sleep(15)
    # Made anew, as by an edit of its file: what is known of it stays.
    assert isinstance(await run(service.tool()), CallSucceeded)
    assert isinstance(await run(service.tool()), CallSucceeded)


@pytest.mark.parametrize("error", [ToolError("there is no such order"), asyncio.CancelledError()])
async def test_a_refusal_shows_that_the_tool_works(run: Runner, error: BaseException) -> None:
    service = Service()
    service.error = error
    for _ in range(9):
        await run(service.tool())

    assert service.asked == 9


async def test_one_caller_alone_tries_again(run: Runner) -> None:
    service = Service()
    for _ in range(5):
        await run(service.tool())
    service.error = TimeoutError()
    await sleep(15)

    outcomes = await gather(run(service.tool()), run(service.tool()))

    assert [outcome_name(one) for one in outcomes] == ["timed_out", "failed"]
    assert service.asked == 6


async def test_a_cancelled_attempt_leaves_the_next_one_to_another_caller(run: Runner) -> None:
    service = Service()
    for _ in range(5):
        await run(service.tool())
    service.error = TimeoutError()
    await sleep(15)
    trying = ensure_future(run(service.tool()))
    await sleep(1)
    trying.cancel()
    await asyncio.wait([trying])
    service.error = None

    assert isinstance(await run(service.tool()), CallSucceeded)


async def test_a_call_that_waits_when_the_circuit_opens_does_not_run(run: Runner) -> None:
    service = Service()
    service.error = TimeoutError()
    for _ in range(4):
        await run(service.tool())

    first = ensure_future(run(service.tool(max_concurrency=1)))
    await sleep(1)
    waiting = ensure_future(run(service.tool(max_concurrency=1)))

    assert [outcome_name(await one) for one in (first, waiting)] == ["timed_out", "failed"]
    assert service.asked == 5
    assert run.gates.for_tool("look").try_acquire(1)

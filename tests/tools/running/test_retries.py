"""Temporary failures are retried, within the time of the call and with one key."""

import asyncio
from collections.abc import Callable
from itertools import pairwise

import pytest

from assistant import ToolContext, ToolError, tool
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut
from assistant.errors import BadArguments
from assistant.tools.tool import Tool
from tests.tools.running.conftest import Runner

Lines = Callable[[], list[str]]
Tries = list[tuple[float, int, str]]


def failing(
    *errors: BaseException, retries: int = 3, timeout_s: float = 10, writes: bool = False
) -> tuple[Tool, Tries]:
    """A tool that raises these, one after the other, and then works; and when it was tried, with what key."""
    tries: Tries = []
    left = list(errors)

    @tool(
        waiting_hint="",
        retries=retries,
        timeout_s=timeout_s,
        effect="write" if writes else "read",
        idempotent=writes,
    )
    async def look(context: ToolContext) -> str:
        """Look."""
        tries.append((asyncio.get_running_loop().time(), context.attempt, context.key))
        if left:
            raise left.pop(0)
        return "done"

    return look, tries


@pytest.mark.parametrize("writes", [False, True])
async def test_an_error_is_retried_with_growing_pauses_and_the_same_key(
    run: Runner, lines: Lines, writes: bool
) -> None:
    look, tries = failing(ConnectionError(), OSError(), ToolError("busy", temporary=True), writes=writes)

    assert isinstance(await run(look), CallSucceeded)
    assert tries == [(0.0, 1, "key-1"), (0.25, 2, "key-1"), (0.75, 3, "key-1"), (1.75, 4, "key-1")]
    assert ["tool is tried again" in line for line in lines()] == [True] * 3


async def test_pauses_vary_with_the_jitter(run: Runner) -> None:
    run.jitter = 0.0
    look, tries = failing(ConnectionError(), OSError())

    await run(look)

    assert [at for at, _, _ in tries] == [0.0, 0.125, 0.375]


async def test_the_last_failure_is_the_outcome(run: Runner) -> None:
    look, tries = failing(OSError(), ToolError("not now", temporary=True), retries=1)

    outcome = await run(look)

    assert outcome == CallFailed(call=outcome.call, say="not now", for_model="not now")
    assert len(tries) == 2


@pytest.mark.parametrize(
    "error", [ToolError("no"), BadArguments("look", ["no"]), SystemExit(), asyncio.CancelledError()]
)
async def test_a_permanent_failure_is_not_retried(run: Runner, error: BaseException) -> None:
    look, tries = failing(error)

    assert not isinstance(await run(look), CallSucceeded)
    assert len(tries) == 1


async def test_a_result_that_cannot_be_stored_is_not_requested_again(run: Runner) -> None:
    tries: list[int] = []

    @tool(waiting_hint="", retries=3)
    async def look() -> object:
        """Look."""
        tries.append(1)
        return object()

    assert isinstance(await run(look), CallFailed)
    assert tries == [1]


async def test_no_pause_begins_that_exceeds_the_time(run: Runner) -> None:
    look, tries = failing(*[OSError()] * 9, retries=5, timeout_s=1)

    outcome = await run(look)

    assert isinstance(outcome, CallFailed)
    assert [at for at, _, _ in tries] == [0.0, 0.25, 0.75]
    assert run.clock.monotonic() == 0.75


async def test_all_attempts_share_the_time_of_the_call(run: Runner) -> None:
    tries: list[float] = []

    @tool(waiting_hint="", retries=5, timeout_s=3)
    async def look() -> None:
        """Look."""
        tries.append(run.clock.monotonic())
        await asyncio.sleep(1)
        raise OSError

    assert isinstance(await run(look), CallTimedOut)
    assert (tries, run.clock.monotonic()) == ([0.0, 1.25, 2.75], 3)


async def test_a_tool_that_ignores_its_timeout_is_not_retried(run: Runner) -> None:
    tries: list[int] = []

    @tool(waiting_hint="", retries=5)
    async def look() -> None:
        """Look."""
        tries.append(1)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError as stopped:
            raise OSError from stopped

    working = asyncio.ensure_future(run(look))
    await asyncio.sleep(1)
    working.cancel()
    await asyncio.wait([working])
    await asyncio.sleep(60)

    assert tries == [1]


async def test_a_write_is_not_repeated_unless_it_may_be(run: Runner) -> None:
    from dataclasses import replace

    look, tries = failing(OSError(), writes=True)
    unsafe = replace(look, spec=replace(look.spec, idempotent=False))  # pyright: ignore[reportArgumentType, reportCallIssue, reportUnknownVariableType]

    assert isinstance(await run(unsafe), CallFailed)  # pyright: ignore[reportUnknownArgumentType]
    assert len(tries) == 1


async def test_a_tool_without_retries_is_tried_once(run: Runner) -> None:
    look, tries = failing(OSError(), retries=0)

    assert isinstance(await run(look), CallFailed)
    assert tries == [(0.0, 1, "key-1")]


@pytest.mark.parametrize(
    ("asked", "pauses"),
    [(3.0, [3.25]), (0.5, [0.75]), (None, [0.25]), (float("nan"), [0.25]), (-1.0, [0.25]), ("3", [0.25])],
)
async def test_a_service_that_asks_for_a_pause_gets_it(
    run: Runner, asked: object, pauses: list[float]
) -> None:
    begun: list[float] = []

    @tool(waiting_hint="", retries=1, timeout_s=10)
    async def look() -> str:
        """Look."""
        begun.append(run.clock.monotonic())
        if len(begun) == 1:
            raise ToolError("busy", temporary=True, retry_after_s=asked)  # pyright: ignore[reportArgumentType]
        return "there"

    outcome = await run(look)

    assert isinstance(outcome, CallSucceeded)
    assert [later - before for before, later in pairwise(begun)] == pauses


async def test_a_service_that_asks_for_too_long_a_pause_is_not_asked_again(run: Runner) -> None:
    begun: list[float] = []

    @tool(waiting_hint="", retries=3, timeout_s=10)
    async def look() -> str:
        """Look."""
        begun.append(run.clock.monotonic())
        raise ToolError("busy", temporary=True, retry_after_s=30)

    outcome = await run(look)

    assert isinstance(outcome, CallFailed)
    assert outcome.say == "busy"
    assert len(begun) == 1

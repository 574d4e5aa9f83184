"""The error boundary applies to every tool, not only to decorated ones, and before and after a call."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

import pytest
import structlog
from pydantic import AfterValidator

from assistant import tool
from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.prompts.book import shipped_book
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.tools.concurrency import ThreadJob
from assistant.tools.execute import prepare, read_back, run_call
from assistant.tools.registry import Tools
from assistant.tools.tool import PreparedCall
from tests.tools.conftest import ANA, CONTEXT
from tests.tools.running.conftest import Runner

Lines = Callable[[], list[str]]


async def test_a_tool_of_another_kind_has_the_same_boundary(run: Runner, lines: Lines) -> None:
    def fake(value: object) -> FakeTool:
        return FakeTool(fake_spec("look", "looking", "look"), Gives(value), run.clock)  # pyright: ignore[reportArgumentType]

    some, none, bad = [await run(fake(value)) for value in ([float("nan")], "", {"a": object()})]

    assert isinstance(some, CallSucceeded)
    assert some.value == [None]
    assert isinstance(none, CallEmpty)
    assert isinstance(bad, CallFailed)
    assert "numbers that are not finite became null" in lines()[0]


async def test_a_call_may_run_without_shared_limiters(run: Runner) -> None:
    fake = FakeTool(fake_spec("look", "looking", "look"), Gives(1), run.clock)
    ready = PreparedCall(Call(id="c1.1", tool="look"), fake, {})

    outcome = await run_call(ready, customer=ANA, context=CONTEXT, timeout_s=3, clock=run.clock)

    assert isinstance(outcome, CallSucceeded)


def _odd(number: int) -> int:
    raise RuntimeError("a check with a bug")


def test_a_type_that_fails_in_its_check_fails_its_call() -> None:
    @tool(waiting_hint="")
    def look(number: Annotated[int, AfterValidator(_odd)]) -> None:
        """Look.

        Args:
            number: which.
        """

    call = Call(id="c1.1", tool="look", arguments={"number": 1})
    outcome = prepare(call, Tools([look]), ANA)

    assert outcome == CallFailed(
        call=call, say="that did not work", for_model="RuntimeError inside the tool."
    )


async def _asked(
    run: Runner, clause: Callable[..., object], *, timed: bool = True
) -> str | CallFailed | None:
    @tool(waiting_hint="", effect="write", confirm=clause, timeout_s=2)  # pyright: ignore[reportArgumentType]
    def send() -> None:
        """Send."""

    ready = PreparedCall(Call(id="c1.1", tool="send"), send, {})
    return await read_back(ready, ANA, shipped_book(), run.clock if timed else None)


async def _forever() -> str:
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
            return ""


def _broken() -> str:
    raise OSError


async def test_a_question_that_takes_too_long_to_make_is_a_failure(run: Runner) -> None:
    outcome = await _asked(run, _forever)

    assert outcome == CallFailed(
        call=Call(id="c1.1", tool="send"),
        say="that did not work",
        for_model="The wording of its question took too long.",
    )
    assert run.clock.monotonic() == 2


@pytest.mark.parametrize("timed", [True, False])
async def test_a_question_is_made_or_fails(run: Runner, timed: bool) -> None:
    assert await _asked(run, lambda: "send it", timed=timed) == "send it"
    broken = await _asked(run, _broken, timed=timed)
    assert isinstance(broken, CallFailed)
    assert broken.for_model == "OSError inside the tool."


def test_abandoned_work_does_nothing_later() -> None:
    done: list[int] = []
    work = ThreadJob(lambda: done.append(1))

    assert work.abandon() is False
    assert work() is None
    assert done == []


async def test_an_error_that_cannot_be_logged_is_logged_by_its_name(run: Runner, lines: Lines) -> None:
    def no_tracebacks(_: object, __: str, line: dict[str, object]) -> dict[str, object]:
        if "exc_info" in line:
            raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")
        return line

    structlog.configure(processors=[no_tracebacks, structlog.dev.ConsoleRenderer(colors=False)])  # pyright: ignore[reportArgumentType]

    @tool(waiting_hint="")
    def look() -> None:
        """Look."""
        raise KeyError("\ud800")

    outcome: Outcome = await run(look)

    assert isinstance(outcome, CallFailed)
    (line,) = lines()
    assert "tool raised" in line
    assert "error=KeyError" in line


async def test_work_that_is_done_during_a_cancellation_frees_its_slot(run: Runner) -> None:
    fake = FakeTool(replace(fake_spec("look", "looking", "look"), max_concurrency=1), Gives(1), run.clock)
    for steps in range(8):
        working = asyncio.ensure_future(run(fake))
        for _ in range(steps):
            await asyncio.sleep(0)
        working.cancel()
        await asyncio.wait([working])
        await asyncio.sleep(0)

    assert run.gates.for_tool("look").try_acquire(1)


async def test_a_tool_can_catch_errors_in_the_work_it_waits_for(run: Runner) -> None:
    @tool(waiting_hint="")
    async def look() -> str:
        """Look."""
        asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_soon(asked.set_exception, ConnectionRefusedError("no line"))
        try:
            return await asked
        except ConnectionRefusedError:
            return "the other way"

    outcome = await run(look)

    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == "the other way"

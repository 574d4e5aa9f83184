"""A side effect whose end was not seen: the tool itself can tell the outcome."""

import asyncio
from collections.abc import Callable

import pytest

from assistant import Customer, ToolContext, ToolError, ToolResult, tool
from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallFailed, CallSucceeded, CallTimedOut, outcome_name
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.tools.decorator import DeclaredTool
from assistant.tools.reconcile import reconcile
from assistant.tools.tool import PreparedCall
from tests.tools.conftest import ANA, CONTEXT
from tests.tools.running.conftest import Runner

Lines = Callable[[], list[str]]


def sending(check: Callable[..., object], breaks: BaseException | None = None) -> DeclaredTool[..., object]:
    """A tool that never sees its own end, or that breaks off."""

    @tool(waiting_hint="", effect="write", reconcile=check, timeout_s=3)
    async def send(day: int, note: str = "") -> None:
        """Send.

        Args:
            day: when.
            note: what else.
        """
        if breaks is not None:
            raise breaks
        await asyncio.sleep(60)

    assert send.mistakes == ()
    return send  # pyright: ignore[reportReturnType]


def by_key(context: ToolContext, customer: Customer, day: int) -> str:
    return f"{context.key} for {customer.id} on {day}"


def an_empty_list() -> list[str]:
    return []


def by_day(day: int, optional: int = 3) -> int:
    return day + optional


async def by_everything(**all_of_it: object) -> ToolResult[object]:
    return ToolResult(all_of_it)


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (by_key, "key-1 for ana on 4"),
        (by_everything, {"day": 4, "note": ""}),
        (lambda: 0, 0),
        (by_day, 7),
        (an_empty_list, []),
    ],
)
async def test_a_write_that_took_too_long_and_was_done_has_succeeded(
    run: Runner, check: Callable[..., object], value: object
) -> None:
    outcome = await run(sending(check), day=4)

    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == value


async def test_a_write_that_broke_off_and_was_done_has_succeeded(run: Runner) -> None:
    assert isinstance(await run(sending(lambda: "sent", ConnectionError()), day=4), CallSucceeded)


async def test_a_refusal_is_not_reconciled(run: Runner) -> None:
    asked: list[int] = []
    outcome = await run(sending(lambda: asked.append(1), ToolError("no")), day=4)

    assert (outcome_name(outcome), asked) == ("failed", [])


async def test_a_write_that_was_not_done_keeps_its_outcome(run: Runner) -> None:
    outcome = await run(sending(lambda: None), day=4)
    broken = await run(sending(lambda: None, OSError()), day=4)

    assert outcome == CallTimedOut(call=outcome.call, after_s=3)
    assert outcome_name(broken) == "failed"


def raises() -> None:
    raise OSError


async def hangs() -> None:
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
            return


def gives_no_json() -> object:
    return {"secret": object()}


@pytest.mark.parametrize(
    ("check", "why"),
    [(raises, "OSError"), (hangs, "TimeoutError"), (gives_no_json, "NotSerializable")],
)
async def test_a_check_that_cannot_tell_changes_nothing(
    run: Runner, lines: Lines, check: Callable[..., object], why: str
) -> None:
    outcome = await run(sending(check), day=4)

    assert isinstance(outcome, CallTimedOut)
    (line,) = (line for line in lines() if "could not tell" in line)
    assert f"why={why}" in line
    assert run.clock.monotonic() <= 3 + 5


def left_over(tool: DeclaredTool[..., object]) -> PreparedCall:
    return PreparedCall(
        Call(id="c1.1", tool=tool.spec.name, arguments={"day": 4}), tool, {"day": 4, "note": ""}
    )


async def test_after_a_crash_the_outcome_is_found(run: Runner) -> None:
    async def found(check: Callable[..., object]) -> object:
        return await reconcile(left_over(sending(check)), customer=ANA, context=CONTEXT, clock=run.clock)

    done, not_done, unknown = [await found(check) for check in (by_key, lambda: None, raises)]

    assert isinstance(done, CallSucceeded)
    assert done.value == "key-1 for ana on 4"
    assert isinstance(not_done, CallFailed)
    assert not_done.say == "that did not go through"
    assert unknown is None


async def test_a_tool_without_a_check_cannot_tell(run: Runner) -> None:
    fake = FakeTool(fake_spec("send", "sending it", "send it", effect="write"), Gives(None), run.clock)
    ready = PreparedCall(Call(id="c1.1", tool="send"), fake, {})

    assert await reconcile(ready, customer=ANA, context=CONTEXT, clock=run.clock) is None


async def test_a_check_with_an_invalid_result_tells_nothing(run: Runner, lines: Lines) -> None:
    def far_too_much() -> str:
        return "x" * 1_000_000

    outcome = await run(sending(far_too_much), day=4)

    assert isinstance(outcome, CallTimedOut)
    assert any("why=ResultTooLarge" in line for line in lines())

"""Calls to a real server, over its standard input and output and over HTTP."""

import asyncio
import socket
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from assistant.conversation.outcomes import Media
from assistant.errors import ToolError
from assistant.mcp.config import HttpTransport
from assistant.telemetry.context import begin_call, begin_work, traceparent
from assistant.tools.http.config import AuthSection
from assistant.tools.tool import ToolResult
from tests.mcp.conftest import Kept, child, keeping, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

OURS = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "CRM_TOKEN": "s3cret", "OPENAI_API_KEY": "sk-1"}  # noqa: S108


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stdio() -> AsyncIterator[Kept]:
    """The shop's server as a process of ours."""
    async with keeping(child("shop.py", env=("CRM_TOKEN",), REGION="eu"), environment=OURS) as kept:
        yield kept


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def http() -> AsyncIterator[Kept]:
    """The same at an address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    reach = child("shop.py", str(port))
    process = await asyncio.create_subprocess_exec(reach.command, *reach.args, stderr=DEVNULL)
    try:
        await until(lambda: is_open(port))
        address = HttpTransport(url=f"http://127.0.0.1:{port}/mcp", auth=AuthSection(bearer="CRM_TOKEN"))
        async with keeping(address, environment=OURS) as kept:
            yield kept
    finally:
        process.terminate()
        await process.wait()


def is_open(port: int) -> bool:
    with socket.socket() as trying:
        return trying.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(params=["stdio", "http"])
def shop(request: pytest.FixtureRequest) -> Kept:
    """The shop's server, in both ways."""
    return request.getfixturevalue(request.param)


async def test_a_server_learns_which_trace_its_call_belongs_to(shop: Kept) -> None:
    untraced = await shop.does("traceparent")

    async def traced_call() -> tuple[ToolResult, str | None]:
        begin_work("shop", "c-1", "t1", share=1.0)
        begin_call("t1", "c1.1")
        return await shop.does("traceparent"), traceparent()

    traced, expected = await asyncio.create_task(traced_call())

    assert untraced == ToolResult("None")
    assert expected is not None
    assert traced == ToolResult(expected)


async def test_structured_content_is_the_value(shop: Kept) -> None:
    assert await shop.does("get_order_status", order="7") == ToolResult({"order": "7", "status": "sent"})


async def test_an_object_that_only_wraps_a_value_is_unwrapped(
    shop: Kept,
) -> None:
    assert await shop.does("find_orders", customer="ana") == ToolResult(["A1", "A2"])
    assert await shop.does("find_orders", customer="new") == ToolResult([])


async def test_texts_are_joined_and_pictures_are_added(shop: Kept) -> None:
    assert await shop.does("draw", size=3) == ToolResult("a drawing", (Media(mime="image/png", data="eHh4"),))


async def test_a_picture_that_is_too_large_is_left_out(shop: Kept) -> None:
    assert await shop.does("draw", size=8_500_000) == ToolResult("a drawing")


async def test_a_picture_that_a_phone_takes_is_accepted(shop: Kept) -> None:
    result = await shop.does("draw", size=8_000_000)

    assert [len(picture.data) for picture in result.media] == [10_666_668]


async def test_an_answer_that_is_too_large_is_not_read(shop: Kept) -> None:
    with pytest.raises(ToolError, match="there is more than I can look through at once") as failed:
        await shop.does("much", length=5_000_000)

    assert "(5000000 characters) has more than 128000 bytes as JSON" in failed.value.for_model


async def test_a_failing_tool_tells_the_model_why_and_the_customer_nothing(
    shop: Kept,
) -> None:
    with pytest.raises(ToolError, match="that did not work") as failed:
        await shop.does("get_order_status", order="0")

    assert "there is no order 0" in failed.value.for_model


async def test_calls_to_one_server_run_at_the_same_time(shop: Kept) -> None:
    async with asyncio.timeout(9):  # one after the other they take ten seconds
        waits = [shop.does("wait", seconds=0.5) for _ in range(20)]
        assert await asyncio.gather(*waits) == [ToolResult("waited")] * 20


async def test_an_abandoned_call_is_cancelled_at_the_server(shop: Kept, tmp_path: Path) -> None:
    note = tmp_path / "note"
    waiting = asyncio.ensure_future(shop.does("wait", seconds=300, note=str(note)))
    await until(lambda: note.exists() and note.read_text(encoding="utf-8") == "begun")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    await until(lambda: note.read_text(encoding="utf-8") == "cancelled")
    assert await shop.does("wait", seconds=0) == ToolResult("waited")


async def test_an_endless_answer_affects_only_its_call(shop: Kept) -> None:
    hanging = asyncio.ensure_future(shop.does("much", length=13_000_000))
    assert await shop.does("find_orders", customer="new") == ToolResult([])

    done, _ = await asyncio.wait({hanging}, timeout=1)
    if done:
        with pytest.raises(ToolError):
            hanging.result()
    hanging.cancel()
    await until(lambda: shop.server.away is None)
    assert await shop.does("find_orders", customer="new") == ToolResult([])


async def test_a_process_gets_few_of_our_environment_variables(stdio: Kept) -> None:
    names = await stdio.does("environment")

    assert isinstance(names.value, list)
    assert {"CRM_TOKEN", "HOME", "PATH", "REGION"} <= set(names.value)
    assert "OPENAI_API_KEY" not in names.value

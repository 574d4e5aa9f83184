"""Servers that misbehave affect only their own calls."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.errors import ToolError
from assistant.mcp.config import ProcessTransport
from assistant.tools.tool import ToolResult
from tests.mcp.conftest import SERVERS, child, keeping, until

pytestmark = pytest.mark.slow


async def told(news: list[str], number: int) -> list[str]:
    """The first news items, as soon as there are this many."""
    await until(lambda: len(news) >= number)
    return news[:number]


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(")")[1].split()[0] != "Z"


async def ended(pids: list[int]) -> None:
    """Wait until none of these processes is there any more."""
    await until(lambda: not any(is_there(pid) for pid in pids))


async def test_an_invalid_message_is_ignored() -> None:
    with capture_logs() as logged:
        async with keeping(child("rogue.py", "garbage")) as kept:
            assert [await kept.does("ping") for _ in range(2)] == [ToolResult("pong")] * 2

    events = [line["event"] for line in logged]
    assert "mcp server said something that is no message" in events
    assert "mcp server said too much at once" in events


async def test_stderr_is_logged_partly_and_without_secrets() -> None:
    with capture_logs() as logged:
        async with keeping(
            child("rogue.py", "noisy", env=("CRM_TOKEN",)), environment={"CRM_TOKEN": "s3cret"}
        ) as kept:
            assert await kept.does("ping") == ToolResult("pong")

    said = [line for line in logged if line["event"] == "mcp server says"]
    assert len(said) == 20
    assert said[0]["line"].startswith("0: *** yyy")
    assert len(said[0]["line"]) == 300
    assert "s3cret" not in str(logged)
    assert logged[-1]["event"] == "mcp server said more"
    assert logged[-1]["lines"] > 4000


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("exits", "its last words: ModuleNotFoundError: no crm here"),
        ("silent", "has not answered the greeting after 0.5 s"),
        ("senseless", "does not answer the greeting"),
        ("endless", "has more than 20 pages of tools"),
        ("listless", "does not say what it offers: no list today"),
    ],
)
async def test_an_unusable_server_fails_its_calls_with_a_reason(how: str, why: str) -> None:
    async with keeping(child("rogue.py", "good")) as good:
        approved = good.offered
    async with keeping(child("rogue.py", how), start_s=0.5, approved=False) as kept:
        kept.offered = approved
        with pytest.raises(ToolError, match="I can't reach that service just now"):
            await kept.does("ping")
        (first,) = await told(kept.news, 1)

    assert first.startswith("shop cannot be used: ")
    assert why in first


@pytest.mark.parametrize(
    ("reach", "why"),
    [
        (
            ProcessTransport(command="/no/such/crm", folder=SERVERS),
            "cannot be started: '/no/such/crm': No such file",
        ),
        (ProcessTransport(command=sys.executable, folder=Path("/no/such/folder")), "No such file"),
        (
            ProcessTransport(command="nul\0", folder=SERVERS),
            "cannot be started: 'nul\\x00': embedded null byte",
        ),
        (child("rogue.py", env=("CRM_TOKEN",)), "needs CRM_TOKEN; set it in the environment or in .env"),
    ],
)
async def test_a_server_that_cannot_start_is_reported_with_the_solution(
    reach: ProcessTransport, why: str
) -> None:
    async with keeping(reach, approved=False) as kept:
        (first,) = await told(kept.news, 1)
        assert kept.server.away is not None

    assert why in first


async def test_a_server_that_dies_in_a_call_restarts_and_nothing_is_guessed() -> None:
    async with keeping(child("rogue.py", "mid-call")) as kept:
        with pytest.raises(ToolError, match="I can't reach that service just now"):
            await kept.does("ping")
        assert await told(kept.news, 2) == [
            "shop cannot be used: has ended; its last words: the disk is full",
            "shop is back",
        ]

        with pytest.raises(ToolError, match="so I can't say whether it was done"):
            await kept.does("ping", effect="write")


async def test_a_server_that_does_not_read_blocks_no_caller() -> None:
    async with keeping(child("rogue.py", "deaf")) as kept:
        began = asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await asyncio.gather(*(kept.does("ping", note="x" * 100_000) for _ in range(40)))
        assert asyncio.get_running_loop().time() - began < 2


async def test_an_answer_that_makes_no_sense_and_a_refusal_are_failures() -> None:
    async with keeping(child("rogue.py", "odd")) as odd, keeping(child("rogue.py", "refuses")) as refuses:
        with pytest.raises(ToolError, match="what came back makes no sense"):
            await odd.does("ping")
        with pytest.raises(ToolError, match="that did not work") as refused:
            await refuses.does("ping")

    assert refused.value.for_model == "no such tool"


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("huge", "longer than 12000000 bytes"),
        ("huge-last", "longer than 12000000 bytes"),
        ("deep", "recursion limit exceeded"),
        ("surrogate", "hex escape"),
        ("bytes", "unicode"),
    ],
)
async def test_an_unreadable_answer_fails_its_call_immediately(how: str, why: str) -> None:
    async with keeping(child("rogue.py", how)) as kept:
        began = asyncio.get_running_loop().time()
        with pytest.raises(ToolError, match="that did not work") as failed:
            await kept.does("ping")
        with pytest.raises(ToolError, match="so I can't say whether it was done"):
            await kept.does("ping", effect="write")
        assert (
            asyncio.get_running_loop().time() - began < 4
        )  # far from any tool's time-out, on a busy machine
        assert await kept.does("ping", note="again") == ToolResult("pong")

    assert failed.value.for_model is not None
    assert why in failed.value.for_model


async def test_an_unusable_tool_is_left_out_and_the_others_work() -> None:
    with capture_logs() as logged:
        async with keeping(child("rogue.py", "unfit")) as kept:
            left_out = await kept.server.left_out()
            assert await kept.does("ping") == ToolResult("pong")

    assert list(kept.offered) == ["ping"]
    assert left_out == {
        "no_schema": "inputSchema: Field required",
        "strange": "inputSchema.type: Input should be 'object'",
        "7": "name: Input should be a valid string",
    }
    assert [line["tool"] for line in logged if line["event"] == "mcp tool is left out"] == [*left_out]


async def test_a_server_with_only_the_newest_protocol_is_used_with_it() -> None:
    async with keeping(child("rogue.py", "modern")) as kept:
        assert await kept.does("ping") == ToolResult("pong")


@pytest.mark.parametrize("how", ["stubborn", "parent"])
async def test_no_process_is_left_behind(how: str, tmp_path: Path) -> None:
    note = tmp_path / "pids"
    async with keeping(child("rogue.py", how, str(note))) as kept:
        assert await kept.does("ping") == ToolResult("pong")
        pids = [int(pid) for pid in note.read_text(encoding="utf-8").split()]
        assert all(is_there(pid) for pid in pids)

    await ended(pids)


async def test_a_server_that_is_removed_while_it_connects_is_ended_too(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    async with keeping(child("rogue.py", "parent", str(note)), approved=False):
        await until(lambda: note.exists() and len(note.read_text(encoding="utf-8").split()) == 2)

    await ended([int(pid) for pid in note.read_text(encoding="utf-8").split()])

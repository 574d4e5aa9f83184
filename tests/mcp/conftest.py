"""MCP servers for tests: real processes, supervised as in production."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
import structlog

from assistant.clock import SystemClock
from assistant.conversation.customer import Customer
from assistant.conversation.values import Effect, JsonObject
from assistant.mcp.approval import Definition
from assistant.mcp.config import ProcessTransport, TransportConfig
from assistant.mcp.supervisor import Environment, SupervisedServer
from assistant.tools.tool import ToolContext, ToolResult

SERVERS = Path(__file__).parent / "servers"
ANA = Customer(tenant="shop", id="ana", level="verified", name="Ana", locale="de-AT")
CONTEXT = ToolContext(
    key="key-1", call_id="c1.1", now=datetime(2026, 11, 21, 12, tzinfo=UTC), log=structlog.get_logger()
)

CRM_AND_GONE = f"""
[servers.crm]
command = "{sys.executable}"
args = ["{SERVERS / "rogue.py"}"]

[servers.gone]
command = "{sys.executable}"
args = ["{SERVERS / "rogue.py"}", "exits"]
"""
"""A file that names a server that answers, and one that ends at once."""


def child(script: str, *args: str, env: tuple[str, ...] = (), **plain: str) -> ProcessTransport:
    """A process that runs one of the scripts of these tests."""
    return ProcessTransport(
        command=sys.executable,
        args=(str(SERVERS / script), *args),
        env=env,
        plain=tuple(plain.items()),
        folder=SERVERS,
    )


async def until(condition: Callable[[], bool], within_s: float = 120) -> None:
    """Wait for an action of another process, or of a task that cannot be awaited."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class Hurried(SystemClock):
    """The real time, with waits shorter than requested."""

    async def sleep(self, seconds: float) -> None:
        """A tenth of that."""
        await super().sleep(seconds / 10)


@dataclass(slots=True)
class Kept:
    """A server that is kept reachable; ``news`` has what operators were told."""

    server: SupervisedServer
    offered: dict[str, Definition] = field(default_factory=dict[str, Definition])
    news: list[str] = field(default_factory=list[str])

    async def does(self, tool: str, effect: Effect = "read", **arguments: object) -> ToolResult:
        """Call a tool as it was when it was approved: in the beginning."""
        given: JsonObject = arguments  # pyright: ignore[reportAssignmentType]
        return await self.server.call(self.offered[tool], given, effect)


@asynccontextmanager
async def keeping(
    reach: TransportConfig,
    *,
    environment: dict[str, str] | None = None,
    start_s: float = 120,
    approved: bool = True,
) -> AsyncGenerator[Kept]:
    """Keep a server reachable; once it is, all it offers is approved."""
    told: list[str] = []
    ours = environment or {}
    world = Environment(clock=Hurried(), jitter=lambda: 0.0, environment=lambda: ours, tell=told.append)
    kept = Kept(SupervisedServer("shop", reach, start_s=start_s, world=world), news=told)
    kept.server.open({})
    try:
        if approved:
            kept.offered = dict(await kept.server.offered())
            kept.server.approve(kept.offered)
            told.clear()
        yield kept
    finally:
        await kept.server.close()


Write = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes texts as files of a folder ``tools``; ``toml`` is its mcp.toml."""
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "tools"
    place.mkdir()

    def write(toml: str = "", **files: str) -> Path:
        if toml:
            (place / "mcp.toml").write_text(dedent(toml).lstrip(), encoding="utf-8")
        for name, text in files.items():
            (place / f"{name}.py").write_text(dedent(text), encoding="utf-8")
        return place

    return write

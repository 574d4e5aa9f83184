"""A server is killed while a long tool runs; another process continues it and reports the result."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, Process
from pathlib import Path
from random import Random

import pytest

from assistant.conversation.entries import ResultsDelivered
from assistant.conversation.outcomes import CallSucceeded, CallUnknown
from assistant.conversation.state import ConversationState
from tests.faults.client import Client
from tests.faults.kept import conversations
from tests.faults.servers import ROOT, Installation, Server
from tests.support.temporal import temporal_server

pytestmark = pytest.mark.slow

# The tool works until the file "hold" is deleted.
_LONG_TOOL = '''
import asyncio
import os
from pathlib import Path

from assistant import ToolContext, tool


@tool(
    effect="write",
    idempotent=True,
    long=True,
    trusted=True,
    waiting_hint="placing your order",
    narration="It is ordered.",
)
async def place_order(item: str, context: ToolContext) -> str:
    """Place an order.

    Args:
        item: what is ordered
    """
    with open("effects", "a") as effects:
        effects.write(f"{context.key} {item} {os.getpid()}\\n")
    context.progress(1, 2, "steps")
    while Path("hold").exists():
        await asyncio.sleep(0.05)
    return item
'''


async def test_a_new_process_continues_with_sqlite(on_sqlite: Installation) -> None:
    await _killed(on_sqlite, Server("one"), None)


async def test_another_server_continues_with_postgres(on_postgres: Installation) -> None:
    await _killed(on_postgres, Server("one"), Server("two"))


async def test_another_server_continues_with_temporal(on_postgres: Installation, tmp_path: Path) -> None:
    async with temporal_server(tmp_path) as temporal:
        on_postgres.settings["ASSISTANT_TEMPORAL"] = temporal.address
        await _killed(on_postgres, Server("one"), Server("two"))


async def test_a_write_on_a_killed_server_is_unknown(on_postgres: Installation, tmp_path: Path) -> None:
    async with temporal_server(tmp_path) as temporal:
        on_postgres.settings["ASSISTANT_TEMPORAL"] = temporal.address
        once = _LONG_TOOL.replace("    idempotent=True,\n", "")
        state = await _continued(on_postgres, Server("one"), Server("two"), once)
    assert isinstance(state.turns[0].outcomes["c1.1"], CallUnknown)
    assert len(on_postgres.effects()) == 1


async def test_a_worker_continues_and_a_server_reports(on_postgres: Installation, tmp_path: Path) -> None:
    async with temporal_server(tmp_path) as temporal:
        on_postgres.settings["ASSISTANT_TEMPORAL"] = temporal.address
        (on_postgres.folder / "tools" / "orders.py").write_text(_LONG_TOOL)
        (on_postgres.folder / "hold").touch()
        server, worker = Server("one"), await _worker(on_postgres)
        try:
            await on_postgres.start(server)
            ana = Client("ana", lambda: [server.port], Random(1))
            ana.sent["ana-1"] = "Please order item 7."
            async with asyncio.timeout(30):
                await ana.answer_of("ana-1")
                while not on_postgres.effects():  # noqa: ASYNC110 - another process writes it
                    await asyncio.sleep(0.1)
            await server.kill()
            async with asyncio.timeout(60):
                while on_postgres.effects()[-1].process != worker.pid:  # noqa: ASYNC110
                    await asyncio.sleep(0.1)
            (on_postgres.folder / "hold").unlink()
            await on_postgres.start(server)
            state = await _told(on_postgres)
        finally:
            await server.kill()
            worker.kill()
            await worker.wait()
    assert isinstance(state.turns[0].outcomes["c1.1"], CallSucceeded)


async def _worker(installation: Installation) -> Process:
    with (installation.folder / "worker.log").open("ab") as errors:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "assistant", "worker"),
            cwd=installation.folder,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("ASSISTANT_")},
                "PYTHONPATH": str(ROOT),
                "ASSISTANT_KNOWLEDGE_DIR": "knowledge",
                **installation.settings,
            },
            stdout=DEVNULL,
            stderr=errors,
        )


async def _killed(installation: Installation, first: Server, second: Server | None) -> None:
    state = await _continued(installation, first, second, _LONG_TOOL)
    call = state.turns[0].outcomes["c1.1"]
    assert isinstance(call, CallSucceeded)
    assert [effect.key for effect in installation.effects()] == [installation.effects()[0].key] * 2
    assert [turn.turn.cause for turn in state.turns] == ["message", "late_result"]
    assert str(state.turns[0].long["c1.1"].progress) == "1 of 2 steps"


async def _continued(
    installation: Installation, first: Server, second: Server | None, tool: str
) -> ConversationState:
    """A customer starts the tool; the first server is killed while it runs, and the second one continues it."""
    (installation.folder / "tools" / "orders.py").write_text(tool)
    hold = installation.folder / "hold"
    hold.touch()
    await installation.start(first)
    ana = Client("ana", lambda: [first.port], Random(1))
    ana.sent["ana-1"] = "Please order item 7."
    try:
        async with asyncio.timeout(30):
            await ana.answer_of("ana-1")
            while not installation.effects():  # noqa: ASYNC110 - another process writes it
                await asyncio.sleep(0.1)
        assert len(installation.effects()) == 1
        await first.kill()

        hold.unlink()
        await installation.start(second or first)
        return await _told(installation)
    finally:
        for server in (first, second):
            if server is not None:
                await server.kill()


async def _told(installation: Installation) -> ConversationState:
    """The conversation, once the result has been reported."""
    async with asyncio.timeout(60):
        while True:
            (entries,) = (await conversations(installation)).values()
            state = ConversationState(entries)
            told = any(isinstance(one.entry, ResultsDelivered) for one in entries)
            if told and state.unfinished is None:
                return state
            await asyncio.sleep(0.2)

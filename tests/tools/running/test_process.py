"""A process ends although its tools do not."""

import subprocess
import sys

import pytest

STUCK = """
import asyncio
import sys
from threading import Event
import structlog
from datetime import datetime
from assistant import Customer, ToolContext, tool
from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.tools.registry import Tools
from assistant.tools.execute import prepare, run_call

@tool(waiting_hint="", timeout_s=0.05)
def waits() -> None:
    \"\"\"Look.\"\"\"
    Event().wait()

@tool(waiting_hint="", timeout_s=0.05)
async def overhears() -> None:
    \"\"\"Look.\"\"\"
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass

@tool(waiting_hint="", timeout_s=0.05)
async def heeds_nothing() -> None:
    \"\"\"Look.\"\"\"
    while True:
        try:
            await asyncio.sleep(60)
        except BaseException:
            pass

async def main():
    clock, ana = SystemClock(), Customer(tenant="shop", id="ana")
    ready = prepare(Call(id="c1.1", tool=sys.argv[1]), Tools([waits, overhears, heeds_nothing]), ana)
    context = ToolContext(key="k", call_id="c1.1", now=clock.now(), log=structlog.get_logger())
    print(type(await run_call(ready, customer=ana, context=context, timeout_s=0.05, clock=clock)).__name__)

asyncio.run(main())
"""


@pytest.mark.parametrize("tool", ["waits", "overhears", "heeds_nothing"])
def test_a_tool_that_never_returns_does_not_keep_the_process_alive(tool: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK, tool], capture_output=True, text=True, timeout=60, check=True
    )

    assert ended.stdout == "CallTimedOut\n"
    # Python itself remarks that this one cannot be closed.
    assert ended.stderr == "" or tool == "heeds_nothing"

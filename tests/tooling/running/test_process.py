"""A process ends although its tools do not."""

import subprocess
import sys

STUCK = """
import asyncio
from threading import Event
import structlog
from datetime import datetime
from assistant import Customer, ToolContext, tool
from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.tooling.registry import Tools
from assistant.tooling.run_call import prepare, run_call

@tool(waiting_hint="", timeout_s=0.05)
def look() -> None:
    \"\"\"Look.\"\"\"
    Event().wait()

async def main():
    clock, ana = SystemClock(), Customer(tenant="shop", id="ana")
    ready = prepare(Call(id="c1.1", tool="look"), Tools([look]), ana)
    context = ToolContext(key="k", call_id="c1.1", now=clock.now(), log=structlog.get_logger())
    print(type(await run_call(ready, customer=ana, context=context, timeout_s=0.05, clock=clock)).__name__)

asyncio.run(main())
"""


def test_a_tool_that_never_comes_back_does_not_keep_the_process_from_ending() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", STUCK], capture_output=True, text=True, timeout=60, check=True
    )

    assert (ended.stdout, ended.stderr) == ("CallTimedOut\n", "")

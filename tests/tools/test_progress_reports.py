"""A long call's report is recorded, even if the call ends right after it."""

import asyncio

from assistant.clock import SystemClock
from assistant.conversation.entries import LongCallProgressed
from assistant.tools.long_calls import ProgressReports


async def test_a_report_is_not_lost_if_the_tool_ends_immediately() -> None:
    recorded: list[LongCallProgressed] = []
    begun = asyncio.Event()

    async def record(progress: LongCallProgressed) -> None:
        begun.set()
        await asyncio.sleep(0)  # another server is asked
        recorded.append(progress)

    reports = ProgressReports("c1.1", record, SystemClock())
    reports.note(1, 2, "steps")
    await begun.wait()
    await reports.finish()

    assert recorded == [LongCallProgressed(call_id="c1.1", done=1, total=2, unit="steps")]

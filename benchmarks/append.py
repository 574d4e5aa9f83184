"""What a durable append costs: ``python -m benchmarks.append [FOLDER]``.

Each writer appends one entry after the other to a conversation of its own and waits for each. The folder
decides which disk is measured; the default is the working directory's.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite_log import SqliteLog

ENTRIES = {1: 2_000, 8: 8_000, 32: 24_000, 256: 24_000}


async def write(log: Log, conversation: str, count: int) -> list[float]:
    """Append ``count`` entries; how long each took, in seconds."""
    key = ConversationKey(tenant="acme", customer=f"customer of {conversation}", conversation=conversation)
    took: list[float] = []
    for seq in range(1, count + 1):
        text = MessageText(message_id="01h2xcejqtf2nbrexx3vqjhp41", text=" appointment")
        began = time.perf_counter()
        await log.append(key, [Logged(seq, 1_790_000_000_000 + seq, "01h2xcejqtf2nbrexx3vqjhp42", text)])
        took.append(time.perf_counter() - began)
    return took


async def measure(name: str, log: Log, writers: int) -> None:
    """Let so many writers write at once, and print a row of the table."""
    await write(log, "warm-up", 50)
    each = ENTRIES[writers] // writers
    wall, cpu = time.perf_counter(), time.process_time()
    rows = await asyncio.gather(*(write(log, f"conversation {n}", each) for n in range(writers)))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    took = sorted(seconds for row in rows for seconds in row)
    total = len(took)
    print(
        f"| {name} | {writers} | {total / wall:,.0f} | {cpu / total * 1e6:.0f} |"
        f" {took[total // 2] * 1e3:.2f} | {took[total * 99 // 100] * 1e3:.2f} |"
    )
    await log.close()


def main() -> None:
    """Print the table."""
    print(
        "| log | writers | entries/s | CPU us/entry | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- | --- |"
    )
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if sys.argv[1:] else ".") as folder:
        logs: dict[str, Callable[[int], Log]] = {
            "memory": lambda _: MemoryLog(),
            "sqlite": lambda writers: SqliteLog(Path(folder) / f"{writers}.sqlite3"),
        }
        for name, opened in logs.items():
            for writers in ENTRIES:
                asyncio.run(measure(name, opened(writers), writers))


if __name__ == "__main__":
    main()

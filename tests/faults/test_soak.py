"""Customers come and go for a long time; the server's memory, tasks and open files do not grow."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tests.faults.client import Client
from tests.faults.conftest import times
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation, Server

pytestmark = pytest.mark.slow

SOAK_S = times("SOAK_S", 60)
CUSTOMERS = times("SOAK_CUSTOMERS", 40)
"""Conversations at the same time. Each has a few turns, and then its customer begins another one."""
THINK_S = times("SOAK_THINK_S", 3)
KEEP_IDLE = times("SOAK_KEEP_IDLE", 20)
MOST_MIB_IN_10_MINUTES = float(times("SOAK_MIB", 60))
"""One minute is too short to measure the slope exactly: `make soak` sets 1."""
TURNS = 4
MOST_KEPT_ALIVE = 20
"""Idle connections to the model that are kept for the next request; their number varies."""

# Counts the tasks inside the server every second, from a thread.
_COUNTS_TASKS = """
import asyncio, os, sys, threading, time

def count():
    while True:
        time.sleep(1)
        try:
            tasks = sum(not task.done() for task in list(asyncio.tasks._all_tasks))
        except RuntimeError:
            continue
        with open("tasks.new", "w") as file:
            file.write(str(tasks))
        os.replace("tasks.new", "tasks")

if "serve" in sys.orig_argv:
    from assistant.sessions import session_registry
    session_registry.KEEP_IDLE = KEEP_IDLE_VALUE
    threading.Thread(target=count, daemon=True).start()
"""


async def test_nothing_grows_while_customers_come_and_go(
    on_sqlite: Installation, tmp_path_factory: pytest.TempPathFactory
) -> None:
    changes = tmp_path_factory.mktemp("counting")
    (changes / "sitecustomize.py").write_text(_COUNTS_TASKS.replace("KEEP_IDLE_VALUE", str(KEEP_IDLE)))
    on_sqlite.changes.insert(0, changes)
    over, served, memory = asyncio.Event(), list[Client](), list[tuple[float, float]]()
    async with on_sqlite.running(1) as (server,):
        async with asyncio.TaskGroup() as first:
            for number in range(CUSTOMERS):
                talk = one_after_the_other(
                    server, Random(number), over, served, number=number, conversations=1
                )
                first.create_task(talk)
        await asyncio.sleep(3)
        tasks, files = counted_tasks(on_sqlite), open_files(server)
        now = asyncio.get_running_loop().time
        async with asyncio.TaskGroup() as talks:
            for number in range(CUSTOMERS, 2 * CUSTOMERS):
                talks.create_task(one_after_the_other(server, Random(number), over, served, number=number))
            begun = now()
            while now() < begun + SOAK_S:
                await asyncio.sleep(max(1, SOAK_S / 120))
                memory.append((now() - begun, resident_mib(server)))
            over.set()
        await asyncio.sleep(8)  # until idle connections and pools are closed
        tasks_after, files_after = counted_tasks(on_sqlite), open_files(server)
    kept, effects = await conversations(on_sqlite), on_sqlite.effects()
    found = [fault for client in served for fault in faults(client, kept[client.conversation], effects)]

    grown = slope([(at, mib) for at, mib in memory if at > SOAK_S / 2]) * 600
    print(
        f"\n{sum(client.answered for client in served)} answers in {len(served)} conversations;"
        f" memory {memory[0][1]:.1f} to {memory[-1][1]:.1f} MiB, in the second half {grown:.2f} MiB in 10 minutes;"
        f" tasks {tasks} and {tasks_after}, open files {len(files)} and {len(files_after)}"
    )
    assert found == []
    assert tasks_after <= tasks
    assert [one for one in files_after if one != "socket:"] == [one for one in files if one != "socket:"]
    assert files_after.count("socket:") <= files.count("socket:") + MOST_KEPT_ALIVE
    assert grown < MOST_MIB_IN_10_MINUTES


async def one_after_the_other(
    server: Server,
    random: Random,
    over: asyncio.Event,
    served: list[Client],
    *,
    number: int,
    conversations: int | None = None,
) -> None:
    """One customer's conversations, one after another."""
    count = 0
    while not over.is_set() and count != conversations:
        count += 1
        client = Client(f"c{number}-{count}", lambda: [server.port], random)
        served.append(client)
        for turn in range(1, TURNS + 1):
            await asyncio.sleep(THINK_S * 2 * random.random())
            message = f"{client.name}-{turn}"
            client.sent[message] = f"Please order item {message}."
            async with asyncio.timeout(90):
                await client.answer_of(message)
            client.answered += 1


def resident_mib(server: Server) -> float:
    """The resident memory of a server in MiB."""
    pages = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1])
    return pages * 4096 / 2**20


def open_files(server: Server) -> list[str]:
    """The open files of a server: paths of files, and kinds of the rest."""
    found = list[str]()
    for file in Path(f"/proc/{server.pid}/fd").iterdir():
        name = str(file.readlink())
        found.append(name.partition("[")[0])
    return sorted(found)


def counted_tasks(installation: Installation) -> int:
    """The number of tasks in the server's loop about a second ago."""
    return int((installation.folder / "tasks").read_text())


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the least-squares line through the points."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    rises = sum((x - mean_x) * (y - mean_y) for x, y in points)
    return rises / sum((x - mean_x) ** 2 for x, _ in points)

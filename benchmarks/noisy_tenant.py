"""What a noisy tenant costs a quiet one: ``python -m benchmarks.noisy_tenant [SECONDS]``.

One server has two companies. A few customers talk to the quiet one, with pauses. The noisy one has ten times as
many, who do not pause; of its two tools one hangs in a thread until its time is over, and one returns 20 MB. Rounds
with and without noise alternate. What counts is how much later the quiet one's customers see the first words. The
model is a process of its own on this machine: its first word comes after 300 ms, the next ones 10 ms apart.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from statistics import median, quantiles

import uvloop
from websockets.exceptions import ConnectionClosed

from benchmarks.fake_model import fake_model
from benchmarks.load.running import Served, served
from benchmarks.load.visitors import Visitor

QUIET, NOISY = 4, 40
ROUNDS = 3
MODEL = "fake-t300-i10-n20"
NOISE = '''"""A tool that hangs, and one with a large result."""

import time

from assistant import tool

LARGE = [{"number": number, "note": "a long note about an invoice " * 30} for number in range(22_000)]


@tool(waiting_hint="looking up your appointments")
def list_upcoming_appointments() -> list[str]:
    """List the customer's appointments."""
    time.sleep(60)
    return []


@tool(waiting_hint="checking your billing")
def get_open_invoices() -> list[dict[str, object]]:
    """List the customer's unpaid invoices."""
    return LARGE
'''


async def talk(url: str, number: int, seconds: float, *, pauses: bool) -> list[float]:
    """So many customers for so long; the waits for the first words, in ms."""
    over = asyncio.get_running_loop().time() + seconds

    async def one(seed: int) -> list[float]:
        random, waits = Random(seed), list[float]()
        visitor = await Visitor.comes(url)
        with suppress(TimeoutError, ConnectionClosed):
            async with asyncio.timeout_at(over):
                while True:
                    waits.append((await visitor.asks()).words_ms)
                    if pauses:
                        await asyncio.sleep(random.random())
        await visitor.leaves()
        return waits

    return [wait for waits in await asyncio.gather(*map(one, range(number))) for wait in waits]


async def round_ms(server: Served, seconds: float, *, noise: bool) -> tuple[float, float, int, int]:
    """Median and p95 of the quiet one's first words in ms, its turns, and the noisy one's."""
    base = server.url.removesuffix("/v1/ws")
    async with AsyncExitStack() as stack:
        noisy = None
        if noise:
            noisy = asyncio.create_task(talk(f"{base}/t/noisy/v1/ws", NOISY, seconds + 4, pauses=False))
            stack.push_async_callback(asyncio.wait, {noisy})
            await asyncio.sleep(3)
        waits = await talk(f"{base}/t/quiet/v1/ws", QUIET, seconds, pauses=True)
        turns = len(await noisy) if noisy is not None else 0
    return median(waits), quantiles(waits, n=20)[-1], len(waits), turns


async def measure(url: str, folder: Path, seconds: float) -> None:
    """Print the table."""
    for name in ("quiet", "noisy"):
        (folder / "tenants" / name).mkdir(parents=True)
    (folder / "tenants" / "noisy" / "tools").mkdir()
    (folder / "tenants" / "noisy" / "tools" / "noise.py").write_text(NOISE)
    settings = {"ASSISTANT_MODEL": f"openai/{MODEL}", "OPENAI_BASE_URL": url, "OPENAI_API_KEY": ""}
    settings |= {"ASSISTANT_MESSAGES_PER_MINUTE": "1000000", "ASSISTANT_VOICE": "false"}
    with served(folder, **settings) as server:
        server.output.readline()  # each tenant has said where it is
        await round_ms(server, 3, noise=False)
        rows: dict[bool, list[tuple[float, float, int, int]]] = {False: [], True: []}
        for _ in range(ROUNDS):
            for noise, row in rows.items():
                server.forget_stalls()
                used = server.cpu_s()
                row.append(await round_ms(server, seconds, noise=noise))
                load, stalls = os.getloadavg()[0], server.stalls()
                middle, late, turns, noisy = row[-1]
                print(
                    f"{'noise' if noise else 'alone'}: first words {middle:.0f} ms, p95 {late:.0f} ms,"
                    f" {turns} turns, {noisy} noisy ones; server {server.cpu_s() - used:.1f} s CPU,"
                    f" longest stall {stalls['longest']:.0f} ms; load of the machine {load:.1f}",
                    flush=True,
                )
                await asyncio.sleep(2)
    print(_compared(rows[False], rows[True]))


def _compared(
    alone: Sequence[tuple[float, float, int, int]], noise: Sequence[tuple[float, float, int, int]]
) -> str:
    before, beside = (median(row[1] for row in rows) for rows in (alone, noise))
    return f"p95 of the first words: {before:.0f} ms alone, {beside:.0f} ms with noise, {beside / before - 1:+.0%}"


if __name__ == "__main__":
    with fake_model() as address, tempfile.TemporaryDirectory(dir=".") as place:
        uvloop.run(measure(address, Path(place).resolve(), float(sys.argv[1]) if sys.argv[1:] else 20.0))

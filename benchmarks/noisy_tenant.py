"""What a noisy tenant costs a quiet one: ``python -m benchmarks.noisy_tenant [SECONDS [ROUNDS [NOISE ...]]]``.

One server has a quiet company and a noisy one of each kind. A few customers talk to the quiet one, with pauses.
Ten times as many talk to a noisy one, with the same pauses. Its tool answers as usual, or hangs in a thread
until its time is over, or returns 20 MB, or just less than the limit of results; or its model replies with 20
MB. Rounds without noise and with each kind alternate. What counts is how much later the customers of the quiet
one see the first words; who waits when a round ends has waited so long. The quiet company's model is a process
of its own on this machine: its first word comes after 300 ms, the next ones 10 ms apart.
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
from benchmarks.hostile import hostile_model
from benchmarks.load.running import Served, served
from benchmarks.load.visitors import Visitor

QUIET, NOISY = 4, 40
MODEL = "fake-t300-i10-n20"
HOSTILE = "hostile.words.20.4000"
NOISE = '''"""A tool that is noise, and one that is not."""

import time

from assistant import tool

LARGE = [{"number": number, "note": "a long note about an invoice " * 30} for number in range(22_000)]
LIMIT = [{"number": number, "amount": f"{number}.50", "due": "2026-11-30"} for number in range(2_400)]


@tool(waiting_hint="looking up your appointments")
def list_upcoming_appointments() -> list[dict[str, object]]:
    """List the customer's appointments."""
    NOISE


@tool(waiting_hint="checking your billing")
async def get_open_invoices() -> list[str]:
    """List the customer's unpaid invoices."""
    return ["i-301"]
'''
NOISES = {
    "load": 'return ["a-17"]',
    "hanging": "time.sleep(60)\n    return []",
    "large": "return LARGE",
    "limit": "return LIMIT",
    "reply": "return []",
}


async def talk(url: str, number: int, seconds: float, *, answered: bool = True) -> list[float]:
    """So many customers for so long; the waits for the first words, in ms."""
    now = asyncio.get_running_loop().time
    over = now() + seconds

    async def one(seed: int) -> list[float]:
        random, waits = Random(seed), list[float]()
        visitor = await Visitor.comes(url)
        asked: float | None = None
        with suppress(TimeoutError, ConnectionClosed):
            async with asyncio.timeout_at(over):
                while True:
                    await asyncio.sleep(random.random())
                    asked = now()
                    waits.append((await visitor.asks(answered=answered)).words_ms)
                    asked = None
        if asked is not None and asked < over:
            waits.append((over - asked) * 1000)
        await visitor.leaves()
        return waits

    return [wait for waits in await asyncio.gather(*map(one, range(number))) for wait in waits]


async def round_ms(server: Served, seconds: float, noise: str = "") -> tuple[float, float, int, int]:
    """Median and p95 of the quiet one's first words in ms, its turns, and the noisy one's."""
    base = server.url.removesuffix("/v1/ws")
    async with AsyncExitStack() as stack:
        noisy = None
        if noise:
            noisy = asyncio.create_task(talk(f"{base}/t/{noise}/v1/ws", NOISY, seconds + 4, answered=False))
            stack.push_async_callback(asyncio.wait, {noisy})
            await asyncio.sleep(3)
        waits = await talk(f"{base}/t/quiet/v1/ws", QUIET, seconds)
        turns = len(await noisy) if noisy is not None else 0
    waits = waits if len(waits) > 1 else [seconds * 1000] * 2  # no one had an answer
    return median(waits), quantiles(waits, n=20, method="inclusive")[-1], len(waits), turns


async def calm(server: Served) -> None:
    """Wait until the server has done what the round before has left."""
    visitor = await Visitor.comes(server.url.replace("/v1/ws", "/t/quiet/v1/ws"))
    while (await visitor.asks()).words_ms > 450:  # noqa: ASYNC110 (no event tells of it)
        await asyncio.sleep(1)
    await visitor.leaves()


async def measure(
    url: str, hostile: str, folder: Path, seconds: float, rounds: int, names: Sequence[str]
) -> None:
    """Print the table."""
    (folder / "tenants" / "quiet").mkdir(parents=True)
    for name in names:
        (folder / "tenants" / name / "tools").mkdir(parents=True)
        (folder / "tenants" / name / "tools" / "noise.py").write_text(NOISE.replace("NOISE", NOISES[name]))
    if "reply" in names:
        own = f"ASSISTANT_MODEL=openai/{HOSTILE}\nOPENAI_BASE_URL={hostile}\nOPENAI_API_KEY=\n"
        (folder / "tenants" / "reply" / ".env").write_text(own)
    settings = {"ASSISTANT_MODEL": f"openai/{MODEL}", "OPENAI_BASE_URL": url, "OPENAI_API_KEY": ""}
    settings |= {"ASSISTANT_MESSAGES_PER_MINUTE": "1000000", "ASSISTANT_VOICE": "false"}
    with served(folder, **settings) as server:
        for _ in names:
            server.output.readline()  # each tenant says where it is
        rows: dict[str, list[tuple[float, float, int, int]]] = {"": [], **{name: [] for name in names}}
        for _ in range(rounds):
            for noise, row in rows.items():
                await calm(server)
                server.forget_stalls()
                used = server.cpu_s()
                row.append(await round_ms(server, seconds, noise))
                load, stalls = os.getloadavg()[0], server.stalls()
                middle, late, turns, noisy = row[-1]
                print(
                    f"{noise or 'alone'}: first words {middle:.0f} ms, p95 {late:.0f} ms,"
                    f" {turns} turns, {noisy} noisy ones; server {server.cpu_s() - used:.1f} s CPU,"
                    f" longest stall {stalls['longest']:.0f} ms; load of the machine {load:.1f}",
                    flush=True,
                )
    before = median(row[1] for row in rows[""])
    for name in names:
        beside = median(row[1] for row in rows[name])
        rise = f"{beside / before - 1:+.0%}"
        print(f"p95 of the first words: {before:.0f} ms alone, {beside:.0f} ms with {name}, {rise}")


if __name__ == "__main__":
    given = sys.argv[1:]
    with (
        fake_model() as address,
        hostile_model() as hostile_address,
        tempfile.TemporaryDirectory(dir=".") as place,
    ):
        uvloop.run(
            measure(
                address,
                hostile_address,
                Path(place).resolve(),
                float(given[0]) if given else 20.0,
                int(given[1]) if given[1:] else 3,
                given[2:] or [*NOISES],
            )
        )

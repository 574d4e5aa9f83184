"""What the whole server costs, over its websocket and with the log on: ``python -m benchmarks.websocket``.

The server and the model server have processes of their own. The floor, the same two requests by hand, runs in
this one, in rounds that alternate with the server's. CPU figures are the server's process, all threads.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

import uvloop

from benchmarks.engine import floor
from benchmarks.fake_model import fake_model
from benchmarks.load.running import Served, served
from benchmarks.load.visitors import ask, come, leave

HOSTED = {"OPENAI_API_KEY": "", "ASSISTANT_MESSAGES_PER_MINUTE": "1000000"}


async def floor_ms(url: str, model: str, turns: int) -> float:
    """CPU of one turn by hand."""
    session = floor.open_session()
    began = time.process_time()
    for _ in range(turns):
        start: list[floor.Message] = [
            {"role": "system", "content": floor.SYSTEM},
            {"role": "user", "content": floor.QUESTION},
        ]
        await floor.take_turn(session, url, model, start, lambda _: None)
    used = time.process_time() - began
    await session.close()
    return used * 1000 / turns


async def server_ms(server: Served, turns: int, at_once: int) -> float:
    """CPU of one turn through the server; the conversations are open before."""
    visitors = await come(server.url, turns)
    began = server.cpu_s()
    await ask(visitors, at_once)
    used = server.cpu_s() - began
    await leave(visitors)
    return used * 1000 / turns


async def compare(url: str, model: str, folder: Path, *, rounds: int, turns: int) -> None:
    """CPU per turn beside the floor, alone and with 32 at once, and the stalls of the loop."""
    with served(folder, **HOSTED, ASSISTANT_MODEL=f"openai/{model}", OPENAI_BASE_URL=url) as server:
        for at_once in (1, 32):
            await server_ms(server, turns, at_once)
            server.forget_stalls()
            pairs = [
                (await floor_ms(url, model, turns), await server_ms(server, turns, at_once))
                for _ in range(rounds)
            ]
            base, cost = (median(column) for column in zip(*pairs, strict=True))
            ratio = median(ours / bare for bare, ours in pairs)
            stalls = server.stalls()
            print(
                f"{model:12} {at_once:3} at once: floor {base:5.2f}, server {cost:5.2f} ms CPU a turn, "
                f"{ratio:5.2f} x; stalls p99.9 {stalls['p999']:.1f} ms, longest {stalls['longest']:.1f} ms"
            )


async def milestones(url: str, folder: Path, turns: int) -> None:
    """How soon a customer sees words: first token at 300 ms, 10 ms a token, arguments 150 ms after a name."""
    model = "openai/fake-t300-i10-a150"
    with served(folder, **HOSTED, ASSISTANT_MODEL=model, OPENAI_BASE_URL=url) as server:
        visitors = await come(server.url, turns + 1)
        rows = [await visitor.asks() for visitor in visitors][1:]
        words, total = median(row.words_ms for row in rows), median(row.total_ms for row in rows)
        print(
            f"first visible text at {words:.1f} ms (model: 300), turn complete at {total:.1f} ms (model: 1190)"
        )
        await leave(visitors)


async def idle(url: str, folder: Path, number: int) -> None:
    """Memory of conversations that have had a turn and now only keep their socket open."""
    with served(folder, **HOSTED, ASSISTANT_MODEL="openai/fake", OPENAI_BASE_URL=url) as server:
        warm = await come(server.url, 100)
        await ask(warm, 8)
        before = server.mib()
        visitors = await come(server.url, number)
        entered = server.mib()
        await ask(visitors, 8)
        after = server.mib()
        print(
            f"{number} idle sockets: {(entered - before) * 1024 / number:.1f} KiB each once entered, "
            f"{(after - before) * 1024 / number:.1f} KiB each after a turn"
        )
        await leave([*warm, *visitors])


async def start(url: str, folder: Path, times: int) -> None:
    """From nothing to the ready line, with a hosted model and with the embedded one."""
    hosted = {**HOSTED, "ASSISTANT_MODEL": "openai/fake", "OPENAI_BASE_URL": url}
    for name, settings in (("hosted model", hosted), ("embedded default", {})):
        rows: list[tuple[float, float, float]] = []
        for _ in range(times):
            with served(folder, **settings) as server:
                if not settings:  # The embedded model loads behind the ready line.
                    (visitor,) = await come(server.url, 1)
                    await visitor.asks()
                    await visitor.leaves()
                rows.append((server.ready_s, server.cpu_s(), server.mib()))
        ready, cpu, mib = (median(column) for column in zip(*rows, strict=True))
        print(f"start, {name}: ready after {ready:.2f} s, {cpu:.2f} s CPU, {mib:.0f} MiB")


async def main(rounds: int, turns: int, visitors: int) -> None:
    with fake_model() as url, tempfile.TemporaryDirectory() as folder:
        await start(url, Path(folder), 3)
        await compare(url, "fake", Path(folder), rounds=rounds, turns=turns)
        await compare(url, "fake-t2-i1", Path(folder), rounds=max(2, rounds // 2), turns=max(8, turns // 2))
        await milestones(url, Path(folder), 10)
        await idle(url, Path(folder), visitors)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=8)
    options.add_argument("--turns", type=int, default=100)
    options.add_argument("--visitors", type=int, default=1000)
    chosen = options.parse_args()
    uvloop.run(main(chosen.rounds, chosen.turns, chosen.visitors))

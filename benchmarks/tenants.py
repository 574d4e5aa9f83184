"""What a tenant costs before anyone talks to it: ``python -m benchmarks.tenants [ROUNDS]``.

A server without tenants, and servers with some, started one after the other: the time from the start of the process
to its ready line, and ten seconds later its memory, and the CPU that it uses while no one talks. All use the tools
and prompts of the installation, and the embedded model, which is loaded meanwhile. The figures are medians of the
rounds. A further tenant costs what 50 tenants need more than one.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.load.running import served

COUNTS = (0, 1, 10, 50)


def started(folder: Path, tenants: int) -> tuple[float, float, float]:
    """Seconds until a server with so many tenants is ready, its MiB, and its CPU at rest in ms a second."""
    for number in range(tenants):
        (folder / "tenants" / f"company-{number}").mkdir(parents=True)
    with served(folder, ASSISTANT_VOICE="false") as server:
        for _ in range(tenants - 1):
            server.output.readline()  # each says where it is
        time.sleep(10)
        before = server.cpu_s()
        time.sleep(5)
        return server.ready_s, server.mib(), (server.cpu_s() - before) * 200


def main(rounds: int) -> None:
    """Print the table."""
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")
    print("| tenants | ready after, s | memory, MiB | CPU at rest, ms a second |\n| --- | --- | --- | --- |")
    found: dict[int, tuple[float, ...]] = {}
    for tenants in COUNTS:
        rows: list[tuple[float, ...]] = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as folder:
                rows.append(started(Path(folder), tenants))
        found[tenants] = tuple(median(column) for column in zip(*rows, strict=True))
        ready, memory, rest = found[tenants]
        print(f"| {tenants} | {ready:.1f} | {memory:.0f} | {rest:.0f} |", flush=True)
    more = COUNTS[-1] - 1
    ready, memory = ((found[COUNTS[-1]][place] - found[1][place]) / more for place in (0, 1))
    print(f"each further tenant: {ready * 1000:.0f} ms and {memory:.1f} MiB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 3)

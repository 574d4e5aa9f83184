"""Serves as ``assistant serve`` does, and tells of its loop's stalls when asked (SIGUSR1: forget, SIGUSR2: tell).

The answer is one line of JSON on standard output: looks, p99.9 and longest, in ms.
"""

import asyncio
import json
import signal
from functools import partial

import uvloop

from assistant.commands.logging import set_up_logging
from assistant.commands.serve import serving_until_told
from benchmarks.load.stalls import Stalls


async def serve() -> None:
    """Serve on any free port until told to stop."""
    stalls = Stalls()

    def tell() -> None:
        told = {"looks": len(stalls.late_ms), "p999": stalls.worst_ms(0.999), "longest": stalls.worst_ms()}
        print(json.dumps(told), flush=True)

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, stalls.forget)
    loop.add_signal_handler(signal.SIGUSR2, tell)
    await serving_until_told("127.0.0.1", 0, partial(print, flush=True))


if __name__ == "__main__":
    set_up_logging()
    uvloop.run(serve())

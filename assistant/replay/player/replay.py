"""Plays a cassette in no time, from wherever it is called."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from assistant.replay.cassette import Cassette
from assistant.replay.played import Played
from assistant.replay.player.play import play
from assistant.replay.player.stage import Stage
from assistant.testing.virtual_time import run_virtually


def replay(cassette: Cassette, stage: Stage) -> Played:
    """Hold the conversation on a virtual loop of its own. The same cassette on the same stage: the same bytes.

    Where another loop runs already, that one waits in the meantime.

    Raises ``DeclarationError`` when the cassette needs a tool that nobody declares, or a time zone.
    """
    if not _in_a_loop():
        return run_virtually(play(cassette, stage))
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(lambda: run_virtually(play(cassette, stage))).result()


def _in_a_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True

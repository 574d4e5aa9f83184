"""Looks again whenever somebody may have saved a file."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

import structlog

from assistant.ports import Clock

log = structlog.get_logger(__name__)

EVERY_S = 5.0
"""So often they are looked at in any case: not every file system tells of its changes."""

_STEP_MS = 50


async def watch(
    folders: Sequence[Path], look: Callable[[], Awaitable[None]], clock: Clock, every_s: float = EVERY_S
) -> None:
    """Call ``look`` after every change below these folders, and now and then without one; never returns.

    A folder may be missing for a while, or be put in another's place.
    """
    told = ""
    while True:
        try:
            await look()
            await _watch(folders, look, every_s)
        except Exception as error:
            # A folder that is gone, too many watches on this machine, a mistake of ours: looking goes on.
            if str(error) != told:
                log.warning("edits are looked for now and then only", every_s=every_s, why=str(error))
            told = str(error)
            await clock.sleep(every_s)


async def _watch(folders: Sequence[Path], look: Callable[[], Awaitable[None]], every_s: float) -> None:
    """Until one of the folders is another one, or gone."""
    # Only what serves needs it, and only once it serves.
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType]

    watched = [folder.stat().st_ino for folder in folders]
    changes = awatch(
        *folders, watch_filter=None, step=_STEP_MS, rust_timeout=int(every_s * 1000), yield_on_timeout=True
    )
    async with aclosing(changes):
        async for _ in changes:
            await look()
            if [folder.stat().st_ino for folder in folders] != watched:
                return

"""Lets go of what is not to be kept any longer, each kind of data after its own time."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from assistant.errors import AssistantError
from assistant.ports import Clock, Log
from assistant.settings import Settings

log = structlog.get_logger(__name__)

EVERY_S = 6 * 3600.0
"""Nothing is kept longer than its time and this."""

_DAY_MS = 24 * 3600 * 1000


class Expires(Protocol):
    """Where things say themselves how long they are kept."""

    async def expire(self) -> int:
        """Delete what has expired, for good; gives the number."""
        ...


async def keep_within_bounds(settings: Settings, entries: Log, documents: Expires, clock: Clock) -> None:
    """Look now and then what has grown too old, until cancelled.

    What fails is tried again the next time, and the log says so: nobody waits for any of it.
    """
    while True:
        await let_go(settings, entries, documents, clock)
        await clock.sleep(EVERY_S)


async def let_go(settings: Settings, entries: Log, documents: Expires, clock: Clock) -> dict[str, int]:
    """Let go of what is too old by now; gives how much of each kind it was."""
    gone: dict[str, int] = {}

    async def each(what: str, days: int | None, let: Callable[[int], Awaitable[int]]) -> None:
        if days is None:
            return
        try:
            gone[what] = await let(clock.now_ms() - days * _DAY_MS)
        except AssistantError as error:
            log.error("not let go of", what=what, error=str(error))

    await each("conversations", settings.keep_conversations_days, entries.forget)
    await each("model replies", settings.keep_chunks_days, lambda before: entries.thin_out("chunks", before))
    await each("full results", settings.keep_results_days, lambda before: entries.thin_out("results", before))
    await each("documents", 0, lambda _: documents.expire())
    if any(gone.values()):
        log.info("let go of what was old", **{what.replace(" ", "_"): count for what, count in gone.items()})
    return gone

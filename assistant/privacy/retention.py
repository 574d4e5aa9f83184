"""Deletes old data, each kind after its own time."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from typing import Protocol

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.store.storage import ErasureRecords, Storage

log = structlog.get_logger(__name__)

INTERVAL_S = 6 * 3600.0
"""Nothing is kept longer than its time and this."""

_DAY_MS = 24 * 3600 * 1000


class ExpiringStore(Protocol):
    """A store whose items have their own expiry time."""

    async def expire(self) -> int:
        """Delete expired items permanently; returns their number."""
        ...


class OpenSessions(Protocol):
    """The conversations that are open in this process."""

    def let_go(self, before_ms: int) -> Collection[ConversationKey]:
        """Close unused conversations without an entry after ``before_ms``; returns those that stay open."""
        ...


async def run_retention(
    settings: Settings, storage: Storage, documents: ExpiringStore, live: OpenSessions, clock: Clock
) -> None:
    """Delete expired data at regular intervals, until cancelled.

    Failures are logged and tried again the next time.
    """
    while True:
        await delete_expired(settings, storage, documents, live, clock)
        await clock.sleep(INTERVAL_S)


async def delete_expired(
    settings: Settings, storage: Storage, documents: ExpiringStore, live: OpenSessions, clock: Clock
) -> dict[str, int]:
    """Delete data that have expired; returns how much of each kind."""
    gone: dict[str, int] = {}

    async def each(what: str, days: int | None, let: Callable[[int], Awaitable[int]]) -> None:
        if days is None:
            return
        try:
            gone[what] = await let(clock.now_ms() - days * _DAY_MS)
        except (AssistantError, OSError) as error:
            log.error("not let go of", what=what, error=str(error))

    async def forget(before_ms: int) -> int:
        return await storage.log.forget(before_ms, live.let_go(before_ms))

    await each("conversations", settings.keep_conversations_days, forget)
    folder = settings.data_dir.resolve()
    await each(
        "recordings",
        settings.keep_conversations_days,
        lambda _: _delete_recordings(storage.records, folder),
    )
    await each("model_replies", settings.keep_model_replies_days, partial(storage.log.thin_out, "chunks"))
    await each("full_results", settings.keep_tool_results_days, partial(storage.log.thin_out, "results"))
    await each("documents", 0, lambda _: documents.expire())
    if any(gone.values()):
        log.info("let go of what was old", **gone)
    return gone


async def _delete_recordings(records: ErasureRecords, folder: Path) -> int:
    """Delete the recordings of conversations that are forgotten, where they are ours."""
    deleted = 0
    for path in await records.orphaned_recordings():
        if path.is_relative_to(folder):
            path.unlink(missing_ok=True)
            deleted += 1
        elif path.is_file():
            log.warning("a recording elsewhere outlives its conversation: delete it yourself", path=str(path))
        await records.forget_recording(path)
    return deleted

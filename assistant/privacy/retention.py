"""Deletes old data, each kind after its own time."""

from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

import structlog

from assistant.conversation.customer import ConversationKey
from assistant.errors import AssistantError, LogError
from assistant.jobs import Job, JobKind
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.store.storage import Recording, Storage

log = structlog.get_logger(__name__)

EVERY_H: Literal[6] = 6
"""No data is kept longer than its retention time plus these hours."""

_DAY_MS = 24 * 3600 * 1000


class ExpiringStore(Protocol):
    """A store whose items have their own expiry time."""

    async def expire(self) -> int:
        """Delete expired items permanently; returns their number."""
        ...


class OpenSessions(Protocol):
    """The conversations that are open in this process."""

    def close_idle(self, before_ms: int) -> Collection[ConversationKey]:
        """Close unused conversations without an entry after ``before_ms``; returns the conversations that stay
        open.
        """
        ...


def retention_kind(
    settings: Settings, storage: Storage, documents: ExpiringStore, live: OpenSessions, clock: Clock
) -> JobKind:
    """The job that deletes expired data every six hours; retried sooner if it fails."""

    async def run(job: Job) -> None:
        del job
        await delete_expired(settings, storage, documents, live, clock)

    return JobKind(name="retention", run=run, every_h=EVERY_H)


async def delete_expired(
    settings: Settings, storage: Storage, documents: ExpiringStore, live: OpenSessions, clock: Clock
) -> dict[str, int]:
    """Delete expired data; returns the deleted number of each kind.

    If one deletion fails, the others are still done. Then ``LogError`` is raised, which names the failures.
    """
    gone: dict[str, int] = {}
    left: list[str] = []

    async def each(what: str, days: int | None, let: Callable[[int], Awaitable[int]]) -> None:
        if days is None:
            return
        try:
            gone[what] = await let(clock.now_ms() - days * _DAY_MS)
        except (AssistantError, OSError) as error:
            left.append(f"{what}: {error}")

    async def forget(before_ms: int) -> int:
        return await storage.log.forget(before_ms, live.close_idle(before_ms))

    await each("conversations", settings.keep_conversations_days, forget)
    folder = settings.data_dir.resolve()
    await each(
        "recordings",
        settings.keep_conversations_days,
        lambda _: _delete_recordings(storage, folder, settings.tenant),
    )
    await each("model_replies", settings.keep_model_replies_days, partial(storage.log.thin_out, "chunks"))
    await each("full_results", settings.keep_tool_results_days, partial(storage.log.thin_out, "results"))
    await each(
        "staff_records", settings.keep_audit_days, partial(storage.audit.drop_records, settings.tenant)
    )
    await each("documents", 0, lambda _: documents.expire())
    if any(gone.values()):
        log.info("let go of what was old", **gone)
    if left:
        raise LogError(f"not all expired data are deleted: {'; '.join(left)}")
    return gone


async def _delete_recordings(storage: Storage, folder: Path, tenant: str) -> int:
    """Delete the recordings of deleted conversations, here or by a job on the machine that has them."""
    deleted = 0
    for one in await storage.records.orphaned_recordings():
        if one.place not in ("", storage.place):
            await storage.jobs.later(deletion_elsewhere(tenant, one))
        elif _delete_ours(one.path, folder):
            deleted += 1
        await storage.records.forget_recording(one)
    return deleted


def _delete_ours(path: Path, folder: Path) -> bool:
    """Delete a recording if it is in the data folder. Returns whether it is; the log names a recording
    elsewhere.
    """
    if path.is_relative_to(folder):
        path.unlink(missing_ok=True)
        return True
    if path.is_file():
        log.warning(
            "a recording elsewhere still exists after its conversation: delete it yourself", path=str(path)
        )
    return False


def deletion_elsewhere(tenant: str, recording: Recording) -> Job:
    """The job that deletes a recording on the machine that has it."""
    path = str(recording.path)
    return Job(kind=_of_place(recording.place), tenant=tenant, lock=path, arguments={"path": path})


def recordings_kind(settings: Settings, place: str) -> JobKind:
    """The jobs that delete recordings in the data folder of this name, for a process that uses this folder."""

    async def run(job: Job) -> None:
        _delete_ours(Path(str(job.arguments["path"])), settings.data_dir.resolve())

    return JobKind(name=_of_place(place), run=run, lane="quick")


def _of_place(place: str) -> str:
    return f"recordings on {place}"

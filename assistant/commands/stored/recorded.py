"""Records what a command does for staff, in the records that the console shows."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from assistant.ports import Clock
from assistant.staff.audit import AuditRecord
from assistant.store.storage import Storage

COMMAND_LINE = "command line"
"""What the records name as the person: who may run commands here needs no account."""


@dataclass(slots=True, kw_only=True)
class CommandEntry:
    """The record of a command. ``object_id`` may become known only in the end."""

    object_id: str


@asynccontextmanager
async def recorded(
    storage: Storage,
    clock: Clock,
    tenant: str,
    action: str,
    *,
    kind: str,
    object_id: str = "",
    detail: str = "",
) -> AsyncGenerator[CommandEntry]:
    """Record what the block does: before it, and what came of it."""
    record = AuditRecord(
        tenant=tenant,
        at_ms=clock.now_ms(),
        account="",
        login=COMMAND_LINE,
        action=action,
        kind=kind,
        object=object_id,
        detail=detail,
    )
    audit, entry = storage.audit, CommandEntry(object_id=object_id)
    record = replace(record, number=await audit.add_record(record))
    try:
        yield entry
    except BaseException:
        await audit.finish_record(replace(record, outcome="refused"))
        raise
    await audit.finish_record(replace(record, object=entry.object_id, outcome="ok"))

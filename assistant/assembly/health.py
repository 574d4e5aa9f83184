"""The checks of ``/readyz``: whether each part of a running server works, and what to do if it does not.

Their texts are public: no addresses, no paths, no names of tenants. ``assistant doctor`` uses the checks that
need no running server.
"""

import asyncio
import shutil
from collections.abc import Sequence
from math import inf
from pathlib import Path

from assistant.assembly.hot_reload import LiveConfig
from assistant.assembly.schema import schemas
from assistant.errors import AssistantError, LogError
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.storage_ports import Log
from assistant.store.storage import SchemaState
from assistant.voice.session import VoiceSessionFactory

SCHEMA_S = 60.0
"""Seconds. The schema changes only with a release, and asking a database for it needs a connection."""


async def log_findings(log: Log) -> list[Finding]:
    """Whether conversations can be stored."""
    try:
        await log.check_writable()
    except LogError as error:
        cure = "make room on the disk, or bring the database back; the server needs no restart"
        return [Wrong("log", str(error), cure)]
    return [Fine("log", "can be written")]


class SchemaCheck:
    """Checks once a minute whether the stored tables are those of this release."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self._settings, self._clock = settings, clock
        self._found: list[Finding] = []
        self._looked_at = -inf

    async def findings(self) -> list[Finding]:
        """One finding for each storage."""
        if self._clock.monotonic() >= self._looked_at + SCHEMA_S:
            try:
                states = await schemas(self._settings)
            except AssistantError:
                return [
                    Wrong(
                        "schema", "the schema cannot be read", "see what `assistant upgrade --check` prints"
                    )
                ]
            self._found = [schema_finding(state) for state in states]
            if not any(isinstance(one, Wrong) for one in self._found):
                self._looked_at = self._clock.monotonic()
        return self._found


def schema_finding(state: SchemaState) -> Finding:
    """Whether a running server can use these tables.

    A newer release changes the tables while servers of the old release still run. So newer tables do not make
    this server unready.
    """
    if state.pending:
        says = f"the stored schema is {state.has}; this release needs {state.newest}"
        return Wrong("schema", says, "run `assistant upgrade`, then start this server again")
    if state.has > state.newest:
        says = f"the stored schema is {state.has}, of a newer release; this release knows {state.newest}"
        return Doubtful("schema", says, "replace this server with the newer release")
    return Fine("schema", f"the stored schema is {state.has}, as this release needs")


def disk_finding(folder: Path, least: int) -> Finding:
    """Whether the disk of the data folder has enough free space. Raises ``OSError`` if there is no such folder.

    Args:
        folder: the data folder.
        least: the minimum in bytes, from ``ASSISTANT_MIN_FREE_DISK_BYTES``.
    """
    free = shutil.disk_usage(folder).free
    left = f"{free / 1e6:,.0f} MB left for the data folder"
    if free >= least:
        return Fine("disk", left)
    says = f"{left}; ASSISTANT_MIN_FREE_DISK_BYTES asks for {least / 1e6:,.0f} MB"
    return Wrong("disk", says, "make room, or keep data for fewer days (ASSISTANT_KEEP_...)")


def config_findings(configs: Sequence[LiveConfig]) -> list[Finding]:
    """How many tools and prompts are used, and whether the last edit was refused."""
    deps = [one.newest.deps for one in configs]
    found: list[Finding] = [
        Fine("tools", f"{sum(len(one.tools.specs) for one in deps)} loaded"),
        Fine("prompts", f"{sum(len(one.book.sources) for one in deps)} files loaded"),
    ]
    if any(one.problem is not None for one in configs):
        says = "the last edit of prompts, tools or policies was refused; the version before it serves"
        found.append(Doubtful("edits", says, "the server's log names the file and the line"))
    return found


def model_findings(warming: Sequence[asyncio.Task[None]]) -> list[Finding]:
    """Whether the models are loaded; hosted models need no loading."""
    if not all(task.done() for task in warming):
        return [Wrong("models", "the models are still loading", "wait some seconds")]
    if any(task.cancelled() or task.exception() is not None for task in warming):
        return [
            Wrong("models", "the models cannot be loaded", "the server's log says why; then start it again")
        ]
    return [Fine("models", "loaded")]


def voice_findings(voices: Sequence[VoiceSessionFactory | None]) -> list[Finding]:
    """Whether customers can speak; empty if voice is off.

    Customers can always write, and the first customer who speaks waits for the models. So missing models do not
    make the server unready.
    """
    speaking = [one for one in voices if one is not None]
    if any(one.problem is not None for one in speaking):
        cure = "`assistant doctor` says what is missing; or set ASSISTANT_VOICE=false"
        return [Doubtful("voice", "speech is not available: customers can only write", cure)]
    if any(one.voice is None for one in speaking):
        return [Fine("voice", "the speech models are loaded when the first customer speaks")]
    return [Fine("voice", "loaded")] if speaking else []


def long_call_findings(*, waiting: bool) -> list[Finding]:
    """Whether Temporal is available for long calls. Everything else works without it, so a missing Temporal
    does not make the server unready.
    """
    if not waiting:
        return []
    says = "long calls wait, because Temporal does not answer; everything else works"
    return [Doubtful("long calls", says, "bring Temporal back; the server connects again by itself")]

"""Checks the PostgreSQL database that ``ASSISTANT_DATABASE`` names, and the background work of any storage."""

from collections import Counter
from typing import TYPE_CHECKING

from assistant.assembly.storage import failed_jobs
from assistant.clock import SystemClock
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.settings import Settings

if TYPE_CHECKING:
    from assistant.store.postgres.inspection import DatabaseReport

_OF_A_SERVER = 15
"""The maximum number of connections of one server: ten for the storage, four for the documents, one spare."""


async def database_findings(address: str, *, offline: bool) -> list[Finding]:
    """The findings about the database. Changes nothing in it.

    ``offline``: makes no connection to it. Raises ``DeclarationError`` and ``StoreError``, which contain their
    solutions.
    """
    if offline:
        return [Fine("database", "in PostgreSQL, which was not asked")]
    from assistant.store.postgres.inspection import inspect_database

    looked = await inspect_database(address)
    return [*schema_findings("database", looked), *_account(looked), *connection_findings(looked)]


async def job_findings(settings: Settings, *, offline: bool) -> list[Finding]:
    """The background jobs that failed permanently, one finding for each kind of job; empty if there are none.

    ``offline``: a database is not asked, so its jobs are not among the findings.
    """
    failed = [] if offline and settings.database is not None else await failed_jobs(settings, SystemClock())
    newest = {one.job.kind: one for one in failed}
    found: list[Finding] = []
    for kind, number in Counter(one.job.kind for one in failed).items():
        last = newest[kind]
        of = f"of {last.job.tenant}, " if last.job.tenant else ""
        says = f"{kind}: {number} given up; the newest, {of}after {last.tries} tries: {last.problem}"
        found.append(Wrong("jobs", says, "when that is mended, run `assistant jobs --retry`"))
    return found


def schema_findings(what: str, looked: "DatabaseReport") -> list[Finding]:
    """The address of a database, and whether its tables are usable and belong to this release. ``what`` is
    the subject of the findings.
    """
    there = f"{looked.shown}: PostgreSQL {looked.server} with pgvector {looked.extension}"
    if looked.schema > looked.newest:
        says = f"{there}; its tables were made by a newer release: their schema is {looked.schema}"
        cure = (
            f"the newest known here is {looked.newest}: install that release again, or use another database"
        )
        return [Wrong(what, says, cure)]
    if looked.schema < looked.newest:
        if not looked.may_create:
            cure = "run `assistant upgrade` with the account of the database's owner"
            says = (
                f"{there}; its tables have schema {looked.schema}, and {looked.account} may not change them"
            )
            return [Wrong(what, says, cure)]
        says = f"{there}; its tables will be brought to schema {looked.newest} at the next start"
        return [Fine(what, says)]
    if looked.closed:
        says = f"{there}; {looked.account} may not read and write {', '.join(looked.closed)}"
        cure = (
            "as their owner, run GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA meanwhile TO"
            f' "{looked.account}"'
        )
        return [Wrong(what, says, cure)]
    if looked.copying:
        says = f"{there}; a copy into it is not finished"
        return [Wrong(what, says, "run `assistant data copy` again")]
    return [Fine(what, f"{there}; schema {looked.schema}")]


def _account(looked: "DatabaseReport") -> list[Finding]:
    if not looked.unbound:
        return []
    says = (
        f"{looked.account} is a superuser or has BYPASSRLS: row level security does not keep one tenant's rows from"
        " another's"
    )
    return [Doubtful("database", says, "use a plain account in ASSISTANT_DATABASE")]


def connection_findings(looked: "DatabaseReport") -> list[Finding]:
    """Whether the database accepts the connections of one more server."""
    left = looked.most - looked.open
    if left >= _OF_A_SERVER:
        return [Fine("connections", f"{looked.open} of {looked.most} are in use")]
    says = f"{looked.open} of {looked.most} are in use, and a server may need {_OF_A_SERVER} more"
    return [Doubtful("connections", says, "raise max_connections in the database")]

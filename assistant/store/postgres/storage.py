"""Opens everything that an installation stores in a PostgreSQL database."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from assistant.conversation.codec import FORMAT
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import DeclarationError, LogError, StoreError
from assistant.ports import Clock, Ids
from assistant.store.keyring import InstallationSecret, Keyring
from assistant.store.postgres.canned_replies import PostgresCannedReplies
from assistant.store.postgres.conversation_index import PostgresConversationIndex
from assistant.store.postgres.conversation_list import PostgresConversationList
from assistant.store.postgres.database import (
    ConnectionPool,
    migrate,
    newest_schema,
    read_address,
    schema_version,
)
from assistant.store.postgres.driver import Connection
from assistant.store.postgres.jobs import PostgresJobs
from assistant.store.postgres.leases import PostgresLeases
from assistant.store.postgres.log import PostgresLog
from assistant.store.postgres.pauses import PostgresPauses
from assistant.store.postgres.profiles import PostgresProfiles
from assistant.store.postgres.staff import PostgresAudit, PostgresStaff
from assistant.store.postgres.state import (
    PostgresBundles,
    PostgresCredentials,
    PostgresDeliveries,
    PostgresEdits,
    PostgresErasureRecords,
    PostgresRates,
    PostgresSpending,
    PostgresUsedTokens,
)
from assistant.store.postgres.write_queue import PostgresWriteQueue
from assistant.store.storage import LoggedConversation, Storage, StoredBundle

_CONNECTIONS = 10
"""Appends of all conversations need one connection, and each other statement takes a few milliseconds. A
database accepts 100 connections by default: enough for nine servers.
"""


@asynccontextmanager
async def open_postgres_storage(
    address: str,
    clock: Clock,
    ids: Ids,
    *,
    lease_s: float | None = None,
    create: bool = True,
    connections: int = _CONNECTIONS,
) -> AsyncGenerator[Storage]:
    """Opens the storage in a database, until the end of the block. Any number of servers may have it open.

    Missing tables are created. Servers that start at the same time get the same secret.

    Args:
        address: of the database, such as ``postgresql://user:password@host/database``.
        clock: measures when credentials expire.
        ids: makes an id for this server, and the secret if there is none yet.
        lease_s: other servers continue the conversations of a server without a beat for this time; None for a
            command, which writes no conversation.
        create: begin a new installation if there is none.
        connections: the maximum number of connections of this server.

    Raises:
        DeclarationError: the database cannot be used, its entries have another format, or nothing is stored in it
            and ``create`` is False.
    """
    async with _opened(address, connections, ids.secret if create else None) as (pool, installation):
        server = ids.new()
        keyring = Keyring(installation.secret, clock, partial(_read_secret, pool))
        log, writes = PostgresLog(pool), PostgresWriteQueue(pool, server)
        try:
            yield Storage(
                log=log,
                conversations=PostgresConversationList(pool),
                writes=writes,
                bundles=PostgresBundles(pool),
                deliveries=PostgresDeliveries(pool),
                credentials=PostgresCredentials(pool, keyring, clock),
                used_tokens=PostgresUsedTokens(pool),
                records=PostgresErasureRecords(pool),
                spending=PostgresSpending(pool),
                jobs=PostgresJobs(pool, clock),
                staff=PostgresStaff(pool),
                audit=PostgresAudit(pool),
                index=PostgresConversationIndex(pool),
                pauses=PostgresPauses(pool),
                replies=PostgresCannedReplies(pool),
                profiles=PostgresProfiles(pool),
                keyring=keyring,
                restored_ms=installation.restored_ms,
                leases=PostgresLeases(pool, clock, server, lease_s or 0.0),
                edits=PostgresEdits(pool) if lease_s is not None else None,
                rates=PostgresRates(pool) if lease_s is not None else None,
            )
        finally:
            await writes.close()
            await log.close()


@asynccontextmanager
async def open_postgres_conversations(address: str) -> AsyncGenerator["PostgresConversations"]:
    """Opens all conversations in a database for reading while servers write; nothing is changed.

    Raises:
        DeclarationError: the database cannot be used, nothing is stored in it, or its entries have another format.
    """
    async with _opened(address, 1) as (pool, installation):
        yield PostgresConversations(read_address(address).shown, pool, installation.secret)


class PostgresConversations:
    """All conversations of all tenants and customers. Create it with :func:`open_postgres_conversations`.

    Args:
        where: the database's address without the password.
        connections: closed by their owner.
        secret: the installation's secrets.

    Attributes:
        where: the database's address without the password.
        keeps_documents: always True, also if documents are stored elsewhere.
    """

    keeps_documents = True

    def __init__(self, where: str, connections: ConnectionPool, secret: InstallationSecret) -> None:
        self.where = where
        self._connections, self._secret = connections, secret
        self._log, self._bundles = PostgresLog(connections), PostgresBundles(connections)

    async def listed(self) -> list[LoggedConversation]:
        """All conversations; the one with the newest entry comes last."""
        return await self._log.listed()

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order."""
        return await self._log.read(key, after)

    async def bundle(self, tenant: str, name: str) -> StoredBundle | None:
        """A tenant's stored bundle; None if it was not stored."""
        return await self._bundles.read(tenant, name)

    async def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is stored here: as a document, or waiting to become one."""
        return await self._asked(tenant, _KEEPS_FILE, tenant, ref) is True

    async def erased_at(self, commitment: bytes) -> int | None:
        """When the entries of this receipt were erased, in Unix ms; None if they were not erased here."""
        return cast("int | None", await self._asked("", _ERASED_AT, commitment))

    async def secrets(self) -> InstallationSecret | None:
        """The installation's secrets."""
        return self._secret

    async def _asked(self, tenant: str, question: str, *values: str | bytes) -> object:
        try:
            async with self._connections.of_tenant(tenant) as connection:
                return await connection.fetchval(question, *values)
        except StoreError as error:
            raise LogError(f"the conversations cannot be read: {error}") from error


_KEEPS_FILE = """
SELECT EXISTS (SELECT 1 FROM writes WHERE tenant = $1 AND ref = $2)
    OR EXISTS (SELECT 1 FROM documents WHERE tenant = $1 AND ref = $2)
"""
_ERASED_AT = "SELECT erased_ms FROM commitments WHERE commitment = $1"


UNFINISHED_COPY = 0
"""The format of an installation that has been copied only in part into the database."""

_INSTALLATION = "SELECT format, secret, restored_ms FROM installation"
_BEGIN_INSTALLATION = "INSERT INTO installation (format, secret) VALUES ($1, $2) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The installation's secrets, and when a backup was last restored into its database, in Unix ms; 0: never."""

    secret: InstallationSecret = field(repr=False)
    restored_ms: int


@asynccontextmanager
async def _opened(
    address: str, size: int, make_secret: Callable[[], str] | None = None
) -> AsyncGenerator[tuple[ConnectionPool, Installation]]:
    """A pool, and the installation. Begins an installation if there is none and a secret can be made."""
    read = read_address(address)
    pool = ConnectionPool(read, check_schema if make_secret is None else migrate, size=size)
    try:
        try:
            async with pool.one() as connection:
                installation = await read_installation(connection, make_secret)
        except StoreError as error:  # the error names the database
            raise DeclarationError(f"ASSISTANT_DATABASE: {error}") from error
        except DeclarationError as error:
            raise DeclarationError(f"ASSISTANT_DATABASE: {read.shown}: {error}") from error
        yield pool, installation
    finally:
        await pool.close()


async def check_schema(connection: Connection) -> None:
    """Raise ``DeclarationError`` unless the tables are those of this release."""
    if (has := await schema_version(connection)) == 0:
        raise DeclarationError(_NOTHING_STORED)
    if has != newest_schema():
        cure = "run `assistant upgrade`" if has < newest_schema() else "install a newer release"
        raise DeclarationError(
            f"the tables have schema number {has}, this release has {newest_schema()}: {cure}"
        )


_NOTHING_STORED = (
    "nothing is stored in this database; is ASSISTANT_DATABASE right, and has a server used it before?"
)


async def read_installation(
    connection: Connection, make_secret: Callable[[], str] | None = None
) -> Installation:
    """The installation. Raises ``DeclarationError`` if there is none or it has another format."""
    row = await connection.fetchrow(_INSTALLATION)
    if row is None and make_secret is not None:
        # Another server may be faster: then its secret is used.
        await connection.execute(_BEGIN_INSTALLATION, FORMAT, make_secret())
        row = await connection.fetchrow(_INSTALLATION)
    if row is None:
        raise DeclarationError(_NOTHING_STORED)
    check_format(row["format"])
    secret = InstallationSecret.parse(str(row["secret"]))
    return Installation(secret=secret, restored_ms=int(str(row["restored_ms"])))


def check_format(found: object) -> None:
    """Raise ``DeclarationError`` unless this is the format number of the installations of this release."""
    if found == UNFINISHED_COPY:
        raise DeclarationError(
            "a copy into this database is not finished: run `assistant data copy` again, or `assistant restore`"
        )
    if found != FORMAT:
        raise DeclarationError(
            f"this database has entries of format {found}, and this release reads format {FORMAT} alone;"
            " set ASSISTANT_DATABASE to another one to begin anew, or install the release that wrote it"
        )


async def _read_secret(connections: ConnectionPool) -> str:
    try:
        async with connections.one() as connection:
            return str(await connection.fetchval("SELECT secret FROM installation"))
    except StoreError as error:
        raise LogError(f"the secret cannot be read: {error}") from error


_REPLACE = "UPDATE installation SET secret = $2 WHERE secret = $1 RETURNING true"


async def change_secret(
    address: str, change: Callable[[InstallationSecret], InstallationSecret]
) -> InstallationSecret:
    """Replace the installation's secrets, which servers read again; returns the new ones.

    Raises:
        DeclarationError: the database cannot be used, or another process has changed the secret meanwhile.
    """
    async with _opened(address, 1) as (pool, installation):
        changed = change(installation.secret)
        async with pool.one() as connection:
            if not await connection.fetchval(_REPLACE, installation.secret.text, changed.text):
                raise DeclarationError("the secret was changed at the same moment: look at it, and try again")
        return changed

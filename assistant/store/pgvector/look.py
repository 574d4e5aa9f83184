"""Looks at a database as it is, and changes nothing in it."""

from dataclasses import dataclass

from assistant.store.pgvector.address import read_address
from assistant.store.pgvector.connections import Connections
from assistant.store.pgvector.driver import Connection
from assistant.store.pgvector.extension import find_extension
from assistant.store.pgvector.schema import newest, version

_SERVER = "SHOW server_version"
_MAY_CREATE = "SELECT has_database_privilege(current_database(), 'CREATE')"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What is there.

    ``shown`` is where, without the password. ``server`` and ``extension`` are versions. ``schema`` is the number of
    the tables' newest step, 0 before the first start; ``newest`` the one that this release knows. ``may_create``:
    we may make what is missing.
    """

    shown: str
    server: str
    extension: str
    schema: int
    newest: int
    may_create: bool


async def look(address: str) -> Looked:
    """What is at this address.

    Raises:
        DeclarationError: it is none, or the driver is not installed.
        StoreError: nobody answers, we are not let in, or the extension is missing or too old.
    """
    read = read_address(address)
    connections = Connections(read, _as_it_is)
    try:
        async with connections.one() as connection:
            return Looked(
                shown=read.shown,
                server=str(await connection.fetchval(_SERVER)).partition(" ")[0],
                extension=(await find_extension(connection)).version,
                schema=await version(connection),
                newest=newest(),
                may_create=bool(await connection.fetchval(_MAY_CREATE)),
            )
    finally:
        await connections.close()


async def _as_it_is(connection: Connection) -> None:
    """Nothing is made here."""

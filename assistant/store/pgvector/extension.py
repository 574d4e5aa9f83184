"""The database's extension pgvector: is it there, and is it new enough?"""

from dataclasses import dataclass

from assistant.errors import StoreError
from assistant.store.pgvector.driver import Connection

OLDEST = (0, 5)
"""The oldest that we vouch for, of 2023."""

_INSTALLED = """
SELECT extversion AS version, nspname AS schema
FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace
WHERE extname = 'vector'
"""
_OFFERED = "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"


@dataclass(frozen=True, slots=True)
class Extension:
    """``schema`` is where its types and operators are: the database's owner may have put it anywhere."""

    version: str
    schema: str


async def find_extension(connection: Connection) -> Extension:
    """The extension in this database. Raises ``StoreError`` with the cure where it is missing or too old."""
    row = await connection.fetchrow(_INSTALLED)
    if row is None:
        raise StoreError(await _cure(connection))
    extension = Extension(str(row["version"]), str(row["schema"]))
    if _numbers(extension.version) < OLDEST:
        raise StoreError(
            f"the database's extension vector is version {extension.version}, and {_dotted(OLDEST)} or newer is"
            " needed: install a newer pgvector on its machine, then run ALTER EXTENSION vector UPDATE in it"
        )
    return extension


async def _cure(connection: Connection) -> str:
    missing = "the database does not have the extension vector"
    create = "run CREATE EXTENSION vector in it, as its owner or a superuser"
    if await connection.fetchval(_OFFERED) is None:
        return f"{missing}: install pgvector on the database's machine, then {create}"
    return f"{missing}: {create}"


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(number) for number in version)

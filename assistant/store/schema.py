"""The schema of a storage: its number, and the missing steps. Shared by all databases."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState:
    """A storage's schema number, the newest one of this release, and the names of the missing steps, in order.

    ``where`` is the file's name, or the database's address without the password.
    """

    where: str
    has: int
    newest: int
    pending: tuple[str, ...]

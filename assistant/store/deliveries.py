"""The delivery positions of handoff events, in one small SQLite file."""

from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.store.sqlite_file import SqliteKeyValue

DELIVERIES_TABLE = """
CREATE TABLE IF NOT EXISTS deliveries (
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL,  -- the last entry that needs no delivery
    PRIMARY KEY (tenant, customer, conversation)
) WITHOUT ROWID;
"""
_OURS = "tenant = ? AND customer = ? AND conversation = ?"


class SqliteDeliveries:
    """Delivery positions that survive a crash. Each method raises ``LogError`` if the file fails.

    Args:
        path: the file; made when it is first used, readable by its owner alone. Its folder must be there.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, DELIVERIES_TABLE, "deliveries")

    async def delivered(self, key: ConversationKey) -> int | None:
        """The number of the last entry that needs no delivery; None for an unknown conversation."""
        question = f"SELECT seq FROM deliveries WHERE {_OURS}"  # noqa: S608 - a constant
        row = await self._file.ask(lambda file: file.execute(question, _names(key)).fetchone())
        return None if row is None else row[0]

    async def note(self, key: ConversationKey, seq: int) -> None:
        """Store the position; it is on disk when it returns."""
        row = (*_names(key), seq)
        await self._file.ask(lambda file: file.execute("REPLACE INTO deliveries VALUES (?, ?, ?, ?)", row))

    async def forget(self, key: ConversationKey) -> None:
        """Delete the position: nothing more will be delivered."""
        order = f"DELETE FROM deliveries WHERE {_OURS}"  # noqa: S608 - a constant
        await self._file.ask(lambda file: file.execute(order, _names(key)))

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete the positions of all conversations of a customer permanently; returns their number."""
        if not self._file.exists:
            return 0
        order = "DELETE FROM deliveries WHERE tenant = ? AND customer = ?"
        return await self._file.ask(lambda file: file.execute(order, (tenant, customer)).rowcount)

    async def all(self) -> list[ConversationKey]:
        """The conversations that have a position."""
        question = "SELECT tenant, customer, conversation FROM deliveries"
        rows = await self._file.ask(lambda file: file.execute(question).fetchall())
        return [ConversationKey(tenant=t, customer=c, conversation=id_) for t, c, id_ in rows]

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()


def _names(key: ConversationKey) -> tuple[str, str, str]:
    return key.tenant, key.customer, key.conversation

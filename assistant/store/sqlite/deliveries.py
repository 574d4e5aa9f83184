"""The positions of deliveries to other programs, and a log of the attempts, in one small SQLite file."""

from collections.abc import Sequence
from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition
from assistant.store.sqlite.file import SqliteKeyValue

# Before there were several receivers, the helpdesk's positions were in the table deliveries.
DELIVERIES_TABLES = """
CREATE TABLE IF NOT EXISTS delivery_positions (
    receiver     TEXT    NOT NULL,
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL,  -- the last entry that needs no delivery
    ended        INTEGER NOT NULL,  -- the last entry of a conversation whose end was delivered
    rested_ms    INTEGER,           -- since when nothing is left to deliver; null: something may be
    PRIMARY KEY (receiver, tenant, customer, conversation)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS attempts (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    receiver     TEXT    NOT NULL,
    event_id     TEXT    NOT NULL,
    event        TEXT    NOT NULL,
    at_ms        INTEGER NOT NULL,
    status       INTEGER NOT NULL,
    took_ms      INTEGER NOT NULL,
    problem      TEXT    NOT NULL
);
CREATE INDEX IF NOT EXISTS attempts_newest ON attempts (tenant, number);
CREATE TABLE IF NOT EXISTS deliveries (
    tenant TEXT NOT NULL, customer TEXT NOT NULL, conversation TEXT NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (tenant, customer, conversation)
) WITHOUT ROWID;
INSERT OR IGNORE INTO delivery_positions
    SELECT 'handoff', tenant, customer, conversation, seq, 0, NULL FROM deliveries;
DELETE FROM deliveries;
"""
_OURS = "receiver = ? AND tenant = ? AND customer = ? AND conversation = ?"
_BEGIN = """
INSERT INTO delivery_positions VALUES (?1, ?2, ?3, ?4, ?5, ?5, NULL)
ON CONFLICT DO UPDATE SET rested_ms = NULL WHERE rested_ms IS NOT NULL
"""
_ATTEMPT = "INSERT INTO attempts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_TRIM = """
DELETE FROM attempts WHERE tenant = ?1 AND number <= (
    SELECT number FROM attempts WHERE tenant = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2
)
"""
_ATTEMPTS = """
SELECT tenant, customer, conversation, receiver, event_id, event, at_ms, status, took_ms, problem FROM attempts
WHERE tenant = ? ORDER BY number DESC LIMIT ?
"""

MOST_ATTEMPTS = 1000
"""The maximum number of stored attempts for each tenant."""


class SqliteDeliveries:
    """Delivery positions that survive a crash. See the port :class:`assistant.storage_ports.DeliveryStore`.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, DELIVERIES_TABLES, "deliveries")

    async def begin(self, receivers: Sequence[str], key: ConversationKey, seq: int) -> None:
        """Begin or continue deliveries after the entry ``seq``."""
        rows = [(*_names(receiver, key), seq) for receiver in receivers]
        await self._file.ask(lambda file: file.executemany(_BEGIN, rows))

    async def delivered(self, receiver: str, key: ConversationKey) -> DeliveryPosition | None:
        """The position; None if nothing is to be delivered."""
        question = f"SELECT seq, ended FROM delivery_positions WHERE {_OURS}"  # noqa: S608 - a constant
        row = await self._file.ask(lambda file: file.execute(question, _names(receiver, key)).fetchone())
        return None if row is None else DeliveryPosition(*row)

    async def note(self, receiver: str, key: ConversationKey, position: DeliveryPosition) -> None:
        """Store the position of a delivery that has begun."""
        order = f"UPDATE delivery_positions SET seq = ?, ended = ? WHERE {_OURS}"  # noqa: S608 - a constant
        row = (position.seq, position.ended, *_names(receiver, key))
        await self._file.ask(lambda file: file.execute(order, row))

    async def rest(self, receiver: str, key: ConversationKey, now_ms: int) -> None:
        """Leave the conversation out of ``all``, until ``begin`` is called for it."""
        order = f"UPDATE delivery_positions SET rested_ms = ? WHERE {_OURS}"  # noqa: S608 - a constant
        await self._file.ask(lambda file: file.execute(order, (now_ms, *_names(receiver, key))))

    async def forget(self, receiver: str, key: ConversationKey) -> None:
        """Delete the position: nothing more will be delivered."""
        order = f"DELETE FROM delivery_positions WHERE {_OURS}"  # noqa: S608 - a constant
        await self._file.ask(lambda file: file.execute(order, _names(receiver, key)))

    async def drop_rested(self, before_ms: int) -> None:
        """Delete the positions that have rested since before this time."""
        if self._file.exists:
            order = "DELETE FROM delivery_positions WHERE rested_ms < ?"
            await self._file.ask(lambda file: file.execute(order, (before_ms,)))

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete the positions and attempts of all conversations of a customer; returns the number of positions."""
        if not self._file.exists:
            return 0
        attempts = "DELETE FROM attempts WHERE tenant = ? AND customer = ?"
        order = "DELETE FROM delivery_positions WHERE tenant = ? AND customer = ?"
        await self._file.ask(lambda file: file.execute(attempts, (tenant, customer)))
        return await self._file.ask(lambda file: file.execute(order, (tenant, customer)).rowcount)

    async def all(self, receiver: str) -> list[ConversationKey]:
        """The conversations that may have something to deliver."""
        question = (
            "SELECT tenant, customer, conversation FROM delivery_positions"
            " WHERE receiver = ? AND rested_ms IS NULL"
        )
        rows = await self._file.ask(lambda file: file.execute(question, (receiver,)).fetchall())
        return [ConversationKey(tenant=t, customer=c, conversation=id_) for t, c, id_ in rows]

    async def add_attempt(self, attempt: DeliveryAttempt) -> None:
        """Add an attempt to the log, and drop the oldest."""
        row = attempt_values(attempt)
        await self._file.ask(
            lambda file: (file.execute(_ATTEMPT, row), file.execute(_TRIM, (row[0], MOST_ATTEMPTS)))
        )

    async def attempts(self, tenant: str, limit: int) -> list[DeliveryAttempt]:
        """The newest attempts of a tenant, newest first."""
        if not self._file.exists:
            return []
        rows = await self._file.ask(lambda file: file.execute(_ATTEMPTS, (tenant, limit)).fetchall())
        return [attempt_from(row) for row in rows]

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()


def _names(receiver: str, key: ConversationKey) -> tuple[str, str, str, str]:
    return receiver, key.tenant, key.customer, key.conversation


AttemptRow = tuple[str, str, str, str, str, str, int, int, int, str]


def attempt_values(attempt: DeliveryAttempt) -> AttemptRow:
    """An attempt as a row of the table, without its number."""
    key = attempt.key
    return (
        key.tenant,
        key.customer,
        key.conversation,
        attempt.receiver,
        attempt.event_id,
        attempt.event,
        attempt.at_ms,
        attempt.status,
        attempt.took_ms,
        attempt.problem,
    )


def attempt_from(row: AttemptRow) -> DeliveryAttempt:
    """The inverse of :func:`attempt_values`."""
    tenant, customer, conversation, receiver, event_id, event, at_ms, status, took_ms, problem = row
    return DeliveryAttempt(
        receiver=receiver,
        key=ConversationKey(tenant=tenant, customer=customer, conversation=conversation),
        event_id=event_id,
        event=event,
        at_ms=at_ms,
        status=status,
        took_ms=took_ms,
        problem=problem,
    )

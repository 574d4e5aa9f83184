"""What customers and the tenant have spent on each day, in one small SQLite file."""

import sqlite3
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

from assistant.conversation.usage import Spent, SpentToday
from assistant.store.sqlite.file import SqliteKeyValue, transaction

SPENDING_TABLE = """
CREATE TABLE IF NOT EXISTS spending (
    tenant    TEXT    NOT NULL,
    day       TEXT    NOT NULL,  -- of the company's time zone, such as 2026-11-27
    customer  TEXT    NOT NULL,  -- '' is all customers together
    tokens    INTEGER NOT NULL,
    micro_usd INTEGER NOT NULL,
    PRIMARY KEY (tenant, day, customer)
) WITHOUT ROWID;
"""
_SPENT = (
    "SELECT customer, tokens, micro_usd FROM spending WHERE tenant = ? AND day = ? AND customer IN ('', ?)"
)
_ADD = """
INSERT INTO spending VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
    tokens = tokens + excluded.tokens, micro_usd = micro_usd + excluded.micro_usd
"""
_FORGET = "DELETE FROM spending WHERE tenant = ? AND day < ?"
_ERASE = "DELETE FROM spending WHERE tenant = ? AND customer = ? AND customer <> ''"

SPENDING_FILE = "spending.db"
"""The file's name in a data folder."""


def oldest_kept(day: date) -> date:
    """The oldest day that is kept: a customer near midnight may still be counted for the day before."""
    return day - timedelta(days=2)


def micro_usd(spent: Spent) -> int:
    """Dollars as they are stored: sums of whole numbers do not drift."""
    return round(spent.usd * 1_000_000)


def spent_today(rows: Mapping[str, tuple[int, int]]) -> SpentToday:
    """The stored rows of a day by customer, as one value."""

    def spent(customer: str) -> Spent:
        tokens, micro = rows.get(customer, (0, 0))
        return Spent(tokens=tokens, usd=micro / 1_000_000)

    own = next((customer for customer in rows if customer), "-")
    return SpentToday(customer=spent(own), tenant=spent(""))


class SqliteSpending:
    """The counts of a data folder. See the port :class:`assistant.storage_ports.SpendingStore`.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, SPENDING_TABLE, "spending")

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        """What was spent on this day."""
        if not self._file.exists:
            return SpentToday()
        return await self._file.ask(lambda file: _read(file, tenant, customer, day))

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        """Add to both, and return the new sums; it is on disk when it returns."""

        def add(file: sqlite3.Connection) -> SpentToday:
            amounts = day.isoformat(), more.tokens, micro_usd(more)
            with transaction(file, "IMMEDIATE"):
                file.execute(_FORGET, (tenant, oldest_kept(day).isoformat()))
                for whose in ("", customer):
                    file.execute(_ADD, (tenant, amounts[0], whose, *amounts[1:]))
                return _read(file, tenant, customer, day)

        return await self._file.ask(add)

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete this customer's counts permanently; returns their number."""
        if not self._file.exists:
            return 0
        return await self._file.ask(lambda file: file.execute(_ERASE, (tenant, customer)).rowcount)

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()


def _read(file: sqlite3.Connection, tenant: str, customer: str, day: date) -> SpentToday:
    rows = file.execute(_SPENT, (tenant, day.isoformat(), customer)).fetchall()
    return spent_today({whose: (tokens, micro) for whose, tokens, micro in rows})

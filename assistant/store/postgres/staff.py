"""Accounts of staff, their sessions and links, and the records of what they did, in a PostgreSQL database.

Each class implements its port, over a pool that its owner closes.
"""

from contextlib import AbstractAsyncContextManager
from typing import cast

from assistant.staff.accounts import Account, AccountChange, changed_account, ends_sessions
from assistant.staff.audit import AuditRecord
from assistant.staff.sessions import OneTimeLink, StaffSession
from assistant.store.postgres.database import ConnectionPool, seeing, storable
from assistant.store.postgres.driver import Connection, Row
from assistant.store.sqlite.staff import (
    ACCOUNT_COLUMNS,
    AUDIT_COLUMNS,
    IDENTITY_COLUMNS,
    NEWEST_FIRST,
    SESSION_COLUMNS,
    AccountRow,
    AuditRow,
    SessionRow,
    account_from,
    account_values,
    audit_from,
    audit_values,
    finish_values,
    link_from,
    session_from,
    session_values,
)

_THIS = "tenant = $1 AND token_hash = $2"
_ADD_ACCOUNT = f"""
INSERT INTO staff_accounts ({ACCOUNT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING RETURNING true
"""  # noqa: S608 - constants, as everywhere here
_FIND_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = $1 AND login = $2"  # noqa: S608
_LIST_ACCOUNTS = f'SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = $1 ORDER BY login COLLATE "C"'  # noqa: S608
# In the order of their ids, so that two servers never wait for each other.
_LOCK_ACCOUNTS = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = $1 ORDER BY id FOR UPDATE"  # noqa: S608
_REPLACE_ACCOUNT = """
UPDATE staff_accounts SET login = $3, name = $4, roles = $5, created_ms = $6, password = $7, disabled = $8,
    language = $9, seen_ms = $10
WHERE tenant = $1 AND id = $2
"""
_END_SESSIONS = "DELETE FROM staff_sessions WHERE tenant = $1 AND account = $2 AND token_hash <> $3"
_END_LINKS = "DELETE FROM staff_links WHERE tenant = $1 AND account = $2"
_END_OLD = """
DELETE FROM staff_sessions WHERE tenant = $1 AND token_hash IN (
    SELECT token_hash FROM staff_sessions WHERE tenant = $1 AND (used_ms <= $2 OR begun_ms <= $3)
    FOR UPDATE SKIP LOCKED
)
"""
_BEGIN_SESSION = f"INSERT INTO staff_sessions ({SESSION_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)"  # noqa: S608
_READ_SESSION = f"SELECT {SESSION_COLUMNS} FROM staff_sessions WHERE {_THIS}"  # noqa: S608
_READ_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = $1 AND id = $2"  # noqa: S608
_IDENTITY = "SELECT account FROM staff_identities WHERE tenant = $1 AND issuer = $2 AND subject = $3"
_BIND = f"INSERT INTO staff_identities ({IDENTITY_COLUMNS}) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING"  # noqa: S608
_UNBIND = """
WITH gone AS (DELETE FROM staff_identities WHERE tenant = $1 AND account = $2 RETURNING 1) SELECT count(*) FROM gone
"""
_TOUCH_SESSION = f"UPDATE staff_sessions SET used_ms = greatest(used_ms, $3) WHERE {_THIS} RETURNING account"  # noqa: S608
_SEEN = "UPDATE staff_accounts SET seen_ms = greatest(seen_ms, $3) WHERE tenant = $1 AND id = $2"
_END_SESSION = f"DELETE FROM staff_sessions WHERE {_THIS}"  # noqa: S608
_DROP_LINKS = (
    "DELETE FROM staff_links WHERE tenant = $1 AND (expires_ms <= $2 OR (account = $3 AND account <> ''))"
)
_ADD_LINK = "INSERT INTO staff_links (tenant, token_hash, account, expires_ms) VALUES ($1, $2, $3, $4)"
_USE_LINK = f"DELETE FROM staff_links WHERE {_THIS} RETURNING account, expires_ms"  # noqa: S608


class PostgresStaff:
    """The accounts of a database. See the port :class:`assistant.staff.store.StaffStore`."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "staff accounts cannot be kept")

    async def add_account(self, account: Account) -> bool:
        """Store a new account; returns False if there is one with this login."""
        async with self._seeing(account.tenant) as connection:
            return await connection.fetchval(_ADD_ACCOUNT, *account_values(account)) is True

    async def find_account(self, tenant: str, login: str) -> Account | None:
        """The account with this login."""
        async with self._seeing(tenant) as connection:
            row = await connection.fetchrow(_FIND_ACCOUNT, tenant, login)
        return None if row is None else _account(row)

    async def list_accounts(self, tenant: str) -> list[Account]:
        """All accounts of the tenant, by login."""
        async with self._seeing(tenant) as connection:
            return [_account(row) for row in await connection.fetch(_LIST_ACCOUNTS, tenant)]

    async def change_account(
        self, tenant: str, account_id: str, change: AccountChange, keep_session: str = ""
    ) -> Account:
        """Change an account, and end its sessions if the change demands it. Raises ``StaffRefused``."""
        async with self._seeing(tenant) as connection:
            accounts = [_account(row) for row in await connection.fetch(_LOCK_ACCOUNTS, tenant)]
            before, after = changed_account(accounts, account_id, change)
            await connection.execute(_REPLACE_ACCOUNT, *account_values(after))
            if ends_sessions(before, after):
                await connection.execute(_END_SESSIONS, tenant, account_id, keep_session)
                await connection.execute(_END_LINKS, tenant, account_id)
        return after

    async def find_identity(self, tenant: str, issuer: str, subject: str) -> Account | None:
        """The account of this person of an identity provider."""
        async with self._seeing(tenant) as connection:
            found = await connection.fetchval(_IDENTITY, tenant, storable(issuer), storable(subject))
            row = await connection.fetchrow(_READ_ACCOUNT, tenant, cast("str | None", found))
        return None if row is None else _account(row)

    async def bind_identity(self, tenant: str, issuer: str, subject: str, account_id: str) -> bool:
        """Give an account to a person of an identity provider; returns False if it is another person's."""
        person = tenant, storable(issuer), storable(subject)
        async with self._seeing(tenant) as connection:
            await connection.execute(_BIND, *person, account_id)
            return await connection.fetchval(_IDENTITY, *person) == account_id

    async def unbind_identities(self, tenant: str, account_id: str) -> int:
        """Take an account from the persons of identity providers."""
        async with self._seeing(tenant) as connection:
            return cast("int", await connection.fetchval(_UNBIND, tenant, account_id))

    async def begin_session(
        self, session: StaffSession, *, unused_since_ms: int, begun_before_ms: int
    ) -> None:
        """Store a session, and delete old ones."""
        async with self._seeing(session.tenant) as connection:
            await connection.execute(_END_OLD, session.tenant, unused_since_ms, begun_before_ms)
            await connection.execute(_BEGIN_SESSION, *session_values(session))
            await connection.execute(_SEEN, session.tenant, session.account, session.used_ms)

    async def read_session(self, tenant: str, token_hash: str) -> tuple[StaffSession, Account] | None:
        """A session and its account as it is now."""
        async with self._seeing(tenant) as connection:
            found = await connection.fetchrow(_READ_SESSION, tenant, token_hash)
            if found is None:
                return None
            session = session_from(cast("SessionRow", tuple(found.values())))
            row = await connection.fetchrow(_READ_ACCOUNT, tenant, session.account)
        return None if row is None else (session, _account(row))

    async def touch_session(self, tenant: str, token_hash: str, used_ms: int) -> None:
        """Note that a session was used, and its account seen."""
        async with self._seeing(tenant) as connection:
            account = await connection.fetchval(_TOUCH_SESSION, tenant, token_hash, used_ms)
            if account is not None:
                await connection.execute(_SEEN, tenant, str(account), used_ms)

    async def end_session(self, tenant: str, token_hash: str) -> None:
        """Delete a session."""
        async with self._seeing(tenant) as connection:
            await connection.execute(_END_SESSION, tenant, token_hash)

    async def add_link(self, link: OneTimeLink, now_ms: int) -> None:
        """Store a link in place of the account's earlier one."""
        async with self._seeing(link.tenant) as connection:
            await connection.execute(_DROP_LINKS, link.tenant, now_ms, link.account)
            await connection.execute(_ADD_LINK, link.tenant, link.token_hash, link.account, link.expires_ms)

    async def use_link(self, tenant: str, token_hash: str, now_ms: int) -> OneTimeLink | None:
        """Delete a link and return it, before it expires. Of two servers, one gets it."""
        async with self._seeing(tenant) as connection:
            row = await connection.fetchrow(_USE_LINK, tenant, token_hash)
        if row is None:
            return None
        return link_from(tenant, token_hash, cast("tuple[str, int]", tuple(row.values())), now_ms)


def _account(row: Row) -> Account:
    return account_from(cast("AccountRow", tuple(row.values())))


_ADD_RECORD = f"""
INSERT INTO staff_audit ({AUDIT_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
RETURNING number
"""  # noqa: S608
_FINISH_RECORD = """
UPDATE staff_audit SET outcome = $3, kind = $4, object = $5, customer = $6, detail = $7
WHERE tenant = $1 AND number = $2 AND outcome = 'begun'
"""
_LIST_RECORDS = f"""
SELECT number, {AUDIT_COLUMNS} FROM staff_audit WHERE tenant = $1 AND number < $2
    AND ($3::text = '' OR account = $3) AND ($4::text = '' OR action = $4) ORDER BY number DESC LIMIT $5
"""  # noqa: S608
_ERASE_RECORDS = """
WITH gone AS (
    UPDATE staff_audit SET customer = '', object = '', detail = ''
    WHERE tenant = $1 AND customer = $2 AND customer <> ''
    RETURNING 1
) SELECT count(*) FROM gone
"""
_DROP_RECORDS = """
WITH gone AS (DELETE FROM staff_audit WHERE tenant = $1 AND at_ms < $2 RETURNING 1) SELECT count(*) FROM gone
"""


class PostgresAudit:
    """What people did in the console. See the port :class:`assistant.staff.store.AuditStore`."""

    def __init__(self, connections: ConnectionPool) -> None:
        self._connections = connections

    def _seeing(self, tenant: str) -> AbstractAsyncContextManager[Connection]:
        return seeing(self._connections, tenant, "what staff does cannot be recorded")

    async def add_record(self, record: AuditRecord) -> int:
        """Store a record; returns its number."""
        row = (storable(value) if isinstance(value, str) else value for value in audit_values(record))
        async with self._seeing(record.tenant) as connection:
            return cast("int", await connection.fetchval(_ADD_RECORD, *row))

    async def finish_record(self, record: AuditRecord) -> None:
        """Write what came of a record that has begun."""
        values = map(storable, finish_values(record))
        async with self._seeing(record.tenant) as connection:
            await connection.execute(_FINISH_RECORD, record.tenant, record.number, *values)

    async def list_records(
        self, tenant: str, *, before: int | None, limit: int, account: str = "", action: str = ""
    ) -> list[AuditRecord]:
        """Records with a number below ``before``, newest first."""
        values = NEWEST_FIRST if before is None else before, storable(account), storable(action), limit
        async with self._seeing(tenant) as connection:
            rows = await connection.fetch(_LIST_RECORDS, tenant, *values)
        found = [tuple(row.values()) for row in rows]
        return [audit_from(cast("int", row[0]), cast("AuditRow", row[1:])) for row in found]

    async def erase(self, tenant: str, customer: str) -> int:
        """Remove a customer's id, and what was seen of them, from the records."""
        async with self._seeing(tenant) as connection:
            return cast("int", await connection.fetchval(_ERASE_RECORDS, tenant, customer))

    async def drop_records(self, tenant: str, before_ms: int) -> int:
        """Delete the records of before this time."""
        async with self._seeing(tenant) as connection:
            return cast("int", await connection.fetchval(_DROP_RECORDS, tenant, before_ms))

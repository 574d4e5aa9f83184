"""Accounts of staff, their sessions and links, and the records of what they did, in one small SQLite file."""

import sqlite3
from contextlib import closing
from pathlib import Path

from assistant.staff.accounts import Account, AccountChange, changed_account, ends_sessions
from assistant.staff.audit import AuditRecord, Outcome
from assistant.staff.roles import ROLES
from assistant.staff.sessions import OneTimeLink, SignedInBy, StaffSession
from assistant.store.sqlite.file import SqliteKeyValue, transaction

STAFF_FILE = "staff.db"
"""The file's name in a data folder."""

STAFF_TABLES = """
CREATE TABLE IF NOT EXISTS staff_accounts (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    login      TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    roles      TEXT    NOT NULL,  -- with blanks between
    created_ms INTEGER NOT NULL,
    password   TEXT    NOT NULL,  -- an Argon2 hash; '' is none
    disabled   INTEGER NOT NULL,
    language   TEXT    NOT NULL,
    seen_ms    INTEGER NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, login)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staff_identities (
    tenant  TEXT NOT NULL,
    issuer  TEXT NOT NULL,  -- an identity provider
    subject TEXT NOT NULL,  -- a person there
    account TEXT NOT NULL,
    PRIMARY KEY (tenant, issuer, subject),
    UNIQUE (tenant, issuer, account)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staff_sessions (
    tenant     TEXT    NOT NULL,
    token_hash TEXT    NOT NULL,
    account    TEXT    NOT NULL,
    signed_in  TEXT    NOT NULL,  -- by what: password, link, oidc
    begun_ms   INTEGER NOT NULL,
    used_ms    INTEGER NOT NULL,
    PRIMARY KEY (tenant, token_hash)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staff_links (
    tenant     TEXT    NOT NULL,
    token_hash TEXT    NOT NULL,
    account    TEXT    NOT NULL,
    expires_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, token_hash)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS staff_audit (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant   TEXT    NOT NULL,
    at_ms    INTEGER NOT NULL,
    account  TEXT    NOT NULL,
    login    TEXT    NOT NULL,
    action   TEXT    NOT NULL,
    kind     TEXT    NOT NULL,
    object   TEXT    NOT NULL,
    customer TEXT    NOT NULL,
    detail   TEXT    NOT NULL,
    address  TEXT    NOT NULL,
    outcome  TEXT    NOT NULL
);
CREATE INDEX IF NOT EXISTS staff_audit_newest ON staff_audit (tenant, number);
"""

ACCOUNT_COLUMNS = "tenant, id, login, name, roles, created_ms, password, disabled, language, seen_ms"
IDENTITY_COLUMNS = "tenant, issuer, subject, account"
SESSION_COLUMNS = "tenant, token_hash, account, signed_in, begun_ms, used_ms"
AUDIT_COLUMNS = "tenant, at_ms, account, login, action, kind, object, customer, detail, address, outcome"

AccountRow = tuple[str, str, str, str, str, int, str, int, str, int]
SessionRow = tuple[str, str, str, SignedInBy, int, int]
AuditRow = tuple[str, int, str, str, str, str, str, str, str, str, Outcome]


def account_values(account: Account) -> AccountRow:
    """An account as a row."""
    return (
        account.tenant,
        account.id,
        account.login,
        account.name,
        " ".join(role for role in ROLES if role in account.roles),
        account.created_ms,
        account.password,
        int(account.disabled),
        account.language,
        account.seen_ms,
    )


def account_from(row: AccountRow) -> Account:
    """The inverse of :func:`account_values`. A role of another release is ignored."""
    tenant, id_, login, name, roles, created_ms, password, disabled, language, seen_ms = row
    return Account(
        tenant=tenant,
        id=id_,
        login=login,
        name=name,
        roles=frozenset(role for role in ROLES if role in roles.split()),
        created_ms=created_ms,
        password=password,
        disabled=bool(disabled),
        language=language,
        seen_ms=seen_ms,
    )


def session_values(session: StaffSession) -> SessionRow:
    """A session as a row."""
    return (
        session.tenant,
        session.token_hash,
        session.account,
        session.by,
        session.begun_ms,
        session.used_ms,
    )


def session_from(row: SessionRow) -> StaffSession:
    """The inverse of :func:`session_values`."""
    tenant, hashed, account, by, begun_ms, used_ms = row
    return StaffSession(
        tenant=tenant, token_hash=hashed, account=account, by=by, begun_ms=begun_ms, used_ms=used_ms
    )


def audit_values(record: AuditRecord) -> AuditRow:
    """A record as a row, without its number."""
    return (
        record.tenant,
        record.at_ms,
        record.account,
        record.login,
        record.action,
        record.kind,
        record.object,
        record.customer,
        record.detail,
        record.address,
        record.outcome,
    )


def audit_from(number: int, row: AuditRow) -> AuditRecord:
    """The inverse of :func:`audit_values`."""
    tenant, at_ms, account, login, action, kind, object_, customer, detail, address, outcome = row
    return AuditRecord(
        tenant=tenant,
        at_ms=at_ms,
        account=account,
        login=login,
        action=action,
        kind=kind,
        object=object_,
        customer=customer,
        detail=detail,
        address=address,
        outcome=outcome,
        number=number,
    )


_THIS = "tenant = ? AND token_hash = ?"
_ADD_ACCOUNT = "INSERT OR IGNORE INTO staff_accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_FIND_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = ? AND login = ?"  # noqa: S608 - constants, as everywhere here
_LIST_ACCOUNTS = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = ? ORDER BY login"  # noqa: S608
_REPLACE_ACCOUNT = "REPLACE INTO staff_accounts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_END_SESSIONS = "DELETE FROM staff_sessions WHERE tenant = ? AND account = ? AND token_hash <> ?"
_END_LINKS = "DELETE FROM staff_links WHERE tenant = ? AND account = ?"
_END_OLD = "DELETE FROM staff_sessions WHERE tenant = ? AND (used_ms <= ? OR begun_ms <= ?)"
_BEGIN_SESSION = "INSERT INTO staff_sessions VALUES (?, ?, ?, ?, ?, ?)"
_READ_SESSION = f"SELECT {SESSION_COLUMNS} FROM staff_sessions WHERE {_THIS}"  # noqa: S608
_READ_ACCOUNT = f"SELECT {ACCOUNT_COLUMNS} FROM staff_accounts WHERE tenant = ? AND id = ?"  # noqa: S608
_IDENTITY = "SELECT account FROM staff_identities WHERE tenant = ? AND issuer = ? AND subject = ?"
_BIND = "INSERT OR IGNORE INTO staff_identities VALUES (?, ?, ?, ?)"
_UNBIND = "DELETE FROM staff_identities WHERE tenant = ? AND account = ?"
_TOUCH_SESSION = f"UPDATE staff_sessions SET used_ms = max(used_ms, ?) WHERE {_THIS} RETURNING account"  # noqa: S608
_SEEN = "UPDATE staff_accounts SET seen_ms = max(seen_ms, ?) WHERE tenant = ? AND id = ?"
_END_SESSION = f"DELETE FROM staff_sessions WHERE {_THIS}"  # noqa: S608
_DROP_LINKS = (
    "DELETE FROM staff_links WHERE tenant = ? AND (expires_ms <= ? OR (account = ? AND account <> ''))"
)
_ADD_LINK = "INSERT INTO staff_links VALUES (?, ?, ?, ?)"
_USE_LINK = f"DELETE FROM staff_links WHERE {_THIS} RETURNING account, expires_ms"  # noqa: S608


class SqliteStaff:
    """The accounts of a data folder. See the port :class:`assistant.staff.store.StaffStore`.

    Args:
        file: ``STAFF_FILE``, made with ``STAFF_TABLES``; closed by its owner.
    """

    def __init__(self, file: SqliteKeyValue) -> None:
        self._file = file

    async def add_account(self, account: Account) -> bool:
        """Store a new account; returns False if there is one with this login."""
        row = account_values(account)
        return await self._file.ask(lambda file: file.execute(_ADD_ACCOUNT, row).rowcount == 1)

    async def find_account(self, tenant: str, login: str) -> Account | None:
        """The account with this login."""
        if not self._file.exists:
            return None
        row = await self._file.ask(lambda file: file.execute(_FIND_ACCOUNT, (tenant, login)).fetchone())
        return None if row is None else account_from(row)

    async def list_accounts(self, tenant: str) -> list[Account]:
        """All accounts of the tenant, by login."""
        if not self._file.exists:
            return []
        rows = await self._file.ask(lambda file: file.execute(_LIST_ACCOUNTS, (tenant,)).fetchall())
        return [account_from(row) for row in rows]

    async def change_account(
        self, tenant: str, account_id: str, change: AccountChange, keep_session: str = ""
    ) -> Account:
        """Change an account, and end its sessions if the change demands it. Raises ``StaffRefused``."""

        def changed(file: sqlite3.Connection) -> Account:
            with transaction(file, "IMMEDIATE"):
                rows = file.execute(_LIST_ACCOUNTS, (tenant,)).fetchall()
                before, after = changed_account([account_from(row) for row in rows], account_id, change)
                file.execute(_REPLACE_ACCOUNT, account_values(after))
                if ends_sessions(before, after):
                    file.execute(_END_SESSIONS, (tenant, account_id, keep_session))
                    file.execute(_END_LINKS, (tenant, account_id))
            return after

        return await self._file.ask(changed)

    async def find_identity(self, tenant: str, issuer: str, subject: str) -> Account | None:
        """The account of this person of an identity provider."""
        if not self._file.exists:
            return None

        def read(file: sqlite3.Connection) -> Account | None:
            with transaction(file, "DEFERRED"):
                found = file.execute(_IDENTITY, (tenant, issuer, subject)).fetchone()
                row = found and file.execute(_READ_ACCOUNT, (tenant, *found)).fetchone()
            return account_from(row) if row else None

        return await self._file.ask(read)

    async def bind_identity(self, tenant: str, issuer: str, subject: str, account_id: str) -> bool:
        """Give an account to a person of an identity provider; returns False if it is another person's."""

        def bind(file: sqlite3.Connection) -> bool:
            with transaction(file, "IMMEDIATE"):
                file.execute(_BIND, (tenant, issuer, subject, account_id))
                return file.execute(_IDENTITY, (tenant, issuer, subject)).fetchone() == (account_id,)

        return await self._file.ask(bind)

    async def unbind_identities(self, tenant: str, account_id: str) -> int:
        """Take an account from the persons of identity providers."""
        return await self._file.ask(lambda file: file.execute(_UNBIND, (tenant, account_id)).rowcount)

    async def begin_session(
        self, session: StaffSession, *, unused_since_ms: int, begun_before_ms: int
    ) -> None:
        """Store a session, and delete old ones."""
        old, row = (session.tenant, unused_since_ms, begun_before_ms), session_values(session)
        seen = session.used_ms, session.tenant, session.account

        def begin(file: sqlite3.Connection) -> None:
            with transaction(file, "IMMEDIATE"):
                file.execute(_END_OLD, old)
                file.execute(_BEGIN_SESSION, row)
                file.execute(_SEEN, seen)

        await self._file.ask(begin)

    async def read_session(self, tenant: str, token_hash: str) -> tuple[StaffSession, Account] | None:
        """A session and its account as it is now."""
        if not self._file.exists:
            return None

        def read(file: sqlite3.Connection) -> tuple[StaffSession, Account] | None:
            with transaction(file, "DEFERRED"):
                found = file.execute(_READ_SESSION, (tenant, token_hash)).fetchone()
                if found is None:
                    return None
                session = session_from(found)
                row = file.execute(_READ_ACCOUNT, (tenant, session.account)).fetchone()
            return None if row is None else (session, account_from(row))

        return await self._file.ask(read)

    async def touch_session(self, tenant: str, token_hash: str, used_ms: int) -> None:
        """Note that a session was used, and its account seen."""

        def touch(file: sqlite3.Connection) -> None:
            with transaction(file, "IMMEDIATE"):
                for (account,) in file.execute(_TOUCH_SESSION, (used_ms, tenant, token_hash)).fetchall():
                    file.execute(_SEEN, (used_ms, tenant, account))

        await self._file.ask(touch)

    async def end_session(self, tenant: str, token_hash: str) -> None:
        """Delete a session."""
        await self._file.ask(lambda file: file.execute(_END_SESSION, (tenant, token_hash)))

    async def add_link(self, link: OneTimeLink, now_ms: int) -> None:
        """Store a link in place of the account's earlier one."""
        old = link.tenant, now_ms, link.account
        row = link.tenant, link.token_hash, link.account, link.expires_ms
        await self._file.ask(lambda file: (file.execute(_DROP_LINKS, old), file.execute(_ADD_LINK, row)))

    async def use_link(self, tenant: str, token_hash: str, now_ms: int) -> OneTimeLink | None:
        """Delete a link and return it, before it expires."""
        if not self._file.exists:
            return None
        # Fetched to the end: a statement that returns rows is not finished before.
        rows = await self._file.ask(lambda file: file.execute(_USE_LINK, (tenant, token_hash)).fetchall())
        return link_from(tenant, token_hash, rows[0], now_ms) if rows else None


def link_from(tenant: str, token_hash: str, row: tuple[str, int], now_ms: int) -> OneTimeLink | None:
    """A link of the storage; None if it has expired."""
    account, expires_ms = row
    if expires_ms <= now_ms:
        return None
    return OneTimeLink(tenant=tenant, token_hash=token_hash, account=account, expires_ms=expires_ms)


def finish_values(record: AuditRecord) -> tuple[Outcome, str, str, str, str]:
    """What is known of an action only at its end."""
    return record.outcome, record.kind, record.object, record.customer, record.detail


def end_all_sessions(path: Path) -> None:
    """Delete the sessions and links in a file that was restored: they may have ended since."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.executescript("DELETE FROM staff_sessions; DELETE FROM staff_links;")


_ADD_RECORD = f"INSERT INTO staff_audit ({AUDIT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608
_FINISH_RECORD = (
    "UPDATE staff_audit SET outcome = ?, kind = ?, object = ?, customer = ?, detail = ?"
    " WHERE tenant = ? AND number = ? AND outcome = 'begun'"
)
_LIST_RECORDS = (
    f"SELECT number, {AUDIT_COLUMNS} FROM staff_audit WHERE tenant = ?1 AND number < ?2"  # noqa: S608
    " AND (?3 = '' OR account = ?3) AND (?4 = '' OR action = ?4) ORDER BY number DESC LIMIT ?5"
)
_ERASE_RECORDS = (
    "UPDATE staff_audit SET customer = '', object = '', detail = ''"
    " WHERE tenant = ? AND customer = ? AND customer <> ''"
)
_DROP_RECORDS = "DELETE FROM staff_audit WHERE tenant = ? AND at_ms < ?"

NEWEST_FIRST = 2**62
"""A number above those of all records."""


class SqliteAudit:
    """What people did in the console. See the port :class:`assistant.staff.store.AuditStore`.

    Args:
        file: the file of :class:`SqliteStaff`.
    """

    def __init__(self, file: SqliteKeyValue) -> None:
        self._file = file

    async def add_record(self, record: AuditRecord) -> int:
        """Store a record; returns its number."""
        row = audit_values(record)
        return await self._file.ask(lambda file: file.execute(_ADD_RECORD, row).lastrowid or 0)

    async def finish_record(self, record: AuditRecord) -> None:
        """Write what came of a record that has begun."""
        values = (*finish_values(record), record.tenant, record.number)
        await self._file.ask(lambda file: file.execute(_FINISH_RECORD, values))

    async def list_records(
        self, tenant: str, *, before: int | None, limit: int, account: str = "", action: str = ""
    ) -> list[AuditRecord]:
        """Records with a number below ``before``, newest first."""
        if not self._file.exists:
            return []
        values = tenant, NEWEST_FIRST if before is None else before, account, action, limit
        rows = await self._file.ask(lambda file: file.execute(_LIST_RECORDS, values).fetchall())
        return [audit_from(row[0], row[1:]) for row in rows]

    async def erase(self, tenant: str, customer: str) -> int:
        """Remove a customer's id, and what was seen of them, from the records."""
        if not self._file.exists:
            return 0
        return await self._file.ask(lambda file: file.execute(_ERASE_RECORDS, (tenant, customer)).rowcount)

    async def drop_records(self, tenant: str, before_ms: int) -> int:
        """Delete the records of before this time."""
        if not self._file.exists:
            return 0
        return await self._file.ask(lambda file: file.execute(_DROP_RECORDS, (tenant, before_ms)).rowcount)

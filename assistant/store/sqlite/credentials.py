"""Data of signed-in customers: their credentials, encrypted, and the sign-in tokens that were already used."""

import sqlite3
from pathlib import Path

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.ports import Clock, Keys
from assistant.store.credential_cipher import CredentialCipher
from assistant.store.sqlite.file import SqliteKeyValue

CREDENTIALS_TABLE = """
CREATE TABLE IF NOT EXISTS credentials (
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    expires_ms   INTEGER NOT NULL,
    sealed       BLOB    NOT NULL,  -- nonce, then token and claims by AES-256-GCM
    PRIMARY KEY (tenant, customer, conversation)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS credentials_expire ON credentials (expires_ms);
"""

_ROW = "tenant, customer, conversation, expires_ms, sealed"
_ROW_IS = " AND ".join(f"{column} = ?" for column in _ROW.split(", "))


class SqliteCredentials:
    """Stores one credential for each conversation until it expires. Each method raises ``LogError``.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.
        keys: the installation's secrets, at least 32 bytes each.
        clock: measures when a credential expires.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path, keys: bytes | Keys, clock: Clock) -> None:
        self._file = SqliteKeyValue(path, CREDENTIALS_TABLE, "credentials")
        self._cipher, self._clock = CredentialCipher(keys), clock

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        """Store the credential and replace the conversation's earlier credential. It is on disk when this
        returns.
        """
        row = (*_names(key), credential.expires_ms, self._cipher.encrypt(key, credential))
        now_ms = self._clock.now_ms()
        await self._file.ask(
            lambda file: (
                file.execute("DELETE FROM credentials WHERE expires_ms <= ?", (now_ms,)),
                file.execute("REPLACE INTO credentials VALUES (?, ?, ?, ?, ?)", row),
            )
        )

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        """The conversation's credential; None if there is none, or if it has expired or cannot be read."""
        whose = "tenant = ? AND customer = ? AND conversation = ?"
        question = f"SELECT expires_ms, sealed FROM credentials WHERE {whose}"  # noqa: S608 - a constant
        row = await self._file.ask(lambda file: file.execute(question, _names(key)).fetchone())
        if row is None or row[0] <= self._clock.now_ms():
            return None
        return self._cipher.decrypt(key, int(row[0]), bytes(row[1]))

    async def reseal(self) -> int:
        """Encrypt all credentials again with the current secret; returns their number. A credential that
        cannot be decrypted stays unchanged.
        """
        if not self._file.exists:
            return 0

        rows = await self._file.ask(
            lambda file: file.execute(f"SELECT {_ROW} FROM credentials").fetchall()  # noqa: S608 - constants
        )
        changes = list(self._cipher.resealed(rows))
        # Only those that were not replaced meanwhile.
        order = f"UPDATE credentials SET sealed = ? WHERE {_ROW_IS}"  # noqa: S608
        await self._file.ask(lambda file: file.executemany(order, changes))
        return len(changes)

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all credentials of a customer permanently; returns their number."""
        if not self._file.exists:
            return 0
        order = "DELETE FROM credentials WHERE tenant = ? AND customer = ?"
        return await self._file.ask(lambda file: file.execute(order, (tenant, customer)).rowcount)

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()


def _names(key: ConversationKey) -> tuple[str, str, str]:
    return key.tenant, key.customer, key.conversation


USED_TOKENS_TABLE = """
CREATE TABLE IF NOT EXISTS used_tokens (
    tenant   TEXT    NOT NULL,
    id       TEXT    NOT NULL,
    until_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS used_tokens_until ON used_tokens (until_ms);
CREATE TABLE IF NOT EXISTS used (id TEXT PRIMARY KEY, until_ms INTEGER NOT NULL) WITHOUT ROWID;
INSERT OR IGNORE INTO used_tokens SELECT 'demo', id, until_ms FROM used;  -- of the release before tenants
DROP TABLE used;
"""


class SqliteUsedTokens:
    """Remembers used tokens until they would be too old anyway. The data survive a crash.

    Args:
        path: the file; created at the first use, readable by its owner alone. Its folder must exist.

    Raises:
        DeclarationError: the file cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self._file = SqliteKeyValue(path, USED_TOKENS_TABLE, "used tokens")

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Mark a tenant's token as used until ``until_ms``; returns whether this is the first time.

        It is on disk when this returns. Raises ``LogError`` if it cannot be stored: then accept no token.
        """

        def note(file: sqlite3.Connection) -> bool:
            file.execute("DELETE FROM used_tokens WHERE until_ms <= ?", (now_ms,))
            noted = file.execute(
                "INSERT OR IGNORE INTO used_tokens VALUES (?, ?, ?)", (tenant, token_id, until_ms)
            )
            return noted.rowcount == 1

        return await self._file.ask(note)

    async def close(self) -> None:
        """Finish pending work and close the file."""
        await self._file.close()

"""Reads a log's file while a server may write to it, for operators' commands."""

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import DeclarationError
from assistant.store.documents.sqlite import find_named
from assistant.store.keyring import InstallationSecret
from assistant.store.sqlite.bundles import read_bundle
from assistant.store.sqlite.data_folder import read_secret
from assistant.store.sqlite.file import check_format, connect_to_read
from assistant.store.sqlite.log_rows import read_entries
from assistant.store.storage import LoggedConversation, StoredBundle

_LISTED = (
    "SELECT tenant, customer, conversation, ("
    "SELECT at_ms FROM entries WHERE entries.tenant = conversations.tenant"
    " AND entries.customer = conversations.customer AND entries.conversation = conversations.conversation"
    " ORDER BY seq DESC LIMIT 1) AS last_ms FROM conversations ORDER BY last_ms, conversation"
)


_HAS_WRITES = "SELECT 1 FROM sqlite_master WHERE name = 'writes'"
_WAITS = "SELECT 1 FROM writes WHERE tenant = ? AND ref = ?"
_HAS_BUNDLES = "SELECT 1 FROM pragma_table_info('bundles') WHERE name = 'tenant'"


_ERASED_AT = "SELECT erased_ms FROM commitments WHERE commitment = ?"


class LogReader:
    """A log's file, opened read-only. Create it with :func:`open_log`.

    It is no ``Log``, because it reads all customers' conversations, which only the operator may do. Reading
    blocks the event loop, so it is only for commands.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection

    @property
    def where(self) -> str:
        """The file's name."""
        return str(self._path)

    @property
    def keeps_documents(self) -> bool:
        """Whether this log has a queue of documents; the log of an older release has none."""
        return self._connection.execute(_HAS_WRITES).fetchone() is not None

    async def listed(self) -> list[LoggedConversation]:
        """All conversations of all customers; the one with the newest entry comes last."""
        return [
            LoggedConversation(
                ConversationKey(tenant=tenant, customer=customer, conversation=conversation), last_ms
            )
            for tenant, customer, conversation, last_ms in self._connection.execute(_LISTED)
        ]

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order."""
        return read_entries(self._connection, key, after)

    async def bundle(self, tenant: str, name: str) -> StoredBundle | None:
        """A tenant's stored bundle; None if it was not stored, as in the log of an older release."""
        if self._connection.execute(_HAS_BUNDLES).fetchone() is None:
            return None
        return read_bundle(self._connection, tenant, name)

    async def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is stored here: as a document, or waiting to become one."""
        if not self.keeps_documents:
            return False
        return bool(
            self._connection.execute(_WAITS, (tenant, ref)).fetchone()
            or find_named(self._connection, tenant, ref)
        )

    async def erased_at(self, commitment: bytes) -> int | None:
        """When the entries of this receipt were erased, in Unix ms; None if they were not erased here."""
        try:
            row = self._connection.execute(_ERASED_AT, (commitment,)).fetchone()
        except sqlite3.OperationalError:
            return None  # the log of an older release
        return None if row is None else int(row[0])

    async def secrets(self) -> InstallationSecret | None:
        """The secrets of the log's data folder; None if it has none yet."""
        text = read_secret(self._path.parent)
        return None if text is None else InstallationSecret.parse(text)


@asynccontextmanager
async def open_log(path: Path) -> AsyncGenerator[LogReader]:
    """Opens a log's file for reading until the end of the block.

    Raises:
        DeclarationError: there is no log here, the file is no log, or it has another format.
    """
    try:
        with closing(connect_to_read(path)) as connection:
            check_format(connection, str(path))
            yield LogReader(path, connection)
    except sqlite3.Error as error:
        raise DeclarationError(
            f"{path} cannot be read: {error}; is ASSISTANT_DATA_DIR right, and has it served before?"
        ) from error

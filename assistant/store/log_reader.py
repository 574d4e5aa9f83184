"""Reads a log's file while a server may write to it, for operators' commands."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import DeclarationError
from assistant.store.bundles import StoredBundle, read_bundle
from assistant.store.documents.sqlite import find_named
from assistant.store.sqlite_file import check_format, connect_to_read
from assistant.store.sqlite_log_rows import read_entries

_LISTED = (
    "SELECT tenant, customer, conversation, ("
    "SELECT at_ms FROM entries WHERE entries.tenant = conversations.tenant"
    " AND entries.customer = conversations.customer AND entries.conversation = conversations.conversation"
    " ORDER BY seq DESC LIMIT 1) AS last_ms FROM conversations ORDER BY last_ms, conversation"
)


@dataclass(frozen=True, slots=True)
class LoggedConversation:
    """A conversation, and the time of its last entry, in Unix ms."""

    key: ConversationKey
    last_ms: int


def conversations_in_log(path: Path) -> list[LoggedConversation]:
    """All conversations of all customers; the one with the newest entry comes last.

    Raises:
        DeclarationError: there is no log here, it is none, or it has another format.
    """
    try:
        with closing(connect_to_read(path)) as connection:
            check_format(connection, str(path))
            rows = connection.execute(_LISTED).fetchall()
    except sqlite3.Error as error:
        raise DeclarationError(
            f"{path} cannot be read: {error}; is ASSISTANT_DATA_DIR right, and has it served before?"
        ) from error
    return [
        LoggedConversation(
            ConversationKey(tenant=tenant, customer=customer, conversation=conversation), last_ms
        )
        for tenant, customer, conversation, last_ms in rows
    ]


_HAS_WRITES = "SELECT 1 FROM sqlite_master WHERE name = 'writes'"
_WAITS = "SELECT 1 FROM writes WHERE tenant = ? AND ref = ?"
_HAS_BUNDLES = "SELECT 1 FROM sqlite_master WHERE name = 'bundles'"


class LogReader:
    """A log's file, opened read-only; a context manager, which closes it.

    It is not a port, because it reads all customers' conversations, which only the operator may do.

    Raises:
        DeclarationError: there is no log here, it is none, or it has another format.
    """

    def __init__(self, path: Path) -> None:
        self._connection = _opened(path)

    def read(self, key: ConversationKey) -> list[Logged]:
        """All entries of the conversation, in order."""
        return read_entries(self._connection, key, 0)

    def bundle(self, name: str) -> StoredBundle | None:
        """The stored bundle; None if it was not stored, as in the log of an older release."""
        if self._connection.execute(_HAS_BUNDLES).fetchone() is None:
            return None
        return read_bundle(self._connection, name)

    def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is here, as a document or in the queue."""
        if not self.keeps_documents:
            return False
        return bool(
            self._connection.execute(_WAITS, (tenant, ref)).fetchone()
            or find_named(self._connection, tenant, ref)
        )

    @property
    def keeps_documents(self) -> bool:
        """Whether this log has a queue of documents; the log of an older release has none."""
        return self._connection.execute(_HAS_WRITES).fetchone() is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()


def _opened(path: Path) -> sqlite3.Connection:
    try:
        connection = connect_to_read(path)
        try:
            check_format(connection, str(path))
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise DeclarationError(
            f"{path} cannot be read: {error}; is ASSISTANT_DATA_DIR right, and has it served before?"
        ) from error
    return connection

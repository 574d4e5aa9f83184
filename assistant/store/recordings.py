"""Remembers where conversations were recorded to, so that a recording can be erased with its customer."""

import sqlite3
from contextlib import closing
from pathlib import Path

from assistant.conversation.people import ConversationKey
from assistant.errors import LogError
from assistant.store.connection import connect
from assistant.store.schema import bring_up_to_date

_NOTE = "INSERT OR IGNORE INTO recordings VALUES (?, ?, ?, ?)"
_LEFT = (
    "SELECT path FROM recordings WHERE NOT EXISTS (SELECT 1 FROM conversations WHERE"
    " conversations.tenant = recordings.tenant AND conversations.customer = recordings.customer"
    " AND conversations.conversation = recordings.conversation) ORDER BY path"
)
_DELETE = "DELETE FROM recordings WHERE path = ?"
_OF = "SELECT path FROM recordings WHERE tenant = ? AND customer = ? ORDER BY path"


def note_recording(log: Path, key: ConversationKey, path: Path) -> None:
    """Remember that the conversation was recorded to this file, in the log's own. Raises ``LogError``."""
    row = (key.tenant, key.customer, key.conversation, str(path.resolve()))
    try:
        with closing(connect(log)) as connection:
            bring_up_to_date(connection, str(log))
            connection.execute(_DELETE, row[-1:])  # what was there is written over
            connection.execute(_NOTE, row)
    except sqlite3.Error as error:
        raise LogError(f"{log} could not note where the recording is: {error}") from error


def recordings_of(log: Path, tenant: str, customer: str) -> list[Path]:
    """Where this customer's conversations were recorded to. Raises ``LogError``."""
    try:
        with closing(connect(log)) as connection:
            return [Path(path) for (path,) in connection.execute(_OF, (tenant, customer))]
    except sqlite3.Error as error:
        raise LogError(f"{log} could not tell where recordings are: {error}") from error


def left_over(log: Path) -> list[Path]:
    """Recordings of conversations that have been forgotten. Raises ``LogError``."""
    try:
        with closing(connect(log)) as connection:
            return [Path(path) for (path,) in connection.execute(_LEFT)]
    except sqlite3.Error as error:
        raise LogError(f"{log} could not tell where recordings are: {error}") from error


def forget_recording(log: Path, path: Path) -> None:
    """Remember no more that there was a recording here. Raises ``LogError``."""
    try:
        with closing(connect(log)) as connection:
            connection.execute(_DELETE, (str(path),))
    except sqlite3.Error as error:
        raise LogError(f"{log} could not forget a recording: {error}") from error

"""Lists the conversations of a log that a server may be writing to."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from assistant.conversation.people import ConversationKey
from assistant.errors import DeclarationError
from assistant.store.connection import connect_to_read
from assistant.store.schema import check_format

_LISTED = (
    "SELECT tenant, customer, conversation, ("
    "SELECT at_ms FROM entries WHERE entries.tenant = conversations.tenant"
    " AND entries.customer = conversations.customer AND entries.conversation = conversations.conversation"
    " ORDER BY seq DESC LIMIT 1) AS last_ms FROM conversations ORDER BY last_ms, conversation"
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A conversation, and when its last entry was made, in Unix ms."""

    key: ConversationKey
    last_ms: int


def conversations_in(path: Path) -> list[Listed]:
    """All conversations of everybody, the one that went on last at the end.

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
        Listed(ConversationKey(tenant=tenant, customer=customer, conversation=conversation), last_ms)
        for tenant, customer, conversation, last_ms in rows
    ]

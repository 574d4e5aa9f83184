"""Opens the storage that the settings name: all of it to serve, or the conversations alone to read them."""

from contextlib import AbstractAsyncContextManager

from assistant.ports import Clock, Ids
from assistant.settings import Settings
from assistant.store.sqlite_storage import LOG_FILE, open_sqlite_storage
from assistant.store.storage import Storage, StoredConversations


def open_storage(
    settings: Settings, clock: Clock, ids: Ids, *, exclusive: bool = True, create: bool = True
) -> AbstractAsyncContextManager[Storage]:
    """Everything that this installation stores; closed at the end of the block.

    Args:
        settings: say where.
        clock: measures when credentials expire.
        ids: makes the secret of a new installation.
        exclusive: serve conversations: refuse to share a data folder with another process, or take part in the
            servers of a database. A command that works while a server runs says False.
        create: begin a new installation if there is none.

    Entering it raises ``StorageInUse`` if another process uses the data folder, and ``DeclarationError`` if
    the storage cannot be used, or if there is none and ``create`` is False.
    """
    if settings.database is not None:
        from assistant.store.postgres.storage import open_postgres_storage

        address, lease_s = settings.database.get_secret_value(), settings.lease_s if exclusive else None
        return open_postgres_storage(address, clock, ids, lease_s=lease_s, create=create)
    return open_sqlite_storage(settings.data_dir, clock, ids, exclusive=exclusive, create=create)


def open_conversations(settings: Settings) -> AbstractAsyncContextManager[StoredConversations]:
    """All conversations, to read them while a server may write; closed at the end of the block.

    Entering it raises ``DeclarationError`` if there are none, or if they have another format.
    """
    if settings.database is not None:
        from assistant.store.postgres.storage import open_postgres_conversations

        return open_postgres_conversations(settings.database.get_secret_value())
    # Only commands need it.
    from assistant.store.log_reader import open_log

    return open_log(settings.data_dir / LOG_FILE)

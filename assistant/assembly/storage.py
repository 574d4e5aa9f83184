"""Opens the storage that the settings name: all of it for a server, or the conversations alone for reading.

With the settings of one of several tenants, only that tenant's part is opened.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from assistant.errors import DeclarationError
from assistant.jobs import FailedJob, failed_documents
from assistant.ports import Clock, Ids
from assistant.settings import Settings, TenantSettings
from assistant.settings_sources import environment
from assistant.store.keyring import InstallationSecret
from assistant.store.sqlite.data_folder import place_of, read_secret, replace_secret
from assistant.store.sqlite.jobs import SqliteJobs
from assistant.store.sqlite.storage import JOBS_FILE, LOG_FILE, open_sqlite_storage
from assistant.store.sqlite.write_queue import waiting_documents
from assistant.store.storage import Storage, StoredConversations
from assistant.store.tenant_view import TenantConversations, view_of


@asynccontextmanager
async def open_storage(
    settings: Settings, clock: Clock, ids: Ids, *, exclusive: bool = True, create: bool = True
) -> AsyncGenerator[Storage]:
    """Opens all storage of this installation; closed at the end of the block.

    Args:
        settings: select the storage.
        clock: measures when credentials expire.
        ids: makes the secret of a new installation.
        exclusive: for a server: refuse to share a data folder with another process, or join the servers of a
            database. False is for a command that works while a server runs.
        create: begin a new installation if there is none.

    Raises:
        StorageInUse: another process uses the data folder.
        DeclarationError: the storage cannot be used, or there is none and ``create`` is False.
    """
    async with _with_media(settings, clock, ids, exclusive=exclusive, create=create) as storage:
        yield part_of(storage, settings)


def part_of(storage: Storage, settings: Settings) -> Storage:
    """A company's part of the installation's storage; all of it if there is only one tenant."""
    return view_of(storage, settings.tenant) if isinstance(settings, TenantSettings) else storage


@asynccontextmanager
async def _with_media(
    settings: Settings, clock: Clock, ids: Ids, *, exclusive: bool, create: bool
) -> AsyncGenerator[Storage]:
    async with _entries(settings, clock, ids, exclusive=exclusive, create=create) as storage:
        if settings.media_store is None:
            yield storage
            return
        from assistant.store.media_store import MediaLog, MediaStore

        yield replace(
            storage, log=MediaLog(storage.log, MediaStore(settings.media_store, environment(settings)))
        )


def _entries(
    settings: Settings, clock: Clock, ids: Ids, *, exclusive: bool, create: bool
) -> AbstractAsyncContextManager[Storage]:
    if settings.database is not None:
        lease_s = settings.lease_s if exclusive else None
        return _database(settings.database.get_secret_value(), settings.data_dir, clock, ids, lease_s, create)
    return open_sqlite_storage(settings.data_dir, clock, ids, exclusive=exclusive, create=create)


@asynccontextmanager
async def _database(
    address: str, folder: Path, clock: Clock, ids: Ids, lease_s: float | None, create: bool
) -> AsyncGenerator[Storage]:
    from assistant.store.postgres.storage import open_postgres_storage

    if create:
        with suppress(OSError):  # a server may have no folder for files
            folder.mkdir(parents=True, exist_ok=True)
    async with open_postgres_storage(address, clock, ids, lease_s=lease_s, create=create) as storage:
        yield replace(storage, place=place_of(folder, ids.new))


async def change_secret(
    settings: Settings, change: Callable[[InstallationSecret], InstallationSecret]
) -> InstallationSecret:
    """Replace the installation's secrets; servers read them again within seconds. Returns the new ones.

    Raises ``DeclarationError`` if there are none yet, or they cannot be written.
    """
    if settings.database is not None:
        from assistant.store.postgres.storage import change_secret as change_in_database

        return await change_in_database(settings.database.get_secret_value(), change)
    before = read_secret(settings.data_dir)
    if before is None:
        raise DeclarationError(f"there is no {settings.data_dir / 'secret'}: it is made at the first start")
    after = change(InstallationSecret.parse(before))
    replace_secret(settings.data_dir, before, after.text)
    return after


async def failed_jobs(settings: Settings, clock: Clock) -> list[FailedJob]:
    """The background jobs that failed permanently, including documents. Changes nothing.

    Raises ``LogError``, ``StoreError`` and ``DeclarationError`` if the storage cannot be used.
    """
    if settings.database is not None:
        from assistant.store.postgres.inspection import failed_jobs as failed_in_database

        return await failed_in_database(settings.database.get_secret_value(), clock)
    documents = failed_documents(waiting_documents(settings.data_dir / LOG_FILE))
    path = settings.data_dir / JOBS_FILE
    if not path.is_file():
        return documents
    jobs = SqliteJobs(path, clock)
    try:
        return [*await jobs.failed(), *documents]
    finally:
        await jobs.close()


@asynccontextmanager
async def open_conversations(settings: Settings) -> AsyncGenerator[StoredConversations]:
    """All conversations, for reading while a server may write; closed at the end of the block.

    Raises:
        DeclarationError: there are no conversations, or they have another format.
    """
    async with _with_their_media(settings) as stored:
        own = isinstance(settings, TenantSettings)
        yield TenantConversations(settings.tenant, stored) if own else stored


@asynccontextmanager
async def _with_their_media(settings: Settings) -> AsyncGenerator[StoredConversations]:
    async with _conversations(settings) as conversations:
        if settings.media_store is None:
            yield conversations
            return
        from assistant.store.media_store import ConversationsWithMedia, MediaStore

        yield ConversationsWithMedia(conversations, MediaStore(settings.media_store, environment(settings)))


def _conversations(settings: Settings) -> AbstractAsyncContextManager[StoredConversations]:
    if settings.database is not None:
        from assistant.store.postgres.storage import open_postgres_conversations

        return open_postgres_conversations(settings.database.get_secret_value())
    # Only commands need it.
    from assistant.store.sqlite.log_reader import open_log

    return open_log(settings.data_dir / LOG_FILE)

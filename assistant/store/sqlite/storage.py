"""Opens everything that an installation stores in a data folder, in SQLite files."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path

from assistant.errors import DeclarationError
from assistant.ports import Clock, Ids
from assistant.store.keyring import InstallationSecret, Keyring
from assistant.store.sqlite.bundles import SqliteBundles
from assistant.store.sqlite.canned_replies import REPLIES_FILE, SqliteCannedReplies
from assistant.store.sqlite.conversation_index import SqliteConversationIndex
from assistant.store.sqlite.conversation_list import SqliteConversationList
from assistant.store.sqlite.credentials import SqliteCredentials, SqliteUsedTokens
from assistant.store.sqlite.data_folder import load_or_make_secret, lock_data_folder, read_secret
from assistant.store.sqlite.deliveries import SqliteDeliveries
from assistant.store.sqlite.erasure_records import SqliteErasureRecords
from assistant.store.sqlite.file import SqliteKeyValue, ask_file
from assistant.store.sqlite.jobs import SqliteJobs
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.pauses import PAUSES_FILE, SqlitePauses
from assistant.store.sqlite.profiles import PROFILES_FILE, SqliteProfiles
from assistant.store.sqlite.spending import SPENDING_FILE, SqliteSpending
from assistant.store.sqlite.staff import STAFF_FILE, STAFF_TABLES, SqliteAudit, SqliteStaff
from assistant.store.sqlite.write_queue import SqliteWriteQueue
from assistant.store.storage import Storage

LOG_FILE = "log.db"
"""The file of the log in a data folder. It also contains bundles, embedded documents and records for erasure."""

JOBS_FILE = "jobs.db"
"""The file of the queue of background work."""


@asynccontextmanager
async def open_sqlite_storage(
    folder: Path,
    clock: Clock,
    ids: Ids,
    *,
    exclusive: bool = True,
    create: bool = True,
) -> AsyncGenerator[Storage]:
    """Opens the storage in a data folder, until the end of the block.

    Args:
        folder: the data folder.
        clock: measures when credentials expire, and times jobs.
        ids: makes the secret of a new installation.
        exclusive: hold the folder's lock, as a server must. Without it, a server may use the folder at the same
            time.
        create: create the folder and its files if they do not exist.

    Raises:
        StorageInUse: another process holds the lock.
        DeclarationError: there is no log and ``create`` is False, or the folder cannot be used.
    """
    path = folder / LOG_FILE
    if create:
        _make_folder(folder)
    elif not path.is_file():
        raise DeclarationError(f"there is no {path}: is ASSISTANT_DATA_DIR right, and has it served before?")
    async with AsyncExitStack() as in_the_end:  # closed in reverse order
        if exclusive:
            in_the_end.enter_context(lock_data_folder(folder))
        record = InstallationSecret.parse(load_or_make_secret(folder, ids.secret))
        keyring = Keyring(record, clock, partial(_read_secret, folder))
        log = SqliteLog(path)
        in_the_end.push_async_callback(log.close)
        writes = SqliteWriteQueue(path)
        in_the_end.push_async_callback(writes.close)
        index = SqliteConversationIndex(path)
        in_the_end.push_async_callback(index.close)
        deliveries = SqliteDeliveries(folder / "deliveries.db")
        in_the_end.push_async_callback(deliveries.close)
        credentials = SqliteCredentials(folder / "credentials.db", keyring, clock)
        in_the_end.push_async_callback(credentials.close)
        used_tokens = SqliteUsedTokens(folder / "used_tokens.db")
        in_the_end.push_async_callback(used_tokens.close)
        spending = SqliteSpending(folder / SPENDING_FILE)
        in_the_end.push_async_callback(spending.close)
        staff = SqliteKeyValue(folder / STAFF_FILE, STAFF_TABLES, "staff accounts")
        in_the_end.push_async_callback(staff.close)
        pauses = SqlitePauses(folder / PAUSES_FILE)
        in_the_end.push_async_callback(pauses.close)
        replies = SqliteCannedReplies(folder / REPLIES_FILE)
        in_the_end.push_async_callback(replies.close)
        profiles = SqliteProfiles(folder / PROFILES_FILE)
        in_the_end.push_async_callback(profiles.close)
        jobs = SqliteJobs(folder / JOBS_FILE, clock)
        in_the_end.push_async_callback(jobs.close)
        yield Storage(
            log=log,
            conversations=SqliteConversationList(log),
            writes=writes,
            bundles=SqliteBundles(path),
            deliveries=deliveries,
            credentials=credentials,
            used_tokens=used_tokens,
            records=SqliteErasureRecords(path),
            spending=spending,
            jobs=jobs,
            staff=SqliteStaff(staff),
            audit=SqliteAudit(staff),
            index=index,
            pauses=pauses,
            replies=replies,
            profiles=profiles,
            keyring=keyring,
            restored_ms=await ask_file(path, "the time of the last restore", _restored_ms),
        )


async def _read_secret(folder: Path) -> str:
    secret = await asyncio.to_thread(read_secret, folder)
    if secret is None:
        raise DeclarationError(f"{folder / 'secret'} is gone: restore it from a backup")
    return secret


def _restored_ms(log: sqlite3.Connection) -> int:
    (restored_ms,) = log.execute("SELECT restored_ms FROM restores").fetchone()
    return int(restored_ms)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeclarationError(
            f"ASSISTANT_DATA_DIR={str(folder)!r} cannot be used: {error.strerror}; "
            "name a folder that can be written"
        ) from error

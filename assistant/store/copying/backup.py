"""Makes a backup of an installation, and restores one.

A backup is a folder: ``manifest.json``, and in ``data`` the files of a data folder. A database is written as such
files too, so a backup of either restores into either. Everything in it is readable by its owner alone.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError

from assistant.conversation.codec import FORMAT
from assistant.errors import DeclarationError, StoreError
from assistant.ports import Clock
from assistant.store.copying.checksums import compare
from assistant.store.copying.copy import copy_installation
from assistant.store.copying.folder_target import write_folder
from assistant.store.copying.online_copy import copy_online, files_of, write_private
from assistant.store.copying.source import PLAIN_TABLES, DataFolderSource
from assistant.store.copying.target import open_snapshot
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.file import connect, inspect_file, migrate, transaction
from assistant.store.sqlite.last_append import check_nothing_is_lost
from assistant.store.sqlite.staff import STAFF_FILE, end_all_sessions
from assistant.store.sqlite.storage import JOBS_FILE, LOG_FILE

MANIFEST = "manifest.json"
DATA = "data"

_BACKUP_FORMAT = 1
_STORED = {LOG_FILE, JOBS_FILE, "secret", *(table.file for table in PLAIN_TABLES)}
"""Files whose content is in the database, if there is one."""


class BackedUpFile(BaseModel):
    """One file of a backup."""

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """What a backup contains. ``source``: the storage that it was made from. ``tables``: the log's schema number.

    ``entries`` is the format of the log's entries. ``documents``: whether it contains them. ``media``: the
    store of tools' media whose objects it does not contain; None if it contains all media.
    """

    format: Literal[1] = _BACKUP_FORMAT
    release: str
    made_ms: int
    source: Literal["data folder", "database"]
    entries: int
    tables: int
    documents: bool
    media: str | None
    files: dict[str, BackedUpFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The storage of an installation.

    ``folder`` is the data folder. ``database`` is the address of a PostgreSQL database, and ``setting`` is
    where it was read; None: everything is in the folder. ``documents``: documents are stored there, too.
    ``media`` is the address of the store of tools' media; None: they are in the log.
    """

    folder: Path
    database: str | None
    setting: str = "ASSISTANT_DATABASE"
    documents: bool = True
    media: str | None = None


async def make_backup(place: Place, to: Path, *, release: str, clock: Clock) -> Manifest:
    """Write a backup of everything, also while servers run.

    The folder ``to`` exists only when the backup is complete.

    Args:
        place: the storage to back up.
        to: does not exist, or is empty.
        release: the version of this program.
        clock: gives the date of the backup.

    Raises:
        DeclarationError: there is nothing to back up, it is damaged, or ``to`` cannot be used.
    """
    _check_empty(to, "name a new folder")
    draft = to.with_name(f".{to.name}.incomplete")
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(draft, ignore_errors=True)  # the draft of a backup that was interrupted
        draft.mkdir(mode=0o700)
        data = draft / DATA
        data.mkdir(mode=0o700)
        if place.database is None:
            _back_up_folder(place.folder, data)
        else:
            await _back_up_database(place, place.database, data)
        log = inspect_file(data / LOG_FILE)
        if log.problem is not None:
            raise DeclarationError(f"{place.folder / LOG_FILE}: {log.problem}")
        manifest = Manifest(
            release=release,
            made_ms=clock.now_ms(),
            source="data folder" if place.database is None else "database",
            entries=FORMAT,
            tables=log.schema,
            documents=place.documents,
            media=place.media,
            files=_described(data),
        )
        write_private(draft / MANIFEST, f"{manifest.model_dump_json(indent=2)}\n".encode())
        _sync(draft)
        draft.rename(to)  # also replaces an empty folder
    except (OSError, StoreError) as error:
        raise DeclarationError(f"no backup was made: {error}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return manifest


def _back_up_folder(folder: Path, data: Path) -> None:
    log = folder / LOG_FILE
    if not log.is_file():
        raise DeclarationError(f"there is no {log}: is ASSISTANT_DATA_DIR right, and has it served before?")
    check_nothing_is_lost(log)
    copy_online(folder, data, files_of(folder))


async def _back_up_database(place: Place, address: str, data: Path) -> None:
    """Back up the database's rows, and the other files of this machine's data folder, which tools may have
    written.
    """
    async with open_snapshot(address, place.setting) as snapshot:
        await write_folder(snapshot, data, documents=place.documents)
        with closing(DataFolderSource(data, place="")) as written:
            tables = await compare(written, snapshot, documents=place.documents, advance=lambda: None)
    if different := [table.table for table in tables if not table.equal]:
        raise StoreError(f"what was written differs from the database in {', '.join(different)}")
    if place.folder.is_dir():
        others = (path for path in files_of(place.folder) if path.name not in _STORED)
        copy_online(place.folder, data, others)


def read_manifest(backup: Path) -> Manifest:
    """Read a backup's manifest and compare every file with it.

    Raises:
        DeclarationError: it is no backup, a newer release made it, or a file is missing or has changed.
    """
    try:
        manifest = Manifest.model_validate_json((backup / MANIFEST).read_bytes())
    except OSError as error:
        raise DeclarationError(f"{backup} is no backup: {error}") from error
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        raise DeclarationError(
            f"{backup / MANIFEST} cannot be read: {problem['loc']}: {problem['msg']}; did a newer release make the"
            " backup?"
        ) from error
    if manifest.entries != FORMAT:
        raise DeclarationError(
            f"{backup} has entries of format {manifest.entries}, and this release reads format {FORMAT} alone:"
            f" restore it with release {manifest.release}"
        )
    for name, expected in manifest.files.items():
        if not (backup / DATA / name).resolve().is_relative_to((backup / DATA).resolve()):
            raise DeclarationError(f"{backup / MANIFEST} names a file outside of the backup: {name!r}")
        try:
            found = _describe(backup / DATA / name)
        except OSError as error:
            raise DeclarationError(f"{backup} is not complete: {error}") from error
        if found != expected:
            raise DeclarationError(
                f"{backup / DATA / name} is not as it was written: it has {found.bytes} bytes with the SHA-256"
                f" {found.sha256[:16]}..., the manifest says {expected.bytes} and {expected.sha256[:16]}..."
            )
    return manifest


async def restore_backup(
    backup: Path,
    place: Place,
    *,
    restore: str,
    clock: Clock,
    progress: Callable[[int, int], None] | None = None,
) -> Manifest:
    """Restore a backup into empty storage. No server may use the storage meanwhile.

    All conversations get a new numbering: clients load a snapshot, and no idempotency key of the lost history
    repeats. Staff must sign in again: a session of the backup may have been ended since.

    Args:
        backup: the folder.
        place: storage without files or rows.
        restore: an id that no other restore has.
        clock: gives the time.
        progress: for a database: called with the number of finished steps, and of all steps.

    Raises:
        DeclarationError: it is no backup or is damaged, or the storage is not empty.
        StorageInUse: a server uses the data folder.
    """
    manifest = read_manifest(backup)
    try:
        if place.database is None:
            _check_empty(place.folder, "move it away, or set ASSISTANT_DATA_DIR to another folder")
            place.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with lock_data_folder(place.folder):
                _restore_files(backup / DATA, place.folder, manifest.files, restore, clock)
        else:
            await _restore_into_database(
                backup / DATA, place, place.database, manifest, restore, clock, progress
            )
    except (OSError, StoreError) as error:
        raise DeclarationError(f"not restored: {error}") from error
    return manifest


async def _restore_into_database(
    data: Path,
    place: Place,
    address: str,
    manifest: Manifest,
    restore: str,
    clock: Clock,
    progress: Callable[[int, int], None] | None,
) -> None:
    others = {name: file for name, file in manifest.files.items() if name not in _STORED}
    if there := [name for name in others if (place.folder / name).exists()]:
        raise DeclarationError(f"{place.folder / there[0]} exists: move the folder away, and restore again")
    with tempfile.TemporaryDirectory(prefix="meanwhile-restore-") as kept:  # it has mode 0700
        _restore_files(data, Path(kept), manifest.files, restore, clock)
        report = await copy_installation(
            Path(kept),
            address,
            place.setting,
            documents=place.documents and manifest.documents,
            unfinished_erasures=True,
            progress=progress,
        )
        if not report.copied:
            raise DeclarationError(f"{place.setting}: this installation is there already; name an empty one")
        if not report.equal:
            raise StoreError("the database differs from the backup: empty it, and restore again")
        for name in others:
            _copy_private(data / name, place.folder / name)


def _restore_files(
    data: Path, folder: Path, files: dict[str, BackedUpFile], restore: str, clock: Clock
) -> None:
    """Copy all files. The log comes last, so that an interrupted restore is not mistaken for a complete one."""
    for name in files:
        if name != LOG_FILE:
            _copy_private(data / name, folder / name)
    if STAFF_FILE in files:
        end_all_sessions(folder / STAFF_FILE)
    draft = folder / f"{LOG_FILE}.incomplete"
    _copy_private(data / LOG_FILE, draft)
    with closing(connect(draft)) as file:
        migrate(file, str(draft))
        with transaction(file, "IMMEDIATE"):
            file.execute("UPDATE restores SET id = ?, restored_ms = ?", (restore, clock.now_ms()))
            file.execute(_MARK)
            if (folder / "place").is_file():  # recordings of this place are in this folder
                here = (folder / "place").read_text("utf-8").strip()
                file.execute("UPDATE OR IGNORE recordings SET place = '' WHERE place = ?", (here,))
        file.execute("PRAGMA journal_mode = DELETE")
    draft.rename(folder / LOG_FILE)


_MARK = """
UPDATE conversations SET restored_seq = coalesce((
    SELECT max(seq) FROM entries WHERE entries.tenant = conversations.tenant
    AND entries.customer = conversations.customer AND entries.conversation = conversations.conversation
), 0)
"""


def _check_empty(folder: Path, cure: str) -> None:
    try:
        there = next(folder.iterdir(), None) if folder.exists() else None
    except OSError as error:
        raise DeclarationError(f"{folder} cannot be used: {error}: {cure}") from error
    if there is not None:
        raise DeclarationError(f"{folder} is not empty, there is {there.name!r} in it: {cure}")


def _described(data: Path) -> dict[str, BackedUpFile]:
    paths = (path for path in sorted(data.rglob("*")) if path.is_file())
    return {path.relative_to(data).as_posix(): _describe(path) for path in paths}


def _describe(path: Path) -> BackedUpFile:
    with path.open("rb") as file:
        return BackedUpFile(
            bytes=os.fstat(file.fileno()).st_size, sha256=hashlib.file_digest(file, "sha256").hexdigest()
        )


def _copy_private(source: Path, to: Path) -> None:
    with source.open("rb") as file:
        write_private(to, file)


def _sync(folder: Path) -> None:
    """Write everything in the folder to the disk."""
    for path in [*folder.rglob("*"), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

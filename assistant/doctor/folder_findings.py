"""The data folder: whether it can be written, who uses it, whether its log can be read here."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from assistant.doctor.findings import Doubtful, Finding, Fine, Wrong
from assistant.errors import DeclarationError
from assistant.settings import Settings
from assistant.store.data_folder import sole_use_of
from assistant.store.sqlite_file import bring_up_to_date, other_format

_ELSEWHERE = "set ASSISTANT_DATA_DIR to a folder on this machine that can be written"


def folder_findings(settings: Settings) -> list[Finding]:
    """What is to be said of the folder. Nothing in it is changed, also while a server uses it."""
    folder = settings.data_dir
    if not folder.exists():
        return [_absent(folder)]
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return [Wrong("data folder", f"{folder} cannot be written: {error.strerror}", _ELSEWHERE)]
    return [_use(folder), *_secret(folder / "secret"), *_log(folder / "log.db")]


def _absent(folder: Path) -> Finding:
    """A folder that is yet to be made: whether it can be."""
    above = next(one for one in folder.absolute().parents if one.exists())
    try:
        with tempfile.TemporaryFile(dir=above):
            return Fine("data folder", f"{folder} is not there yet and will be made")
    except OSError as error:
        return Wrong("data folder", f"{folder} cannot be made: {above}: {error.strerror}", _ELSEWHERE)


def _use(folder: Path) -> Finding:
    if not (folder / "lock").exists():  # asking for the lock would leave the file behind
        return Fine("data folder", f"{folder} can be written, and nobody uses it")
    try:
        with sole_use_of(folder):
            return Fine("data folder", f"{folder} can be written, and nobody uses it")
    except DeclarationError as error:
        if "in use" in str(error):
            return Fine("data folder", f"{folder} can be written; a running assistant uses it")
        return Wrong("data folder", str(error))


def _secret(file: Path) -> Iterator[Finding]:
    if file.is_file() and file.stat().st_mode & 0o077:
        cure = f"chmod 600 {file}"
        yield Doubtful(
            "secret", f"{file}, which visitors' tokens are signed with, can be read by others", cure
        )


def _log(file: Path) -> Iterator[Finding]:
    if not file.exists():
        yield Fine("log", "empty: nobody has said anything yet")
        return
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as log:
            problem = other_format(log)
            (has,) = log.execute("SELECT max(number) FROM schema").fetchone()
    except sqlite3.Error as error:
        cure = "put a copy back, or move the file away to begin anew"
        yield Wrong("log", f"{file} cannot be read: {error}", cure)
        return
    if problem is not None:
        says, _, cure = problem.partition("; ")
        yield Wrong("log", f"{file}: {says}", cure)
        return
    newest = _newest()
    if has > newest:
        says = f"{file} was written by a newer release: its schema is {has}, the newest known here {newest}"
        yield Wrong("log", says, "install that release again, or set ASSISTANT_DATA_DIR to another folder")
    else:
        later = "" if has == newest else f", and will be brought to {newest} at the next start"
        yield Fine("log", f"{file} can be read; schema {has}{later}")


def _newest() -> int:
    """The number of the newest schema that this release knows."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as empty:
        bring_up_to_date(empty, "an empty log")
        (number,) = empty.execute("SELECT max(number) FROM schema").fetchone()
    return int(number)

"""The data folder is examined and not changed, also while a server uses it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assistant.doctor.setup_findings import folder_findings
from assistant.findings import Doubtful, Finding, Fine, Wrong
from assistant.settings import Settings
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.file import migrate

SETTINGS = Settings(data_dir=Path("data"))


@pytest.fixture
def data(folder: Path) -> Path:
    (folder / "data").mkdir()
    return folder / "data"


def found() -> list[Finding]:
    """What is found, but for the room on the disk."""
    return [one for one in folder_findings(SETTINGS) if one.what != "disk"]


def make_log(data: Path, *, ahead: int = 0) -> None:
    with closing(sqlite3.connect(data / "log.db", isolation_level=None)) as log:
        migrate(log, "log.db")
        log.execute("UPDATE schema SET number = number + ?", [ahead])


def test_examining_does_not_create_a_folder(folder: Path) -> None:
    assert found() == [Fine("data folder", "data is not there yet and will be made")]
    assert not (folder / "data").exists()


def test_a_place_where_no_folder_can_be_created_is_wrong() -> None:
    (wrong,) = folder_findings(Settings(data_dir=Path("/proc/nobody/data")))

    assert isinstance(wrong, Wrong)
    assert wrong.says.startswith("/proc/nobody/data cannot be made: /proc: ")


def test_a_file_in_the_folders_place_is_wrong(folder: Path) -> None:
    (folder / "data").write_text("")

    (wrong,) = found()

    assert isinstance(wrong, Wrong)
    assert wrong.says == "data cannot be written: Not a directory"


def test_an_empty_folder_stays_empty(data: Path) -> None:
    assert found() == [
        Fine("data folder", "data can be written, and no other process uses it"),
        Fine("log", "empty: no conversation yet"),
    ]
    assert not list(data.iterdir())


def test_a_full_disk_is_wrong_before_a_server_is_started(data: Path) -> None:
    full = Settings(data_dir=data, min_free_disk_bytes=10**18)

    (disk,) = [one for one in folder_findings(full) if one.what == "disk"]

    assert isinstance(disk, Wrong)
    assert "MB left for the data folder; ASSISTANT_MIN_FREE_DISK_BYTES asks for" in disk.says


def test_a_running_assistant_is_no_mistake(data: Path) -> None:
    with lock_data_folder(data):
        used = found()[0]
    free = found()[0]

    assert used == Fine("data folder", "data can be written; a running assistant uses it")
    assert free == Fine("data folder", "data can be written, and no other process uses it")


def test_a_lock_that_cannot_be_taken_is_wrong(data: Path) -> None:
    (data / "lock").mkdir()

    wrong = found()[0]

    assert isinstance(wrong, Wrong)
    assert "cannot be locked" in wrong.says


def test_a_log_of_this_release_can_be_read_while_it_is_written(data: Path) -> None:
    make_log(data)
    with closing(sqlite3.connect(data / "log.db", isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        log = found()[-1]

    assert isinstance(log, Fine)
    assert log.says.startswith("data/log.db can be read; schema ")


def test_a_log_of_a_newer_release_is_wrong_and_an_older_one_is_not(data: Path) -> None:
    make_log(data, ahead=100)
    newer = found()[-1]
    (data / "log.db").unlink()
    make_log(data, ahead=-100)
    older = found()[-1]

    assert isinstance(newer, Wrong)
    assert "was written by a newer release" in newer.says
    assert isinstance(older, Fine)
    assert "will be brought to" in older.says


def test_a_log_of_another_format_is_wrong(data: Path) -> None:
    make_log(data)
    with closing(sqlite3.connect(data / "log.db")) as log:
        log.execute("PRAGMA user_version = 0")

    assert found()[-1] == Wrong(
        "log",
        "data/log.db: this log has no format number: it is from before there was one, and this release reads"
        " format 2 alone",
        "set ASSISTANT_DATA_DIR to another folder to begin anew, or install the release that wrote it",
    )


def test_a_file_that_is_no_log_is_wrong(data: Path) -> None:
    (data / "log.db").write_text("no database, and long enough to be looked at as one")

    wrong = found()[-1]

    assert isinstance(wrong, Wrong)
    assert "file is not a database" in wrong.says


@pytest.mark.skipif(os.name == "nt", reason="modes of files are another thing there")
def test_a_damaged_secret_is_wrong(data: Path) -> None:
    (data / "secret").write_bytes(b"\xff\xfe")
    (data / "secret").chmod(0o600)

    assert [one.says for one in found() if isinstance(one, Wrong)] == [
        "data/secret is not text, so it is damaged; restore it from a backup, or remove it: then each visitor "
        "counts as a new one"
    ]


def test_a_secret_that_others_can_read_is_doubtful(data: Path) -> None:
    (data / "secret").write_text("x")
    (data / "secret").chmod(0o644)
    open_to_all = found()[1]
    (data / "secret").chmod(0o600)

    assert isinstance(open_to_all, Doubtful)
    assert open_to_all.cure == "chmod 600 data/secret"
    assert len(found()) == 2

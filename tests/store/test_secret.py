"""The secret is made once, by the first process, and only its owner can read it."""

import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.ids import SystemIds
from assistant.store.sqlite.data_folder import load_or_make_secret


def never() -> str:
    raise AssertionError("there is one already")


def test_it_is_made_at_the_first_start_and_stays_the_same(tmp_path: Path) -> None:
    first = load_or_make_secret(tmp_path, SystemIds().secret)

    assert len(first) >= 43
    assert load_or_make_secret(tmp_path, never) == first


def test_only_its_owner_may_read_it_and_no_draft_is_left(tmp_path: Path) -> None:
    load_or_make_secret(tmp_path / "new" / "data", lambda: "s" * 43)

    [file] = (tmp_path / "new" / "data").iterdir()
    assert file.name == "secret"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_processes_that_start_together_agree(tmp_path: Path) -> None:
    start = threading.Barrier(8)

    def make() -> str:
        start.wait(10)  # all threads have seen that there is none yet
        return SystemIds().secret()

    def start_up(folder: Path) -> str:
        return load_or_make_secret(folder, make)

    with ThreadPoolExecutor(8) as threads:
        secrets = set(threads.map(start_up, [tmp_path] * 8))

    assert len(secrets) == 1
    assert secrets == {load_or_make_secret(tmp_path, never)}


def test_an_empty_file_is_refused_with_the_solution(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("\n")

    with pytest.raises(DeclarationError, match="remove it"):
        load_or_make_secret(tmp_path, never)


def test_a_damaged_file_is_refused_with_the_solution(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"\xff\xfe\x00")

    with pytest.raises(
        DeclarationError, match="secret is not text, so it is damaged; restore it from a backup"
    ):
        load_or_make_secret(tmp_path, never)


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        load_or_make_secret(tmp_path / "file", SystemIds().secret)

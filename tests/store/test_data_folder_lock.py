"""One process per data folder; the second is told which one has it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import assistant
from assistant.errors import DeclarationError
from assistant.store.sqlite.data_folder import lock_data_folder

HOLDER = """
import sys
from pathlib import Path
from assistant.store.sqlite.data_folder import lock_data_folder

with lock_data_folder(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def held_by_another(folder: Path) -> "subprocess.Popen[str]":
    """A process that has the folder."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder)],
        env={**os.environ, "PYTHONPATH": str(Path(assistant.__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_second_process_is_refused_and_told_which_is_the_first(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as holder:
        with pytest.raises(DeclarationError) as refused, lock_data_folder(tmp_path):
            pytest.fail("two have it")
        holder.communicate()

    assert str(refused.value) == (
        f"the data folder {str(tmp_path)!r} is in use by process {holder.pid}: stop that one first, "
        "or set ASSISTANT_DATA_DIR to another folder"
    )
    with lock_data_folder(tmp_path):
        pass


def test_a_killed_process_holds_no_lock(tmp_path: Path) -> None:
    with held_by_another(tmp_path) as holder:
        os.kill(holder.pid, signal.SIGKILL)
        holder.communicate()

    with lock_data_folder(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"
    assert (tmp_path / "lock").read_text() == ""


def test_a_holder_that_has_not_written_its_id_yet_keeps_others_out_too(tmp_path: Path) -> None:
    with lock_data_folder(tmp_path):
        (tmp_path / "lock").write_text("")

        with pytest.raises(DeclarationError, match="in use by another process"), lock_data_folder(tmp_path):
            pass


def test_the_earlier_content_of_the_file_is_gone(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("123456789 and more\n")

    with lock_data_folder(tmp_path):
        assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_folder_that_cannot_be_locked_is_named(tmp_path: Path) -> None:
    (tmp_path / "lock").mkdir()

    cure = "cannot be locked: Is a directory; set ASSISTANT_DATA_DIR"
    with pytest.raises(DeclarationError, match=cure), lock_data_folder(tmp_path):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_disk_that_cannot_store_the_id_is_reported(tmp_path: Path) -> None:
    (tmp_path / "lock").symlink_to("/dev/full")

    with pytest.raises(DeclarationError, match="cannot be locked"), lock_data_folder(tmp_path):
        pass

"""Every acknowledged document is found in the end, however often the process was killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import assistant
from assistant.clock import SystemClock
from assistant.memory.library import Library
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.write_queue import SqliteWriteQueue
from tests.support.library import WIDTH, FakeEmbedder

_PROCESS = Path(__file__).with_name("library_process.py")


def killed_after(lines: int, folder: Path, first: int) -> list[str]:
    """The references that a process printed before it was killed, soon after it had printed this many."""
    command = [sys.executable, _PROCESS, folder, str(first)]
    where = {**os.environ, "PYTHONPATH": str(Path(assistant.__file__).parents[1])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=where) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(lines)]
        os.kill(process.pid, signal.SIGKILL)
        told += process.stdout.readlines()
    return [line.strip() for line in told if line.endswith("\n")]


async def found_in(folder: Path) -> set[str]:
    """Everything that a library has that comes after."""
    log = SqliteLog(folder / "log.db")
    store, queue = (
        SqliteDocuments(folder / "log.db", embedder="fake", width=WIDTH),
        SqliteWriteQueue(folder / "log.db"),
    )
    library = Library(
        store, queue, FakeEmbedder(), log, SystemClock(), keep_results_days=None, keep_uploads_days=None
    )
    await library.written()
    documents = await library.documents("t", "ana")
    assert {one.state for one in documents} == {"kept"}
    for one in documents:
        loaded = await library.load("t", "ana", one.ref)
        assert loaded is not None
        assert (
            str(int("".join(sign for sign in one.ref.partition("/")[0] if sign.isdecimal()))) in loaded.text
        )
    for part in (library, queue, store, log):
        await part.close()
    return {one.ref for one in documents}


async def test_a_document_survives_the_process_that_accepted_it(tmp_path: Path) -> None:
    told = killed_after(40, tmp_path, 1)

    assert set(told) <= await found_in(tmp_path)


@pytest.mark.slow
async def test_nothing_is_lost_when_the_process_is_killed_again_and_again(tmp_path: Path) -> None:
    random = Random(7)
    told: list[str] = []
    for time in range(8):
        told += killed_after(random.randint(1, 100), tmp_path, 1_000 * time)

    assert len(told) > 200
    assert set(told) <= await found_in(tmp_path)

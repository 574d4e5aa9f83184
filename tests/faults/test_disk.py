"""The disk is full, cannot be written, or has damaged the log; the server reports it and loses nothing."""

import asyncio
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import aiohttp
import pytest

from tests.faults.client import Client
from tests.faults.kept import conversations, faults
from tests.faults.servers import Installation, Server

pytestmark = pytest.mark.slow


@contextmanager
def small_disk(place: Path) -> Generator[None]:
    """Mount a disk of 8 MB at this place."""
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", place], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"this machine does not let us mount a small disk: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


@pytest.fixture
def on_small_disk(on_sqlite: Installation) -> Generator[Installation]:
    """An installation on SQLite whose data folder is on a small disk."""
    on_sqlite.settings["ASSISTANT_MIN_FREE_DISK_BYTES"] = "0"
    with small_disk(on_sqlite.folder / "data"):
        yield on_sqlite


async def ready(server: Server) -> tuple[int, dict[str, Any]]:
    """Status and body of ``/readyz``, which a load balancer asks."""
    address = f"http://127.0.0.1:{server.port}/readyz"
    async with aiohttp.ClientSession() as web, web.get(address) as answer:
        return answer.status, await answer.json()


async def until_ready(server: Server, expected: int) -> dict[str, Any]:
    """Wait a few seconds at most for this status; gives the body."""
    status, told = await ready(server)
    for _ in range(50):
        if status == expected:
            break
        await asyncio.sleep(0.2)
        status, told = await ready(server)
    assert status == expected, told
    return told


def fill(folder: Path) -> Path:
    """Fill the disk; gives the file that does."""
    file = folder / "filler"
    with file.open("wb", buffering=0) as opened:
        for size in (1 << 16, 1 << 12, 1):
            while True:
                try:
                    opened.write(bytes(size))
                except OSError:
                    break
    return file


def remount(place: Path, how: str) -> None:
    """Make a mounted folder read-only ("ro") or writable ("rw") once no process writes there."""
    subprocess.run(["mount", "-o", f"remount,{how}", place], check=True)


def client_of(server: Server, name: str) -> Client:
    """A customer of this server."""
    return Client(name, lambda: [server.port], Random(name))


async def answer(client: Client, message: str) -> None:
    """Order something, and wait for the answer."""
    client.sent[message] = f"Please order item {message}."
    await client.answer_of(message)


async def survived(installation: Installation, harm: Callable[[Path], Callable[[], None]], why: str) -> None:
    """While the disk is at fault the server reports it; afterwards it recovers without a restart or loss."""
    data = installation.folder / "data"
    async with installation.running(1) as (server,):
        ana, ben = client_of(server, "ana"), client_of(server, "ben")
        await answer(ana, "ana-1")
        await until_ready(server, 200)
        heard = asyncio.Event()
        ben.on_delta = heard.set
        broken_off = asyncio.create_task(answer(ben, "ben-1"))
        await asyncio.wait_for(heard.wait(), 30)

        mend = harm(data)
        try:
            told = await until_ready(server, 503)
            assert why in told["reason"], told
            waiting = asyncio.create_task(answer(ana, "ana-2"))
            await asyncio.sleep(3)
            assert not waiting.done()
            assert "ana-2" not in ana.accepted, "it was acknowledged, and cannot have been stored"
        finally:
            mend()
        await until_ready(server, 200)
        async with asyncio.timeout(30):
            await asyncio.gather(waiting, broken_off)
        entries, effects = await conversations(installation), installation.effects()
        found = [fault for one in (ana, ben) for fault in faults(one, entries[one.conversation], effects)]
        assert found == []
        assert set(ana.closed) == {1011}
        log = installation.told(server)
    assert "not ready" in log
    assert "ready again" in log


async def test_a_full_disk_is_reported_and_survived_without_a_restart(on_small_disk: Installation) -> None:
    def full(data: Path) -> Callable[[], None]:
        return fill(data).unlink

    await survived(on_small_disk, full, "the log could not be written: No space left on device")


async def test_a_disk_that_refuses_writes_is_reported_and_survived(on_sqlite: Installation) -> None:
    # The kernel does not make a file system read-only while a process writes to it. So the test limits the
    # size of the process's files: any write after the first 100 kB fails.
    def no_growth(_: Path) -> Callable[[], None]:
        (server,) = on_sqlite.servers
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))

        def mend() -> None:
            no_limit = resource.RLIM_INFINITY
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (no_limit, no_limit))

        return mend

    await survived(on_sqlite, no_growth, "the log could not be written: File too large")


async def test_a_turn_broken_off_by_a_full_disk_ends_without_its_customer(
    on_small_disk: Installation,
) -> None:
    data = on_small_disk.folder / "data"
    async with on_small_disk.running(1) as (server,):
        ana = client_of(server, "ana")
        heard = asyncio.Event()
        ana.on_delta = heard.set
        talk = asyncio.create_task(answer(ana, "ana-1"))
        await asyncio.wait_for(heard.wait(), 30)
        filler = fill(data)
        await until_ready(server, 503)
        await asyncio.sleep(1)
        talk.cancel()
        await asyncio.gather(talk, return_exceptions=True)
        filler.unlink()

        found = ["nothing was read"]
        for _ in range(40):
            entries = (await conversations(on_small_disk))[ana.conversation]
            if not (found := faults(ana, entries, on_small_disk.effects())):
                break
            await asyncio.sleep(0.5)
        assert found == []


async def refusal(installation: Installation) -> str:
    """Start a server that cannot start; gives its last message."""
    server = Server("refused")
    with pytest.raises(AssertionError):
        await installation.start(server)
    assert server.process is not None
    assert await server.ended(30) == 2
    server.process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    return installation.told(server).strip().splitlines()[-1]


async def test_a_server_does_not_start_where_it_cannot_write(on_small_disk: Installation) -> None:
    data = on_small_disk.folder / "data"
    remount(data, "ro")
    try:
        said = await refusal(on_small_disk)
    finally:
        remount(data, "rw")
    assert "cannot be locked: Read-only file system" in said
    assert "set ASSISTANT_DATA_DIR" in said

    filler = fill(data)
    said = await refusal(on_small_disk)
    assert "No space left on device" in said or "room on the disk" in said
    filler.unlink()


async def test_a_damaged_log_is_refused_with_a_solution(on_sqlite: Installation) -> None:
    data = on_sqlite.folder / "data"
    async with on_sqlite.running(1) as (server,):
        await answer(client_of(server, "ana"), "ana-1")
        await server.kill()
    whole = on_sqlite.folder / "whole"
    shutil.copytree(data, whole)

    def cut_journal() -> None:
        journal = data / "log.db-wal"
        os.truncate(journal, journal.stat().st_size - 5000)

    def change_journal() -> None:
        journal = data / "log.db-wal"
        content = bytearray(journal.read_bytes())
        content[len(content) // 2] ^= 4
        journal.write_bytes(content)

    def remove_journal() -> None:
        (data / "log.db-wal").unlink()

    def cut_file() -> None:
        (data / "log.db-wal").unlink()
        (data / "log.db-last").unlink()
        os.truncate(data / "log.db", 5000)

    for damage, expected in (
        (cut_journal, "has lost its newest entries, which were acknowledged"),
        (change_journal, "has lost its newest entries, which were acknowledged"),
        (remove_journal, "has lost its newest entries, which were acknowledged"),
        (cut_file, "is damaged"),
    ):
        shutil.rmtree(data)
        shutil.copytree(whole, data)
        damage()
        said = await refusal(on_sqlite)
        assert expected in said, (damage.__name__, said)
        assert "restore a backup" in said, (damage.__name__, said)
        assert "Traceback" not in on_sqlite.told(Server("refused"))

    shutil.rmtree(data)
    shutil.copytree(whole, data)
    async with on_sqlite.running(1) as (server,):
        await until_ready(server, 200)

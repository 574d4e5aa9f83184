"""The process is told to stop: running work ends or is left to the next start, and everything is closed."""

import asyncio
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE
from contextlib import closing
from pathlib import Path
from sqlite3 import connect as open_database

import pytest
from websockets.exceptions import ConnectionClosed

from assistant.commands.stop_signal import run_until, stop_requested
from tests.commands.conftest import ROOT, ProjectFolder, heard, signals_left_alone

pytestmark = pytest.mark.slow


def kinds(log: Path) -> list[str]:
    """The entries of a log that no process has open."""
    with closing(open_database(log)) as database:
        return [kind for (kind,) in database.execute("SELECT kind FROM entries ORDER BY seq")]


def files(folder: Path) -> set[str]:
    """The names of a folder's files, the embedded model's vectors aside."""
    return {file.name for file in folder.iterdir() if file.suffix != ".npy"}


async def test_sigterm_lets_the_running_turn_end_and_closes_the_log(premises: ProjectFolder) -> None:
    async with premises.with_the_slow_tool().serving() as served, served.visited() as ana:
        await ana.send('{"type": "message", "id": "m1", "text": "count my points"}')
        await heard(ana, "tool.started")
        served.tell(signal.SIGTERM)

        with pytest.raises(ConnectionClosed) as closed:
            await heard(ana, "nothing")
        premises.gate.touch()

        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1012
        code, told = await served.end()
        assert code == 0
        assert re.fullmatch(r".*\[info +\] turn ended .*how=answered.*\n", told), told
    assert kinds(premises.data / "log.db")[-1] == "turn_ended"
    assert files(premises.data) == {
        "credentials.db",
        "jobs.db",
        "lock",
        "log.db",
        "log.db-last",
        "secret",
        "staff.db",
    }


async def test_ctrl_c_ends_an_idle_server_immediately(premises: ProjectFolder) -> None:
    async with premises.serving() as served:
        served.tell(signal.SIGINT)

        assert await served.end() == (0, "")
    assert files(premises.data) == {"jobs.db", "lock", "log.db", "secret", "staff.db"}


async def test_a_second_signal_ends_it_immediately_and_the_turn_resumes_later(
    premises: ProjectFolder,
) -> None:
    async with premises.with_the_slow_tool().serving() as served, served.visited() as ana:
        token = (await heard(ana, "welcome"))["token"]
        await ana.send('{"type": "message", "id": "m1", "text": "count my points"}')
        await heard(ana, "tool.started")
        served.tell(signal.SIGTERM)
        await ana.wait_closed()
        served.tell(signal.SIGTERM)

        assert await served.end() == (-signal.SIGTERM, "")

    premises.gate.touch()
    async with premises.serving() as served, served.visited(token=token) as ana:
        shown = await heard(ana, "snapshot")
        # If a model is slow, the customer also gets a status message; it is not one of these lines.
        said = [message["text"] for message in shown["messages"] if message.get("kind") != "status"]
        if "You have 7 points." not in said:
            while (message := await heard(ana, "message.completed"))["kind"] == "status":
                pass
            said.append(message["text"])

    assert said == ["count my points", "Sure, I'll count your points.", "You have 7 points."]


async def test_the_first_signal_sets_the_event_and_the_second_is_the_systems() -> None:
    with signals_left_alone(), stop_requested() as told:
        os.kill(os.getpid(), signal.SIGTERM)
        await told.wait()

        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL


async def test_without_a_signal_the_handlers_are_restored() -> None:
    before = signal.getsignal(signal.SIGINT)

    with stop_requested() as told:
        assert signal.getsignal(signal.SIGINT) is not before

    assert not told.is_set()
    assert signal.getsignal(signal.SIGINT) is before


async def test_the_result_is_returned_unless_a_signal_comes_first() -> None:
    told = asyncio.Event()

    assert await run_until(told, asyncio.sleep(0, "here")) == "here"

    wanted = asyncio.ensure_future(asyncio.Event().wait())
    asyncio.get_running_loop().call_soon(told.set)
    assert await run_until(told, wanted) is None
    assert wanted.cancelled()


_FIRST_PROCESS = """
import asyncio, os
from assistant.commands.stop_signal import stop_requested

async def main():
    with stop_requested() as told:
        print(os.getpid(), flush=True)
        await told.wait()
        print("told", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_the_first_process_of_a_container_is_ended_by_a_second_signal() -> None:
    command = ["unshare", "--pid", "--fork", "--kill-child", sys.executable, "-c", _FIRST_PROCESS]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
    assert process.stdout is not None
    if await process.stdout.readline() != b"1\n":
        _, errors = await process.communicate()
        pytest.skip(f"this machine does not let us make a first process: {errors.decode().strip()}")
    inner = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())

    os.kill(inner, signal.SIGTERM)
    assert await process.stdout.readline() == b"told\n"
    os.kill(inner, signal.SIGTERM)

    async with asyncio.timeout(30):
        await process.communicate()
    assert process.returncode == 128 + signal.SIGTERM

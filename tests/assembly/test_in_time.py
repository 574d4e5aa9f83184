"""Third-party code gets a time limit."""

import asyncio
import threading
from pathlib import Path

import pytest

from assistant.assembly.time_limit import in_time, named_when_slow
from assistant.testing.virtual_time import VirtualClock


async def test_code_that_ends_in_time_returns_or_raises_normally() -> None:
    def fails() -> None:
        raise TimeoutError("of its own")

    assert await in_time(threading.get_ident, 1, VirtualClock()) != threading.get_ident()
    with pytest.raises(TimeoutError, match="of its own"):
        await in_time(fails, 1, VirtualClock())


async def test_code_that_takes_too_long_is_stopped() -> None:
    def goes_on() -> None:
        while True:
            pass

    with pytest.raises(TimeoutError, match="it takes too long"):
        await in_time(goes_on, 0.3, VirtualClock())


@pytest.mark.usefixtures("untraced")
async def test_code_that_cannot_be_stopped_is_abandoned() -> None:
    let_go = threading.Event()

    with pytest.raises(TimeoutError, match="waits for something"):
        await in_time(let_go.wait, 0.2, VirtualClock())

    let_go.set()


def test_a_slow_import_at_the_start_is_named_with_its_line(tmp_path: Path) -> None:
    named: list[str] = []
    file = tmp_path / "slow.py"
    code = compile("import time\n\ntime.sleep(0.5)\n", str(file), "exec")

    with named_when_slow(str(tmp_path), 0.1, named.append):
        exec(code, {})  # noqa: S102 - as an import does

    assert set(named) == {f"{file}:3"}


async def test_cancelling_the_caller_stops_the_code() -> None:
    began, ended = threading.Event(), threading.Event()

    def goes_on() -> None:
        began.set()
        try:
            while True:
                pass
        finally:
            ended.set()

    waiting = asyncio.create_task(in_time(goes_on, 1000, VirtualClock()))
    assert await asyncio.to_thread(began.wait, 5)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert await asyncio.to_thread(ended.wait, 5)

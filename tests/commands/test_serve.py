"""Serving: what stops the start, and what is said at it."""

import asyncio
import gc
import os
import signal
import socket
import urllib.request
from pathlib import Path

import pytest
import structlog
from typer.testing import CliRunner

from assistant.cli import app
from assistant.commands.serve import serving_until_told
from assistant.errors import DeclarationError
from tests.commands.conftest import Premises, signals_left_alone


async def test_a_chat_beside_a_server_is_refused_the_same_data_folder(premises: Premises) -> None:
    async with premises.serving() as served:
        chat = await premises.run("chat")

    assert chat == (
        2,
        "",
        f"the data folder 'data' is in use by process {served.process.pid}: stop that one first, "
        "or set ASSISTANT_DATA_DIR to another folder\n",
    )


async def test_it_says_where_it_is_and_serves_until_it_is_told_to_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    said: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    with signals_left_alone():
        serving = asyncio.create_task(serving_until_told("127.0.0.1", 0, said.set_result))
        ready = await said
        address = ready.removeprefix("Meanwhile is ready: ").partition(" ")[0]
        page = await asyncio.to_thread(urllib.request.urlopen, address, timeout=10)
        with page:
            assert page.status == 200
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    gc.unfreeze()

    assert ready.endswith("  model: offline (demo model, English only)")
    assert not (tmp_path / "data" / "log.db-wal").exists()


def test_a_port_that_is_taken_is_named_before_anything_is_loaded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["serve", "--port", str(port)])
    structlog.reset_defaults()

    assert isinstance(done.exception, DeclarationError)
    assert str(done.exception).startswith(f"cannot listen on 127.0.0.1:{port}: ")
    assert not (tmp_path / "data").exists()


async def test_a_folder_without_tools_is_mentioned_at_the_start(premises: Premises) -> None:
    (premises.folder / "tools").mkdir()

    async with premises.serving() as served:
        served.tell(signal.SIGTERM)
        code, errors = await served.end()

    assert code == 0
    assert "no tools, so nothing can be looked up" in errors
    assert "folder=tools setting=ASSISTANT_TOOLS_DIR" in errors

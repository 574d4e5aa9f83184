"""Serving: what stops the start, and what is printed."""

import asyncio
import gc
import json
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import jwt
import pytest
import structlog
from typer.testing import CliRunner
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from assistant.cli import app
from assistant.commands.serve import serving_until_told
from assistant.errors import DeclarationError
from tests.commands.conftest import ProjectFolder, signals_left_alone

pytestmark = pytest.mark.slow

SITE_SECRET = "what-the-shop-and-the-chat-both-know"


def site_token() -> str:
    now = int(time.time())
    claims = {"sub": "c-17", "aud": "meanwhile", "jti": "j1", "iat": now, "exp": now + 300}
    return jwt.encode(claims, SITE_SECRET, algorithm="HS256")  # pyright: ignore


def address_in(ready: str) -> str:
    return ready.removeprefix("Meanwhile is ready: ").partition(" ")[0]


async def hello(address: str, **fields: str | dict[str, bool]) -> dict[str, Any]:
    """Say hello; the first answer."""
    async with connect(
        f"{address.replace('http', 'ws', 1)}/v1/ws", subprotocols=[Subprotocol("meanwhile.v1")], proxy=None
    ) as socket:
        await socket.send(json.dumps({"type": "hello", **fields}))
        return json.loads(await socket.recv())


async def test_a_chat_is_refused_the_data_folder_of_a_running_server(premises: ProjectFolder) -> None:
    async with premises.serving() as served:
        chat = await premises.run("chat")

    assert chat == (
        2,
        "",
        f"the data folder 'data' is in use by process {served.process.pid}: stop that one first, "
        "or set ASSISTANT_DATA_DIR to another folder\n",
    )


async def test_it_prints_its_address_and_serves_until_it_is_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    said: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    with signals_left_alone():
        serving = asyncio.create_task(serving_until_told("127.0.0.1", 0, said.set_result))
        ready = await said
        address = address_in(ready)
        page = await asyncio.to_thread(urllib.request.urlopen, address, timeout=10)
        with page:
            assert page.status == 200
        # Another site may have let its own host name point to this server.
        misnamed = urllib.request.Request(address, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            await asyncio.to_thread(urllib.request.urlopen, misnamed, timeout=10)
        refused.value.close()
        assert refused.value.code == 421
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    gc.unfreeze()

    first, link = ready.splitlines()
    assert first.endswith("  model: offline (demo model, English only)")
    assert link.startswith(f"Console, for staff: {address}/console/link#")
    assert link.endswith("  (opens once, within 15 minutes)")
    assert not (tmp_path / "data" / "log.db-wal").exists()


def test_a_weak_site_secret_stops_the_start_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_SITE_SECRET", "hunter2")
    done = CliRunner().invoke(app, ["serve", "--port", "0"])
    structlog.reset_defaults()

    assert isinstance(done.exception, DeclarationError)
    assert str(done.exception).startswith("ASSISTANT_SITE_SECRET has 7 bytes and can be guessed; 32 or more")
    assert "hunter2" not in str(done.exception)


async def test_a_used_site_token_is_remembered_over_a_restart(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_SITE_SECRET", SITE_SECRET)
    token = site_token()
    told: list[dict[str, Any]] = []
    for _ in range(2):
        said: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        with signals_left_alone():
            serving = asyncio.create_task(serving_until_told("127.0.0.1", 0, said.set_result))
            told.append(await hello(address_in(await said), user=token))
            os.kill(os.getpid(), signal.SIGTERM)
            await serving
    gc.unfreeze()

    assert told[0]["customer"] == {"id": "c-17", "level": "signed_in", "name": None}
    assert told[1]["code"] == "user_replayed"


@pytest.mark.parametrize("demo", [True, False])
async def test_customers_of_a_real_site_see_neither_problems_nor_tools(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, demo: bool
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("ASSISTANT_DEMO", str(demo))
    said: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    with signals_left_alone():
        serving = asyncio.create_task(serving_until_told("127.0.0.1", 0, said.set_result))
        told = await hello(address_in(await said), capabilities={"notices": True, "developer": True})
        os.kill(os.getpid(), signal.SIGTERM)
        await serving
    gc.unfreeze()

    assert (told["notices"], told["developer"]) == (demo, False)


def test_a_port_in_use_is_named_before_anything_is_loaded(
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


async def test_a_folder_without_tools_is_mentioned_at_the_start(premises: ProjectFolder) -> None:
    (premises.folder / "tools").mkdir()

    async with premises.serving() as served:
        served.tell(signal.SIGTERM)
        code, errors = await served.end()

    assert code == 0
    assert "no tools, so nothing can be looked up" in errors
    assert "folder=tools setting=ASSISTANT_TOOLS_DIR" in errors

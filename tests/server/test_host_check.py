"""The host names under which the server can be reached."""

from dataclasses import replace
from pathlib import Path

import aiohttp
import pytest
from websockets.exceptions import InvalidStatus

from tests.server.client import Client
from tests.server.running_server import new_server, opened


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LOCALHOST", 200),
        ("shop.localhost:8000", 200),
        ("[::1]:{port}", 200),
        ("chat.example", 200),
        ("chat.example.:443", 200),
        ("evil.example:{port}", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("evilchat.example", 421),
        ("", 421),
        ("[", 421),
        ("[::1].evil.example", 421),
    ],
)
async def test_only_known_names_are_answered(tmp_path: Path, host: str, status: int) -> None:
    (tmp_path / "index.html").touch()
    closed = new_server()
    closed.context = replace(closed.context, hosts=frozenset({"chat.example"}))
    async with opened(closed, web_dir=tmp_path) as server, aiohttp.ClientSession() as session:
        named = {"Host": host.format(port=server.port)}
        async with session.get(f"http://127.0.0.1:{server.port}/", headers=named) as answer:
            assert answer.status == status
            if status == 421:
                told = await answer.text()
                assert "ASSISTANT_ALLOWED_ORIGINS" in told
                assert "script" not in answer.headers.get("Content-Security-Policy", "")
        async with session.get(f"http://127.0.0.1:{server.port}/healthz", headers=named) as answer:
            assert answer.status == 200


async def test_a_page_with_its_own_name_for_this_machine_is_refused() -> None:
    closed = new_server()
    closed.context = replace(closed.context, hosts=frozenset())
    async with opened(closed) as server:
        with pytest.raises(InvalidStatus) as refused:
            # To the browser, the page and this server are one site: the origin fits the host.
            await Client(server).dial(
                host="127.0.0.1",
                port=server.port,
                uri="ws://evil.example/v1/ws",
                origin="http://evil.example",
            )
        assert refused.value.response.status_code == 421
        assert b"https://evil.example" in (refused.value.response.body or b"")
        await Client(server).enter()


async def test_a_public_server_without_a_list_answers_to_any_name() -> None:
    async with opened(new_server()) as server, aiohttp.ClientSession() as session:
        named = {"Host": "whatever.example"}
        async with session.get(f"http://127.0.0.1:{server.port}/healthz", headers=named) as answer:
            assert answer.status == 200

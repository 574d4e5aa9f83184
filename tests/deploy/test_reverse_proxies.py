"""The shipped configurations of nginx and Caddy, in front of two servers that share a database."""

import asyncio
import io
import signal
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import aiohttp
import orjson
import psutil
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from assistant.clock import SystemClock
from tests.deploy.reverse_proxy import DOMAIN, ReverseProxy, caddy, nginx
from tests.faults.client import Client
from tests.faults.order_model import OrderModel
from tests.faults.servers import Installation, Server

pytestmark = pytest.mark.slow

GOING_AWAY = 1012

Start: TypeAlias = Callable[[Path, Sequence[int]], AbstractAsyncContextManager[ReverseProxy]]


class _Loopback(AbstractResolver):
    """All names are this machine."""

    async def resolve(self, host: str, port: int = 0, family: int = 0) -> list[ResolveResult]:
        return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": 2, "proto": 0, "flags": 0}]

    async def close(self) -> None:
        return


@dataclass(frozen=True, slots=True)
class Site:
    """Two servers behind a proxy."""

    installation: Installation
    proxy: ReverseProxy
    model: OrderModel

    @property
    def servers(self) -> list[Server]:
        return self.installation.servers

    @property
    def address(self) -> str:
        return f"https://{DOMAIN}:{self.proxy.port}"

    def customer(self, name: str) -> Client:
        """A client who knows the public address only."""
        options = {"ssl": self.proxy.trusted, "host": "127.0.0.1", "port": self.proxy.port}
        url = f"wss://{DOMAIN}:{self.proxy.port}/v1/ws"
        return Client(name, lambda: [0], Random(name), url=url, options=options)

    def web(self) -> aiohttp.ClientSession:
        """For requests to the public address."""
        connector = aiohttp.TCPConnector(resolver=_Loopback(), ssl=self.proxy.trusted)
        return aiohttp.ClientSession(self.address, connector=connector)

    def server_of_the_chat(self) -> Server:
        """The server to which the proxy has passed the only open socket."""
        (chosen,) = [
            server
            for server in self.servers
            if any(
                one.status == psutil.CONN_ESTABLISHED and one.laddr[1] == server.port
                for one in psutil.Process(server.pid).net_connections(kind="tcp")
            )
        ]
        return chosen


@asynccontextmanager
async def site(folder: Path, database: str, start: Start, **settings: str) -> AsyncGenerator[Site]:
    (folder / "shop").mkdir()
    (folder / "proxy").mkdir()
    async with OrderModel(clock=SystemClock()) as model:
        given = {
            "ASSISTANT_MODEL": "openai/gpt-6-luna",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": model.url,
            "ASSISTANT_DATABASE": database,
            "ASSISTANT_ALLOWED_ORIGINS": f"https://{DOMAIN}",
            "ASSISTANT_TRUSTED_PROXIES": "127.0.0.1",
            **settings,
        }
        installation = Installation(folder / "shop", given)
        async with (
            installation.running(2) as servers,
            start(folder / "proxy", [server.port for server in servers]) as proxy,
        ):
            yield Site(installation, proxy, model)


@pytest.mark.parametrize("start", [nginx, caddy])
async def test_a_chat_continues_at_the_other_server_in_mid_answer(
    tmp_path: Path, database: str, start: Start
) -> None:
    async with site(tmp_path, database, start) as shop:
        shop.model.word_s = 0.15
        ana = shop.customer("ana")
        ana.sent["ana-1"] = "Please order item ana-1."
        heard = asyncio.Event()
        ana.on_delta = heard.set
        answered = asyncio.create_task(ana.answer_of("ana-1"))
        await asyncio.wait_for(heard.wait(), 30)
        chosen = shop.server_of_the_chat()
        chosen.tell(signal.SIGTERM)
        assert await chosen.ended(30) == 0
        await asyncio.wait_for(answered, 60)

        assert ana.faults == []
        assert ana.closed[0] == GOING_AWAY, "the server's own word reaches the client"
        (answer,) = [one.text for one in ana.shown.values() if one.text.startswith("Item ana-1")]
        assert answer.strip().endswith("it comes by post in a few days.")
        assert [effect.item for effect in shop.installation.effects()] == ["ana-1"]


async def files_and_pages_pass(shop: Site, web: aiohttp.ClientSession, token: str) -> None:
    letter = b"Dear shop, my order is late.\n" * 30_000  # more than a proxy keeps in memory
    bearer = {"Authorization": f"Bearer {token}"}

    async with web.post("/v1/uploads?name=letter.txt", data=letter, headers=bearer) as answer:
        assert answer.status == 201, await answer.text()
        ref = (await answer.json())["ref"]
    for _ in range(4):  # whichever server the proxy asks
        async with web.get(f"/v1/uploads/{ref}", headers=bearer) as answer:
            assert answer.status == 200, await answer.text()
    large = io.BytesIO(bytes(12_000_000))
    async with web.post("/v1/uploads?name=large.txt", data=large, headers=bearer) as answer:
        assert answer.status == 413
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http"}
    async with web.get("/", headers=forged) as page:
        assert page.status == 200, "the server was told another host name than the proxy's"
        assert f"wss://{DOMAIN}:{shop.proxy.port}" in page.headers["Content-Security-Policy"]
    seen = {}
    for path in ("/healthz", "/readyz", "/metrics"):
        async with web.get(path) as answer:
            seen[path] = answer.status
    assert seen == {"/healthz": 200, "/readyz": 404, "/metrics": 404}
    if shop.proxy.plain_port:
        async with (
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(resolver=_Loopback())) as plain,
            plain.get(f"http://{DOMAIN}:{shop.proxy.plain_port}/frame?x=1", allow_redirects=False) as moved,
        ):
            assert (moved.status, moved.headers["Location"]) == (301, f"https://{DOMAIN}/frame?x=1")


async def code_of_a_message(shop: Site, address: str, number: int, **headers: str) -> str:
    """What a new visitor at this address is answered: "accepted", or why the message was rejected."""
    async with connect(
        f"wss://{DOMAIN}:{shop.proxy.port}/v1/ws",
        subprotocols=[Subprotocol("meanwhile.v1")],
        proxy=None,
        ssl=shop.proxy.trusted,
        host="127.0.0.1",
        port=shop.proxy.port,
        local_addr=(address, 0),
        additional_headers=headers,
    ) as socket:
        await socket.send(orjson.dumps({"type": "hello"}).decode())
        said = {"type": "message", "id": f"m{number}", "text": "Hello"}
        await socket.send(orjson.dumps(said).decode())
        while True:
            frame: dict[str, Any] = orjson.loads(await asyncio.wait_for(socket.recv(), 20))
            if frame["type"] in ("accepted", "rejected"):
                return str(frame.get("code", "accepted"))


@pytest.mark.parametrize("start", [nginx, caddy])
async def test_files_pages_and_the_clients_own_address_pass(
    tmp_path: Path, database: str, start: Start
) -> None:
    async with site(tmp_path, database, start, ASSISTANT_MESSAGES_PER_MINUTE="1") as shop, shop.web() as web:
        ana = shop.customer("ana")
        ana.sent["ana-1"] = "Hello"
        await ana.answer_of("ana-1")
        await files_and_pages_pass(shop, web, str(ana.token))

        # An address may send ten times what one visitor may, on both servers together.
        first = [await code_of_a_message(shop, "127.0.0.2", number) for number in range(12)]
        forged = await code_of_a_message(shop, "127.0.0.2", 12, **{"X-Forwarded-For": "203.0.113.9"})
        other = await code_of_a_message(shop, "127.0.0.3", 13)

        assert first[:10] == ["accepted"] * 10
        assert first[11] == "rate_limited"
        assert forged == "rate_limited"
        assert other == "accepted"
        for server in shop.servers:
            assert "X-Forwarded-For" not in shop.installation.told(server)

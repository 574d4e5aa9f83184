"""MCP servers over HTTP, and what they may not do."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

from assistant.errors import CredentialError, ToolError
from assistant.mcp.config import HttpTransport
from assistant.tools.http.config import AuthSection
from assistant.tools.tool import ToolResult
from tests.mcp.conftest import keeping, until

GREETING: dict[str, object] = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "shop", "version": "1"},
}
PING: dict[str, object] = {
    "name": "ping",
    "description": "Ping.",
    "inputSchema": {"type": "object", "properties": {}},
}


@dataclass(slots=True)
class Shop:
    """A server that answers with plain JSON. ``pings`` are what calls are answered with, in turn."""

    port: int = 0
    asked: list[web.Request] = field(default_factory=list[web.Request])
    pings: list[str | web.Response] = field(default_factory=list[str | web.Response])
    redirect: str = ""
    status: int = 0
    sessions: int = 0
    tools: list[dict[str, object]] = field(default_factory=lambda: [PING])

    def address(self, path: str = "/mcp") -> HttpTransport:
        """Where it is, and with what one signs in."""
        return HttpTransport(
            url=f"http://127.0.0.1:{self.port}{path}",
            headers=(("X-Region", "eu"),),
            auth=AuthSection(bearer="SHOP_TOKEN"),
        )

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one message."""
        self.asked.append(request)
        if self.status:
            return web.Response(status=self.status)
        if self.redirect:
            return web.Response(status=307, headers={"Location": self.redirect})
        if request.method != "POST":
            return web.Response(status=405)
        message: dict[str, Any] = await request.json()
        match message["method"]:
            case "initialize":
                self.sessions += 1
                return self._says(message, GREETING, {"Mcp-Session-Id": f"s{self.sessions}"})
            case "tools/list":
                return self._says(message, {"tools": self.tools})
            case "tools/call":
                said = self.pings.pop(0) if self.pings else "pong"
                if isinstance(said, web.Response):
                    return said
                return self._says(message, {"content": [{"type": "text", "text": said}]})
            case _:
                return web.Response(status=202)

    def _says(
        self, message: dict[str, Any], result: object, headers: dict[str, str] | None = None
    ) -> web.Response:
        return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result}, headers=headers)


@pytest.fixture
async def shops() -> AsyncIterator[tuple[Shop, Shop]]:
    """Two of them on ports of their own."""
    runners: list[web.AppRunner] = []
    shops = Shop(), Shop()
    for shop in shops:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", shop.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        shop.port = runner.addresses[0][1]
        runners.append(runner)
    yield shops
    for runner in runners:
        await runner.cleanup()


OURS = {"SHOP_TOKEN": "s3cret", "HTTP_PROXY": "http://127.0.0.1:9"}


async def test_secrets_are_sent_as_headers_with_every_message(shops: tuple[Shop, Shop]) -> None:
    shop, _ = shops
    async with keeping(shop.address(), environment=OURS) as kept:
        assert await kept.does("ping") == ToolResult("pong")

    assert {request.headers["Authorization"] for request in shop.asked} == {"Bearer s3cret"}
    assert {request.headers["X-Region"] for request in shop.asked} == {"eu"}


async def test_redirects_to_another_host_are_not_followed(shops: tuple[Shop, Shop]) -> None:
    shop, other = shops
    shop.redirect = other.address().url

    async with keeping(shop.address(), environment=OURS, approved=False) as kept:
        await until(lambda: bool(kept.news))

    assert shop.asked
    assert other.asked == []


async def test_a_server_that_refuses_is_reported_and_asked_again_later(shops: tuple[Shop, Shop]) -> None:
    shop, _ = shops
    shop.status = 401
    async with keeping(shop.address(), environment=OURS, approved=False) as kept:
        await until(lambda: bool(kept.news))
        assert kept.news == [
            "shop cannot be used: does not answer the greeting: Server returned an error response"
        ]
        shop.status = 0
        await until(lambda: kept.server.away is None)
        assert "shop is back" in kept.news


async def test_an_endless_answer_fails_its_call_and_the_next_one_works(
    shops: tuple[Shop, Shop],
) -> None:
    shop, _ = shops
    shop.pings = ["x" * 13_000_000]
    async with keeping(shop.address(), environment=OURS) as kept:
        with pytest.raises(ToolError, match="that did not work"):
            await kept.does("ping")
        assert await kept.does("ping") == ToolResult("pong")


UNREADABLE = {
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "surrogate": b'"\\ud800"',
    "bytes": b'"\xff"',
    "huge": b'"' + b"x" * 50_000_000 + b'"',
}


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)
async def test_an_unreadable_answer_fails_its_call_immediately(
    shops: tuple[Shop, Shop], kind: str, value: bytes
) -> None:
    shop, _ = shops
    if (kind, value) == ("text/event-stream", UNREADABLE["bytes"]):
        pytest.skip("a stream of events is always text: what is none becomes a replacement character")
    body = b'{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "x": ' + value + b"}}"
    if kind == "text/event-stream":
        body = b"event: message\ndata: " + body + b"\n\n"
    async with keeping(shop.address(), environment=OURS) as kept:
        shop.pings = [web.Response(body=body, content_type=kind) for _ in range(2)]
        began = asyncio.get_running_loop().time()
        with pytest.raises(ToolError):
            await kept.does("ping")
        with pytest.raises(ToolError, match="so I can't say whether it was done"):
            await kept.does("ping", effect="write")
        assert asyncio.get_running_loop().time() - began < 4
        assert await kept.does("ping") == ToolResult("pong")


async def test_an_unusable_tool_is_left_out(shops: tuple[Shop, Shop]) -> None:
    shop, _ = shops
    shop.tools = [{"name": "no_schema"}, PING]
    async with keeping(shop.address(), environment=OURS) as kept:
        assert await kept.server.left_out() == {"no_schema": "inputSchema: Field required"}
        assert await kept.does("ping") == ToolResult("pong")


async def test_a_server_that_has_lost_its_session_gets_a_new_one(shops: tuple[Shop, Shop]) -> None:
    shop, _ = shops
    shop.pings = [web.Response(status=404)]
    async with keeping(shop.address(), environment=OURS) as kept:
        with pytest.raises(ToolError, match="I can't reach that service just now"):
            await kept.does("ping")
        await until(lambda: shop.sessions == 2 and kept.server.away is None)
        assert await kept.does("ping") == ToolResult("pong")


async def test_an_unreachable_server_affects_only_its_calls() -> None:
    async with keeping(Shop(port=9).address(), environment=OURS, approved=False) as kept:
        await until(lambda: bool(kept.news))

    assert kept.news[0].startswith("shop cannot be used: ")
    assert "s3cret" not in kept.news[0]


@dataclass(slots=True)
class Customers(Shop):
    """A server with a session and an answer for each customer, by their token."""

    whose: dict[str, str] = field(default_factory=dict[str, str])
    strange: list[str] = field(default_factory=list[str])

    def address(self, path: str = "/mcp") -> HttpTransport:
        """Where calls are signed in as the customer."""
        return replace(Shop.address(self, path), customer_auth=AuthSection(bearer="{customer.token}"))

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one message; a session that another one began is strange."""
        token = request.headers["Authorization"].removeprefix("Bearer ")
        session = request.headers.get("Mcp-Session-Id")
        if session is not None and self.whose.get(session) != token:
            self.strange.append(session)
        if token == "revoked":
            return web.Response(status=401)
        if request.method == "POST":
            asked: dict[str, Any] = await request.json()
            if asked["method"] == "tools/call":
                self.pings.append(f"the orders of {token}")
        answer = await Shop.answer(self, request)
        if "Mcp-Session-Id" in answer.headers:
            self.whose[answer.headers["Mcp-Session-Id"]] = token
        return answer


@pytest.fixture
async def customers() -> AsyncIterator[Customers]:
    shop, app = Customers(), web.Application()
    app.router.add_route("*", "/{path:.*}", shop.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    shop.port = runner.addresses[0][1]
    yield shop
    await runner.cleanup()


async def test_each_customer_has_a_session_of_their_own_at_the_server(customers: Customers) -> None:
    async with keeping(customers.address(), environment=OURS) as kept:
        ping = kept.offered["ping"]
        tokens = [f"token-of-{name}" for name in ("ana", "ben") * 4]
        told = await asyncio.gather(*(kept.server.call(ping, {}, "read", token) for token in tokens))

    assert [one.value for one in told] == [f"the orders of {token}" for token in tokens]
    assert customers.strange == []
    assert set(customers.whose.values()) == {"s3cret", "token-of-ana", "token-of-ben"}


async def test_a_customer_whose_token_is_refused_has_to_sign_in_again(customers: Customers) -> None:
    async with keeping(customers.address(), environment=OURS) as kept:
        with pytest.raises(CredentialError, match="sign in again"):
            await kept.server.call(kept.offered["ping"], {}, "write", "revoked")
        assert customers.pings == []

"""Which data about a client's address, scheme and host name are trusted."""

from typing import Any

import aiohttp
import pytest
import structlog
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from assistant.server.app import uvicorn_config
from assistant.server.proxies import ProxyHeaders, client_address
from tests.server.client import Client
from tests.server.running_server import RunningServer, new_server, opened, with_limits

Header = tuple[str, str]


async def seen(
    client: str | None, *headers: Header, trusted: tuple[str, ...] = (), kind: str = "http", path: str = "/"
) -> HTTPConnection:
    """The connection that the application gets behind these proxies."""
    given: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del receive, send
        given.append(scope)

    async def unused(*_: Any) -> Any:
        raise AssertionError

    scope: Scope = {
        "type": kind,
        "scheme": "ws" if kind == "websocket" else "http",
        "path": path,
        "query_string": b"",
        "client": (client, 5) if client is not None else None,
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }
    await ProxyHeaders(app, trusted)(scope, unused, unused)
    return HTTPConnection(given[0])


FOR, PROTO, HOST = "x-forwarded-for", "x-forwarded-proto", "x-forwarded-host"


@pytest.mark.parametrize(
    ("peer", "chain", "counted"),
    [
        ("10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # the left one is forged
        ("10.0.0.1", "198.51.100.1, 203.0.113.7, 10.2.3.4", "203.0.113.7"),
        ("10.0.0.1", "10.9.9.9, 10.2.3.4", "10.9.9.9"),  # a client inside the trusted network
        ("10.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("10.0.0.1", "[2001:db8:1:2::7]:4711", "2001:db8:1:2::/64"),
        ("10.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"),
        ("10.0.0.1", "203.0.113.7, unknown", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("::ffff:10.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("fd00::1", "2001:db8:9::1", "2001:db8:9::/64"),
        ("192.0.2.9", "203.0.113.7", "192.0.2.9"),  # no proxy of ours
        ("127.0.0.1", "203.0.113.7", "127.0.0.1"),  # nor is loopback, unless it is listed
    ],
)
async def test_the_rightmost_untrusted_address_counts(peer: str, chain: str, counted: str) -> None:
    connection = await seen(peer, (FOR, chain), trusted=("10.0.0.0/8", "fd00::/8"))

    assert client_address(connection) == counted


async def test_several_headers_are_one_list() -> None:
    connection = await seen("10.0.0.1", (FOR, "198.51.100.1"), (FOR, "203.0.113.7"), trusted=("10.0.0.1",))

    assert client_address(connection) == "203.0.113.7"


async def test_programs_on_this_machine_are_not_counted() -> None:
    assert client_address(await seen("127.0.0.1")) is None
    assert client_address(await seen("::1")) is None
    assert client_address(await seen(None)) is None


@pytest.mark.parametrize(("kind", "scheme"), [("http", "https"), ("websocket", "wss")])
async def test_scheme_and_host_come_only_from_a_trusted_proxy(kind: str, scheme: str) -> None:
    said = ((PROTO, "https"), (HOST, "shop.example"), ("host", "10.0.0.5:8000"))

    trusted = await seen("10.0.0.1", *said, trusted=("10.0.0.1",), kind=kind)
    stranger = await seen("10.0.0.2", *said, trusted=("10.0.0.1",), kind=kind)

    assert (trusted.url.scheme, trusted.headers.getlist("host")) == (scheme, ["shop.example"])
    assert (stranger.url.scheme, stranger.headers.getlist("host")) == (scheme[:-1], ["10.0.0.5:8000"])


@pytest.mark.parametrize("peer", ["192.0.2.9", "127.0.0.1"])
async def test_an_unlisted_proxy_is_named_once_in_the_log(peer: str) -> None:
    async def app(*_: Any) -> Any: ...

    proxies = ProxyHeaders(app, ["10.0.0.1"])
    scope: Scope = {"type": "http", "path": "/", "client": (peer, 1), "headers": [(FOR.encode(), b"1.2.3.4")]}
    with structlog.testing.capture_logs() as lines:
        for _ in range(3):
            await proxies(scope, app, app)

    (line,) = lines
    assert "ASSISTANT_TRUSTED_PROXIES" in line["event"]
    assert line["address"] == peer


async def test_a_trusted_proxy_without_the_header_is_named_in_the_log() -> None:
    with structlog.testing.capture_logs() as lines:
        await seen("10.0.0.1", trusted=("10.0.0.1",), path="/healthz")
        await seen("10.0.0.1", trusted=("10.0.0.1",))

    assert [line["event"][:44] for line in lines] == ["a trusted proxy sends no X-Forwarded-For, so"]


def test_the_web_server_itself_trusts_no_header() -> None:
    assert uvicorn_config(ProxyHeaders(None, [])).proxy_headers is False  # type: ignore[arg-type]


async def visitors_that_pass(server: RunningServer, addresses: list[str]) -> int:
    """How many of these visitors, each with an address of its own in the header, may send a message."""
    passed = 0
    for number, address in enumerate(addresses):
        visitor = Client(server)
        await visitor.dial(additional_headers={"X-Forwarded-For": address})
        await visitor.say(type="hello")
        await visitor.hear()
        await visitor.says(f"m{number}")
        while (frame := await visitor.hear()).get("id") != f"m{number}":
            pass
        passed += frame["type"] == "accepted"
        await visitor.leave()
    return passed


async def test_forged_addresses_do_not_pass_the_limit_of_an_address() -> None:
    forged = [f"198.51.100.{number}" for number in range(90)]
    strict = with_limits(new_server(), messages_per_minute=2, visitors_per_address=10)
    async with opened(strict) as server:
        assert await visitors_that_pass(server, forged) == 20


async def test_behind_a_trusted_proxy_each_client_has_its_own_limit() -> None:
    strict = with_limits(new_server(), messages_per_minute=1, visitors_per_address=2)
    strict.trusted_proxies = ("127.0.0.1",)
    async with opened(strict) as server:
        clients = [f"203.0.113.{number}" for number in range(10)]
        assert await visitors_that_pass(server, clients) == 10
        # The client's own value is to the left of the value that the proxy adds.
        assert await visitors_that_pass(server, [f"198.51.100.{n}, 203.0.113.99" for n in range(10)]) == 2


async def test_a_trusted_proxy_may_name_the_host_that_a_page_came_from() -> None:
    page = {"Origin": "https://shop.example", "X-Forwarded-Host": "shop.example"}
    answers: list[int] = []
    for trusted in ((), ("127.0.0.1",)):
        server = new_server()
        server.trusted_proxies = trusted
        async with (
            opened(server),
            aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as http,
            http.options("/v1/uploads", headers=page) as answer,
        ):
            answers.append(answer.status)

    assert answers == [403, 204]

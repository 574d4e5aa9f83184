"""Reads what reverse proxies say about a request: the client's address, the scheme, and the host name.

Only a proxy that the operator has listed is trusted. A header from any other address may be forged: it is
ignored, and the log says so.
"""

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

import structlog
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from assistant.server.origins import HEALTH

log = structlog.get_logger(__name__)

Network: TypeAlias = IPv4Network | IPv6Network

_FOR, _PROTO, _HOST = b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host"
_MOST_WARNINGS = 10
"""The maximum number of addresses in such warnings, so that a client with many addresses cannot fill the log."""


def client_address(connection: HTTPConnection) -> str | None:
    """The address for rate limits; None for a program on this machine.

    A connection from this machine that has ``X-Forwarded-For`` comes from a proxy, so it is counted: if the
    proxy is not trusted, all of its clients share one address.
    """
    host = connection.client.host if connection.client is not None else None
    address = counted_address(host)
    if address is None and host is not None and "x-forwarded-for" in connection.headers:
        return host
    return address


def counted_address(host: str | None) -> str | None:
    """The address, or the /64 network of an IPv6 address; None for loopback and for no address.

    >>> counted_address("203.0.113.7"), counted_address("::ffff:203.0.113.7")
    ('203.0.113.7', '203.0.113.7')
    >>> counted_address("2001:db8:1:2:3:4:5:6"), counted_address("127.0.0.1"), counted_address("a-socket")
    ('2001:db8:1:2::/64', None, None)
    """
    plain = _plain_address(host or "")
    if plain is None:
        return None
    ip = ip_address(plain)
    if ip.is_loopback:
        return None
    # One household has a whole /64.
    return str(ip) if ip.version == 4 else str(ip_network((ip, 64), strict=False))


class ProxyHeaders:
    """Replaces the connection's data with what a trusted proxy says.

    * ``X-Forwarded-For``: the right-most address that is not a trusted proxy is the client. Everything to the left
      of it was written by the client itself.
    * ``X-Forwarded-Proto`` and ``X-Forwarded-Host``: the last value.

    Args:
        app: answers the requests.
        trusted: addresses and networks of proxies, such as "127.0.0.1" and "10.0.0.0/8".
    """

    def __init__(self, app: ASGIApp, trusted: Iterable[str]) -> None:
        self.app, self._trusted = app, tuple(map(ip_network, trusted))
        self._warned: set[str] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        client: tuple[str, int] | None = scope.get("client")
        if client is not None:
            headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
            if is_trusted(client[0], self._trusted):
                scope = self._as_forwarded(scope, client, headers)
            elif any(name == _FOR for name, _ in headers):
                self._warn(
                    client[0], "X-Forwarded-For is ignored: list the proxy in ASSISTANT_TRUSTED_PROXIES"
                )
        await self.app(scope, receive, send)

    def _as_forwarded(
        self, scope: Scope, client: tuple[str, int], headers: Sequence[tuple[bytes, bytes]]
    ) -> Scope:
        chain, scheme, host = _values(headers, _FOR), _values(headers, _PROTO), _values(headers, _HOST)
        changed = dict(scope)
        if chain:
            changed["client"] = (client_in_chain(client[0], chain, self._trusted), 0)
        elif scope["path"] not in HEALTH:
            self._warn(
                client[0], "a trusted proxy sends no X-Forwarded-For, so all of its clients share one address"
            )
        if scheme and scheme[-1] in ("http", "https"):
            secure = scheme[-1] == "https"
            plain = "ws" if scope["type"] == "websocket" else "http"
            changed["scheme"] = f"{plain}s" if secure else plain
        if host:
            others = [(name, value) for name, value in headers if name != b"host"]
            changed["headers"] = [*others, (b"host", host[-1].encode("latin-1"))]
        return changed

    def _warn(self, address: str, problem: str) -> None:
        """Warn once for each proxy, because each of its requests has the same problem."""
        if address not in self._warned and len(self._warned) < _MOST_WARNINGS:
            self._warned.add(address)
            log.warning(problem, address=address)


def is_trusted(address: str, trusted: Sequence[Network]) -> bool:
    """Whether this is the address of a trusted proxy.

    >>> is_trusted("10.1.2.3", [ip_network("10.0.0.0/8")]), is_trusted("a-socket", [])
    (True, False)
    """
    plain = _plain_address(address)
    return plain is not None and any(ip_address(plain) in network for network in trusted)


def client_in_chain(peer: str, chain: Sequence[str], trusted: Sequence[Network]) -> str:
    """The client's address, from the right: the first one that is not a trusted proxy.

    An entry that is no address ends the search: then the proxy that wrote it counts as the client.

    >>> proxies = [ip_network("10.0.0.0/8")]
    >>> client_in_chain("10.0.0.1", ["198.51.100.9", "203.0.113.7", "10.0.0.2"], proxies)
    '203.0.113.7'
    >>> client_in_chain("10.0.0.1", ["203.0.113.7", "unknown"], proxies), client_in_chain("10.0.0.1", [], proxies)
    ('10.0.0.1', '10.0.0.1')
    """
    found = peer
    for entry in reversed(chain):
        address = _plain_address(entry)
        if address is None:
            break
        found = address
        if not is_trusted(address, trusted):
            break
    return found


def _values(headers: Iterable[tuple[bytes, bytes]], wanted: bytes) -> list[str]:
    """The values of a header in order; several headers with one name are one list."""
    texts = (value.decode("latin-1") for name, value in headers if name == wanted)
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _plain_address(written: str) -> str | None:
    """An address without port and brackets; None if it is none.

    >>> [_plain_address(one) for one in ("203.0.113.7:443", "[2001:db8::1]:443", "::ffff:203.0.113.7", "x")]
    ['203.0.113.7', '2001:db8::1', '203.0.113.7', None]
    """
    if written.startswith("["):
        written = written[1:].partition("]")[0]
    elif written.count(":") == 1:
        written = written.partition(":")[0]
    try:
        ip = ip_address(written)
    except ValueError:
        return None
    if isinstance(ip, IPv6Address):
        ip = ip.ipv4_mapped or ip
    return str(ip)

"""Which host names this server answers to, and which origins may connect."""

from collections.abc import Collection, Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket


def origin_allowed(origin: str | None, host: str, others: Collection[str]) -> bool:
    """Whether a page of this origin may connect. Clients other than browsers send no origin.

    For the server's own pages the scheme is ignored: in front of a proxy it may be https, behind it http.

    >>> origin_allowed("https://shop.example", "shop.example", ())
    True
    >>> origin_allowed("https://other.example", "shop.example", ["https://other.example"])
    True
    >>> origin_allowed("https://evil.example", "shop.example", ())
    False
    >>> origin_allowed("null", "", ()), origin_allowed("http://[", "shop.example", ())
    (False, False)
    """
    if origin is None or origin in others:
        return True
    # Parsed by hand, because the value may be invalid.
    place = origin.partition("://")[2]
    return bool(place) and place.lower() == host.lower()


def allowed_hosts(bound_to: str, origins: Iterable[str], hosts: Iterable[str] = ()) -> frozenset[str] | None:
    """The host names that requests may have, in addition to this machine's names; None: any.

    Args:
        bound_to: the address that the server listens on.
        origins: the web origins that the operator has listed.
        hosts: the host names that the operator has listed.

    >>> sorted(allowed_hosts("0.0.0.0", ["https://chat.example:8443"]))
    ['chat.example']
    >>> allowed_hosts("0.0.0.0", []) is None, allowed_hosts("127.0.0.1", [])
    (True, frozenset())
    """
    listed = frozenset(name_of_host(urlsplit(origin).netloc) for origin in origins)
    listed |= {name_of_host(host) for host in hosts}
    return listed if listed or is_loopback(bound_to) else None


def is_loopback(name: str) -> bool:
    """Whether this name means the machine itself.

    >>> [is_loopback(name) for name in ("localhost", "shop.localhost", "127.1.2.3", "::1", "localhost.evil")]
    [True, True, True, True, False]
    """
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


HEALTH = ("/healthz", "/readyz")


class HostCheck:
    """Refuses requests for a host name that is not this server's (421).

    Otherwise another site could direct its own name to this machine, and the browser would treat us as that
    site. The health checks answer under any name.

    Args:
        app: answers the other requests.
        hosts: known names, from ``known_hosts``.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or pass it on."""
        host = host_of(scope)
        name = name_of_host(host)
        if is_loopback(name) or name in self._hosts or scope["path"] in HEALTH:
            await self._app(scope, receive, send)
            return
        refusal = PlainTextResponse(
            f"This server does not answer to the name {host!r}. "
            "If it is yours, list its origin in ASSISTANT_ALLOWED_ORIGINS, such as "
            f"https://{name or 'chat.example'}.\n",
            status_code=421,
        )
        if scope["type"] == "websocket":
            await WebSocket(scope, receive, send).send_denial_response(refusal)
        else:
            await refusal(scope, receive, send)


def host_of(scope: Scope) -> str:
    """The host that a request names; "" if it names none."""
    headers: Iterable[tuple[bytes, bytes]] = scope["headers"]
    return next((value.decode("latin-1") for name, value in headers if name == b"host"), "")


def name_of_host(host: str) -> str:
    """A host without its port.

    >>> hosts = "Chat.Example:8000", "[::1]:8000", "127.0.0.1", "[::1].evil.example"
    >>> [name_of_host(host) for host in hosts]
    ['chat.example', '::1', '127.0.0.1', '']
    """
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
        return name if port == "" or port.startswith(":") else ""
    return host.partition(":")[0].lower().removesuffix(".")

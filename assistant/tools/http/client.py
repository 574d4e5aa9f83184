"""Sends a request and reads the response, up to a size limit. A write is never sent twice."""

from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import aiohttp
from aiohttp import ClientConnectorError, ClientError, ClientOSError, ServerDisconnectedError
from yarl import URL

from assistant.resilience import retry_after_s
from assistant.tools.http.address import query_of
from assistant.tools.http.request import Request, merged_headers
from assistant.tools.http.response import Response, not_set_up, too_long, unreachable, unseen, unsure
from assistant.tools.http.service import Service

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse


class Unanswered(ClientError):
    """A change went out, and its connection broke before there was an answer."""


async def sent_once(request: "ClientRequest", handler: "ClientHandlerType") -> "ClientResponse":
    """Send it. Raises ``Unanswered`` where the client would try again: PUT and DELETE, on an old connection."""
    try:
        return await handler(request)
    except ClientConnectorError:
        raise
    except (ClientOSError, ServerDisconnectedError) as error:
        raise Unanswered(type(error).__name__) from error


_SAFE = ("GET", "HEAD")
_MOST_REDIRECTS = 3
_LONGEST_WAIT = 40  # characters: a number of seconds, or a date
_REDIRECTS = (301, 302, 303, 307, 308)


async def send(request: Request, service: Service) -> Response:
    """Send it, with the secrets of the service. Redirects are followed for lookups, on the same host only.

    Raises:
        ToolError: nothing came back that could be read: a secret is not set, no connection, far too much.
    """
    if service.credentials.missing:
        raise not_set_up(service, service.credentials.missing)
    url = service.base.origin + service.base.path + _with_secrets(request.target, service)
    try:
        return await _answer(request, url, service)
    except (aiohttp.ClientConnectorError, aiohttp.InvalidURL) as error:
        raise unreachable(service, error) from None
    except (aiohttp.ClientError, OSError) as error:
        # It was sent, and nobody heard what came of it.
        raise (unsure if request.changes else unreachable)(service, error) from None


async def _answer(request: Request, url: str, service: Service) -> Response:
    session = await service.connections.session()
    headers = merged_headers(request.headers, service.credentials.of("header"))
    middlewares = (sent_once,) if request.changes else ()
    for _ in range(_MOST_REDIRECTS + 1):
        async with session.request(
            request.method,
            URL(url, encoded=True),
            headers=headers,
            data=request.body,
            allow_redirects=False,
            middlewares=middlewares,
        ) as response:
            onward = _onward(request, response, url)
            if onward is None:
                return await _read(response, service, request)
            url = onward
    raise unreachable(service, RecursionError("redirects without end"))


def _onward(request: Request, response: aiohttp.ClientResponse, url: str) -> str | None:
    """Where a lookup is sent on to on the same host; None: this is the answer."""
    there = response.headers.get("Location", "")
    if response.status not in _REDIRECTS or request.method not in _SAFE or not there:
        return None
    try:
        onward = urljoin(url, there)
    except ValueError:
        return None
    is_plain = onward.isascii() and not set(onward) & set(" \\")
    return onward if is_plain and _origin(onward) == _origin(url) else None


async def _read(response: aiohttp.ClientResponse, service: Service, request: Request) -> Response:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > service.max_bytes:
            if request.changes and response.ok:
                raise unseen(service, f"has more than {service.max_bytes} bytes")
            raise too_long(service)
    return Response(
        status=response.status,
        kind=response.content_type.lower(),
        body=bytes(body),
        retry_after=response.headers.get("Retry-After", "")[:_LONGEST_WAIT],
        retry_after_s=retry_after_s(response.headers, _their_time(response)),
    )


def _their_time(response: aiohttp.ClientResponse) -> datetime | None:
    """By the system's own clock: dates that it names are compared with no other."""
    try:
        return parsedate_to_datetime(response.headers.get("Date", ""))
    except ValueError:
        return None


def _with_secrets(target: str, service: Service) -> str:
    secret = query_of(list(service.credentials.of("query").items()))
    return target + (secret.replace("?", "&", 1) if "?" in target else secret)


def _origin(url: str) -> tuple[str, str]:
    """With whoever is named before the host: an address that signs somebody in is another one."""
    address = urlsplit(url)
    return address.scheme, address.netloc.lower()

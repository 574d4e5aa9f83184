"""Sends a request and reads its answer, whole but never without end."""

from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import aiohttp
import structlog
from yarl import URL

from assistant.errors import ToolError
from assistant.tooling.http.address import query_of
from assistant.tooling.http.refusals import not_set_up, too_long, unreachable, unsure
from assistant.tooling.http.request import Request
from assistant.tooling.http.service import Service

log = structlog.get_logger(__name__)

_SAFE = ("GET", "HEAD")
_MOST_REDIRECTS = 3
_LONGEST_WAIT = 40  # characters: a number of seconds, or a date
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back. ``kind`` is the media type in lower case, without its parameters."""

    status: int
    kind: str
    body: bytes = field(repr=False)
    retry_after: str = ""


async def send(request: Request, service: Service) -> Answer:
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
        raise (unreachable if request.method in _SAFE else unsure)(service, error) from None


async def _answer(request: Request, url: str, service: Service) -> Answer:
    session = await service.connections.session()
    headers = {**request.headers, **service.credentials.of("header")}
    for _ in range(_MOST_REDIRECTS + 1):
        async with session.request(
            request.method, URL(url, encoded=True), headers=headers, data=request.body, allow_redirects=False
        ) as response:
            onward = _onward(request, response, url)
            if onward is None:
                return await _read(response, service)
            url = onward
    raise unreachable(service, RecursionError("redirects without end"))


def _onward(request: Request, response: aiohttp.ClientResponse, url: str) -> str | None:
    """Where a lookup is sent on to on the same host; None: this is the answer."""
    there = response.headers.get("Location")
    if response.status not in _REDIRECTS or request.method not in _SAFE or not there:
        return None
    onward = urljoin(url, there)
    return onward if _origin(onward) == _origin(url) else None


async def _read(response: aiohttp.ClientResponse, service: Service) -> Answer:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > service.max_bytes:
            raise too_long(service)
    return Answer(
        status=response.status,
        kind=response.content_type.lower(),
        body=bytes(body),
        retry_after=response.headers.get("Retry-After", "")[:_LONGEST_WAIT],
    )


def _with_secrets(target: str, service: Service) -> str:
    secret = query_of(list(service.credentials.of("query").items()))
    return target + (secret.replace("?", "&", 1) if "?" in target else secret)


def _origin(url: str) -> tuple[str, str | None, int | None]:
    address = urlsplit(url)
    return address.scheme, address.hostname, address.port


__all__ = ["Answer", "ToolError", "send"]

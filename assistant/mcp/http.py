"""Messages to and from a server at an address. Needs the SDK: imported only where a server is."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from http import HTTPStatus

import httpx2
from mcp.client.streamable_http import streamable_http_client

from assistant.mcp.config import HttpTransport
from assistant.mcp.messages import MessageStreams
from assistant.tools.http.service import credentials

_LONGEST_ANSWER = 12_000_000
_BETWEEN_S = 30.0
_SILENT_S = 300.0
"""How long a stream may say nothing: calls have limits of their own."""


@asynccontextmanager
async def open_http(
    address: HttpTransport, ours: Mapping[str, str], token: str = ""
) -> AsyncGenerator[MessageStreams]:
    """Speak with the server there; with no other: redirects are followed within its own origin only.

    With a customer's ``token`` every request is signed in as that customer, and with nothing of the company's else.
    """
    auth = address.customer_auth if token and address.customer_auth is not None else address.auth
    headers = {**dict(address.headers), **credentials(auth, ours).for_customer(token).of("header")}
    timeout = httpx2.Timeout(_BETWEEN_S, read=_SILENT_S)
    # Proxies and .netrc files of the machine are not for these secrets.
    refused = asyncio.Event()
    async with (
        httpx2.AsyncClient(
            headers=headers, timeout=timeout, trust_env=False, transport=_Bounded(refused)
        ) as client,
        streamable_http_client(address.url, http_client=client, max_sse_event_size=_LONGEST_ANSWER) as (
            read,
            write,
        ),
    ):
        yield MessageStreams(read=read, write=write, gone=asyncio.Event(), refused=refused)


class _Bounded(httpx2.AsyncHTTPTransport):
    """Breaks off an answer that does not end; streams of events have a limit for each event instead."""

    def __init__(self, refused: asyncio.Event) -> None:
        super().__init__()
        self._refused = refused

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        if response.status_code == HTTPStatus.UNAUTHORIZED:
            self._refused.set()
        if not response.headers.get("content-type", "").startswith("text/event-stream"):
            response.stream = _Counted(response.stream)
        return response


class _Counted(httpx2.AsyncByteStream):
    def __init__(self, inner: object) -> None:
        assert isinstance(inner, httpx2.AsyncByteStream)  # noqa: S101 - an async transport has no other
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        length = 0
        async for chunk in self._inner:
            length += len(chunk)
            if length > _LONGEST_ANSWER:
                # Of this kind, because it costs the SDK one call, and any other the whole connection.
                raise httpx2.StreamError(f"the answer is longer than {_LONGEST_ANSWER} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()

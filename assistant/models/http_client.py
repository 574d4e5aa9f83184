"""The HTTP client: one request, one stream of chunks. Each provider's module adds the differences.

All clients share one connection pool. One watch ends every stream that has been silent for too long.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import aiohttp

from assistant.conversation.chunks import Chunk
from assistant.errors import ModelBroke, ModelError, ModelTimeout, ReplyCut
from assistant.formats.registry import Formatter, WireRequest
from assistant.models.streamed_reply import Reply, refusal
from assistant.ports import Clock, ModelOptions, ModelRequest


class Connections:
    """A pool of kept-alive connections, and the ``watch`` over their streams.

    It belongs to the event loop that first uses it.
    """

    def __init__(self, clock: Clock) -> None:
        self.watch = StreamWatch(clock)
        self._session: aiohttp.ClientSession | None = None

    def session(self) -> "aiohttp.ClientSession":
        """Returns the open session. Call it within the running loop."""
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30.0, ttl_dns_cache=300),
                timeout=aiohttp.ClientTimeout(total=None),  # Timeouts use the Clock instead.
                cookie_jar=aiohttp.DummyCookieJar(),
                skip_auto_headers=("User-Agent",),
            )
        return self._session

    async def close(self) -> None:
        """Close the connections. They are opened again for the next request."""
        self.watch.close()
        session, self._session = self._session, None
        if session is not None:
            await session.close()


class DirectModel(ABC):
    """A model behind a provider's HTTP API. Subclasses implement ``_url``, ``_headers`` and ``_reply``.

    Args:
        name: the name in the settings, "<provider>/<model>".
        model: the provider's own name for the model; by default the part of ``name`` after the slash.
        base_url: the address of the API.
        api_key: the key; None sends none. While it is replaced there are two, with a space between.
        formatter: writes the requests.
        connections: the pool of connections, shared with other models.
        clock: measures the timeouts.
    """

    def __init__(
        self,
        name: str,
        *,
        model: str = "",
        base_url: str,
        api_key: str | None,
        formatter: Formatter,
        connections: Connections,
        clock: Clock,
    ) -> None:
        self._name = name
        self._model = model or name.partition("/")[2] or name
        keys = api_key.split() if api_key else []
        self._endpoint = Endpoint(
            self._url(base_url.rstrip("/")),
            [self._headers(key) for key in keys or [None]],
            secrets=keys,
            connections=connections,
            clock=clock,
        )
        # Opaque fields are returned only to the same model at the same address.
        self._provider = f"{self._model}@{urlsplit(base_url).netloc}"
        self._formatter = formatter
        self._connections = connections
        self._clock = clock

    @property
    def name(self) -> str:
        """The name in the settings."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Send the request and yield the reply chunk by chunk; see the port. It does not retry."""
        wire = self._formatter.format(request, self._model, self._provider)
        timeout = ReplyTimeout(self._clock, request.options)
        reply, events = self._reply(wire), EventReader()
        response = await self._endpoint.post(wire.body, timeout)
        self._connections.watch.add(response.content, timeout)
        try:
            while not reply.done:
                came_in = await read(response, timeout, finished=reply.finished)
                came = events.feed(came_in) if came_in else events.close()
                spoke = False
                for chunk in reply.read_events(came):
                    spoke = True
                    yield chunk
                if not came_in:
                    break
                timeout.renew(spoke=spoke, finished=reply.finished)
            yield reply.end()
            if reply.done and not response.content.at_eof():
                await drain(response, self._clock)
        finally:
            self._connections.watch.remove(response.content)
            response.close()  # Ends an unfinished reply; after a complete one, the connection stays open.

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    @abstractmethod
    def _url(self, base_url: str) -> str:
        """Returns the address for requests. ``base_url`` has no slash at its end."""

    @abstractmethod
    def _headers(self, api_key: str | None) -> Mapping[str, str]:
        """Returns the headers that only this provider needs; those of all providers are added by the caller."""

    @abstractmethod
    def _reply(self, request: WireRequest) -> Reply:
        """Returns a reader for the reply to a request."""


_KEY_REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_ERROR_BODY = 8192  # bytes of an error response that are read
_ALWAYS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    # No compression: the server would collect events until there is enough to compress.
    "Accept-Encoding": "identity",
}


class ReplyTimeout:
    """The timeouts of one request.

    ``first_token_s`` limits the silence at first, ``next_token_s`` limits it later. Any data ends a silence:
    a token, hidden reasoning, a ping, a comment. ``thinking_s`` limits the time to the next token.
    ``waiting`` is true while we wait for the server, and false while the consumer works.
    """

    __slots__ = ("_begun", "_clock", "_options", "_thinks_until", "_until", "waiting")

    def __init__(self, clock: Clock, options: ModelOptions) -> None:
        self.waiting = False
        self._clock = clock
        self._options = options
        self._begun = False
        now = clock.monotonic()
        self._until = now + options.first_token_s
        self._thinks_until = now + max(options.thinking_s, options.first_token_s)

    def renew(self, *, spoke: bool, finished: bool) -> None:
        """Restart the limit of silence, and after a token (``spoke``) that of thinking.

        After the reply has ``finished``, the limit is short.
        """
        self._begun = True
        now, next_s = self._clock.monotonic(), self._options.next_token_s
        if spoke:
            self._thinks_until = now + max(self._options.thinking_s, next_s)
        self._until = min(now + (min(next_s, _AFTERWORD_S) if finished else next_s), self._thinks_until)

    def left_s(self) -> float:
        """Returns the number of seconds until the timeout. After the timeout, the number is zero or negative."""
        return self._until - self._clock.monotonic()

    def limit(self) -> AbstractAsyncContextManager[object]:
        """A context manager that raises ``TimeoutError`` at the timeout."""
        return self._clock.timeout(max(0.0, self.left_s()))

    def error(self) -> ModelTimeout:
        """Returns the error for this timeout."""
        if self._begun and self._until == self._thinks_until:
            return ModelTimeout(
                f"no word within {self._options.thinking_s:g} s: the model was still thinking"
            )
        if self._begun:
            return ModelTimeout(f"the model fell silent for {self._options.next_token_s:g} s")
        return ModelTimeout(f"no first token within {self._options.first_token_s:g} s")


class Endpoint:
    """An address for requests.

    Args:
        url: the address.
        headers: sent with each request, in addition to those for all providers: one set for each key. If the
            provider refuses one key, the next is used.
        secrets: the keys in them. They are removed from errors, even if the provider quotes one.
        connections: the pool of connections.
        clock: the current time, for dates in the answers of busy providers.
    """

    def __init__(
        self,
        url: str,
        headers: Sequence[Mapping[str, str]],
        *,
        secrets: Sequence[str] = (),
        connections: Connections,
        clock: Clock,
    ) -> None:
        self._url = url
        self._headers = deque({**_ALWAYS, **each} for each in headers)  # the one that is used comes first
        self._secrets = secrets
        self._connections = connections
        self._clock = clock

    async def post(self, body: bytes, timeout: ReplyTimeout) -> aiohttp.ClientResponse:
        """Send a request. Returns when an answer with status 200 has begun.

        Raises ``ModelError`` for any other answer.
        """
        tried = 1
        while (response := await self._sent(body, timeout)).status in _KEY_REFUSED and tried < len(
            self._headers
        ):
            response.close()
            self._headers.rotate(-1)
            tried += 1
        if response.status != HTTPStatus.OK:
            raise await self._refusal(response, timeout)
        return response

    async def _sent(self, body: bytes, timeout: ReplyTimeout) -> aiohttp.ClientResponse:
        session = self._connections.session()
        try:
            async with timeout.limit():
                return await session.post(
                    self._url, data=body, headers=self._headers[0], allow_redirects=False
                )
        except TimeoutError as error:
            raise timeout.error() from error
        except (aiohttp.ClientError, OSError) as error:
            raise ModelBroke(f"cannot reach {self._url}: {error}") from error

    async def _refusal(self, response: aiohttp.ClientResponse, timeout: ReplyTimeout) -> ModelError:
        """Returns the error for an answer with another status.

        If its body does not arrive, the status is enough.
        """
        body = b""
        try:
            async with timeout.limit():
                while len(body) < _ERROR_BODY and not response.content.at_eof():
                    body += await response.content.readany()
        except (TimeoutError, aiohttp.ClientError, OSError):
            pass
        finally:
            response.close()
        for secret in self._secrets:
            body = body.replace(secret.encode(), b"[key]")
        return refusal(response.status, response.headers, body, self._clock.now())


_LOOK_S = 1.0  # the longest sleep: a stream that is added meanwhile may have a shorter timeout


class StreamWatch:
    """Watches all current streams with one timer, because a timer for each token would cost too much."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._watched: dict[aiohttp.StreamReader, ReplyTimeout] = {}
        self._looking: asyncio.Task[None] | None = None

    def add(self, stream: "aiohttp.StreamReader", timeout: ReplyTimeout) -> None:
        """Watch a stream until it is removed."""
        self._watched[stream] = timeout
        if self._looking is None or self._looking.done():
            self._looking = asyncio.get_running_loop().create_task(self._look())

    def remove(self, stream: "aiohttp.StreamReader") -> None:
        """Stop watching a stream."""
        del self._watched[stream]

    def close(self) -> None:
        """Stop watching all streams."""
        looking, self._looking = self._looking, None
        if looking is not None:
            looking.cancel()

    async def _look(self) -> None:
        while self._watched:
            pause_s = _LOOK_S
            for stream, timeout in self._watched.items():
                if not timeout.waiting:
                    continue
                left_s = timeout.left_s()
                if left_s > 0:
                    pause_s = min(pause_s, left_s)
                else:
                    stream.set_exception(TimeoutError())
            await self._clock.sleep(pause_s)


_AFTERWORD_S = 1.0  # the limit for the token count, after the reply is complete

EVENT_BYTES: Final = 2 * 1024 * 1024
"""The largest size of one event. Pictures are never in an event."""

REPLY_BYTES: Final = 16 * 1024 * 1024
"""The largest size of one reply: about 40,000 tokens, each in an event of 400 bytes."""


class EventReader:
    """Reads the data of server-sent events. Ignores comments and other fields."""

    __slots__ = ("_bytes", "_data", "_rest")

    def __init__(self) -> None:
        self._bytes = 0
        self._rest = b""  # the beginning of an incomplete line
        self._data: list[bytes] = []  # the data lines of an incomplete event

    def feed(self, read: bytes) -> list[bytes]:
        r"""Add bytes, cut anywhere. Returns the data of each completed event.

        Raises ``ModelBroke`` if an event is larger than ``EVENT_BYTES``, and ``ReplyCut`` if all events
        together are larger than ``REPLY_BYTES``.

        >>> reader = EventReader()
        >>> reader.feed(b": hello\n\ndata: {}\n\nda"), reader.feed(b"ta:[DONE]\r\n\r\n")
        ([b'{}'], [b'[DONE]'])
        """
        self._bytes += len(read)
        if self._bytes > REPLY_BYTES:
            raise ReplyCut(f"more than {REPLY_BYTES} bytes in one reply")
        lines = (self._rest + read if self._rest else read).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) + sum(map(len, self._data)) > EVENT_BYTES:
            raise ModelBroke(f"an event of the stream did not end within {EVENT_BYTES} bytes")
        events: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[5:].strip())
            elif self._data and (not line or line == b"\r"):
                events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data = []
        return events

    def close(self) -> list[bytes]:
        """Returns the data of a last event that ended with the stream, if there is one."""
        return self.feed(b"\n\n")


async def read(response: aiohttp.ClientResponse, timeout: ReplyTimeout, *, finished: bool) -> bytes:
    """Returns the bytes that have arrived, or no bytes at the end of the stream.

    After the reply has ``finished``, it raises nothing. Before, it raises ``ModelTimeout`` if no bytes arrive
    in time, and ``ModelBroke`` if the connection breaks.
    """
    timeout.waiting = True  # From now on the watch may raise TimeoutError here.
    try:
        if not finished:
            return await response.content.readany()
        async with timeout.limit():
            return await response.content.readany()
    except TimeoutError as error:
        if finished:
            return b""
        raise timeout.error() from error
    except (aiohttp.ClientError, OSError) as error:
        if finished:
            return b""
        raise ModelBroke(f"the connection broke: {error}") from error
    finally:
        timeout.waiting = False


_REST_S = 0.1  # the limit for the end of an answer after its last event


async def drain(response: aiohttp.ClientResponse, clock: Clock) -> None:
    """Wait briefly for the end of the answer, because the connection can only be reused after it."""
    try:
        async with clock.timeout(_REST_S):
            while not response.content.at_eof():
                await response.content.readany()
    except (TimeoutError, aiohttp.ClientError, OSError):
        pass

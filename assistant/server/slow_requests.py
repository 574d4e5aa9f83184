"""Ends HTTP requests that come too slowly, so that a client cannot keep connections open by sending single bytes.

The web server only has a limit for idle connections between requests. This one is for the requests themselves.
"""

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from assistant.server.limits import Limits

_TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
    b"Content-Length: 43\r\n\r\nThe request took too long; send it at once\n"
)


def bounded_http(limits: Limits) -> type[H11Protocol]:
    """The web server's HTTP protocol with these limits."""

    class Bounded(BoundedHttp):
        bounds = limits

    return Bounded


class BoundedHttp(H11Protocol):
    """HTTP/1.1 over one connection, with a time limit for headers and for the body of each request.

    The body's limit grows with the received bytes, so that a large file may come over a slow connection. While
    the application does not read, the connection is paused, and this time does not count.
    """

    bounds: ClassVar[Limits] = Limits()
    _timer: asyncio.TimerHandle | None = None
    _in_body: bool = False
    _due: float = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the first request."""
        super().connection_made(transport)
        self._wait_for_headers()

    def data_received(self, data: bytes) -> None:
        """Read more of a request, and give it more time if its body is arriving."""
        if self._timer is None:
            self._wait_for_headers()  # the next request of a connection that is kept open
        super().data_received(data)
        self._look()
        if self._in_body:
            self._due += len(data) / self.bounds.body_bytes_per_s

    def on_response_complete(self) -> None:
        """The response is complete; a body that has not arrived by now has the rest of its time."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._stop()
        super().connection_lost(exc)

    def _wait_for_headers(self) -> None:
        self._in_body = False
        self._start(self.bounds.headers_s)

    def _look(self) -> None:
        """Check whether the headers, or the whole request, are complete."""
        state = self.conn.their_state
        if state is h11.SEND_BODY and self.transport.get_protocol() is self:
            if not self._in_body:
                self._in_body = True
                self._start(self.bounds.body_s)
        elif state is not h11.IDLE or self._in_body:
            self._stop()

    def _start(self, seconds: float) -> None:
        self._stop()
        self._due = self.loop.time() + seconds
        self._timer = self.loop.call_later(seconds, self._check)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _check(self) -> None:
        """End the request, unless more of it has arrived since the timer was set."""
        self._timer = None
        if self.transport.is_closing():
            return
        if self.flow.read_paused:
            self._start(self.bounds.body_s)
        elif (left_s := self._due - self.loop.time()) > 0:
            self._timer = self.loop.call_later(left_s, self._check)
        else:
            if self._awaits_answer():
                self.transport.write(_TOO_LATE)
            self.transport.close()

    def _awaits_answer(self) -> bool:
        """Whether the client has begun a request for which no response has begun."""
        if self._in_body:
            return not self.cycle.response_started
        begun, _ = self.conn.trailing_data
        return bool(begun)

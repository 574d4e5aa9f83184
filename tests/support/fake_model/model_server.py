"""A server on loopback that answers like a model provider, and refuses invalid requests like one."""

import asyncio

from assistant.formats.json_text import json_bytes
from assistant.ports import Clock
from tests.support.fake_model.connection import FakeServer
from tests.support.fake_model.replies import WIRES, Provider, Refuses, Reply
from tests.support.fake_model.request_checks import BadRequest, Received, require


class FakeModelServer(FakeServer):
    """Answers the first request with the first reply, and so on; a request after the last reply gets status
    500.

    A request that the real provider would refuse is refused in the same way, and does not use up a reply.

    Use it as a context manager; ``url`` is the base of its API. ``received`` has the requests so far,
    ``connections`` counts the connections. ``stalled`` is set when a reply has reached its ``STALL``,
    ``hung_up`` when a client has closed its connection in the middle of a reply.

    Args:
        replies: the reply to each request.
        clock: measures the pauses in replies.
        wire: the provider to imitate.
    """

    def __init__(self, *replies: Reply, clock: Clock, wire: Provider = "openai") -> None:
        super().__init__(clock, WIRES[wire].base)
        self.received: list[Received] = []
        self._replies = iter(replies)
        self._wire = WIRES[wire]

    @property
    def stalled(self) -> asyncio.Event:
        """Set when a reply has stalled."""
        return self.signs.stalled

    @property
    def hung_up(self) -> asyncio.Event:
        """Set when a client has closed its connection in the middle of a reply."""
        return self.signs.hung_up

    def _answer(self, request: Received) -> Reply:
        self.received.append(request)
        try:
            require(request.path == self._wire.path, f"there is nothing at {request.path}", status=404)
            self._wire.check(request)
        except BadRequest as refusal:
            return self._refusal(refusal)
        return next(self._replies, None) or self._refusal(BadRequest("no reply is left", status=500))

    def _refusal(self, refusal: BadRequest) -> Refuses:
        return Refuses(refusal.status, json_bytes(self._wire.error(refusal)))

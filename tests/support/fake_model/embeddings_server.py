"""A server on loopback that answers like OpenAI's embeddings endpoint."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from assistant.formats.json_text import json_bytes
from assistant.ports import Clock
from tests.support.fake_model.connection import Connection, Signs
from tests.support.fake_model.replies import Refuses, Reply, Streams
from tests.support.fake_model.request_checks import Received


class FakeEmbeddingsServer:
    """Answers in OpenAI's format: first with ``replies``, one for each request, then with generated vectors.

    Use it as a context manager; ``url`` is the base of its API. ``asked`` has the texts of each request.

    Args:
        replies: the replies to the first requests.
        clock: measures the pauses in replies.
        width: the length of generated vectors.
    """

    def __init__(self, *replies: Reply, clock: Clock, width: int = 3) -> None:
        self.asked: list[list[str]] = []
        self._replies, self._clock, self._width = iter(replies), clock, width
        self._open: list[Connection] = []

    @property
    def url(self) -> str:
        """The base URL of the API, with the free port that was taken. Only available inside the context."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server: asyncio.Server = await asyncio.get_running_loop().create_server(
            self._connect, "127.0.0.1", 0
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in self._open:
            connection.end()
        await self._server.wait_closed()

    def _connect(self) -> Connection:
        connection = Connection(self._answer, self._clock, Signs())
        self._open.append(connection)
        return connection

    def _answer(self, request: Received) -> Reply:
        if request.path != "/v1/embeddings":
            return Refuses(404)
        texts: list[str] = request.body["input"]
        self.asked.append(texts)
        return next(self._replies, None) or vectors(
            [[len(text), 1.0, *[0.0] * (self._width - 2)] for text in texts]
        )


def vectors(rows: Sequence[Sequence[float]]) -> Streams:
    """An answer with these vectors in reverse order: a client must use their ``index`` to assign them."""
    data = [{"object": "embedding", "index": index, "embedding": row} for index, row in enumerate(rows)]
    answer = {
        "object": "list",
        "model": "fake",
        "data": data[::-1],
        "usage": {"prompt_tokens": 1, "total_tokens": 1},
    }
    return Streams([json_bytes(answer)], content_type="application/json")

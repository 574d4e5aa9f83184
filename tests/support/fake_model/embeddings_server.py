"""A server on loopback that answers like OpenAI's embeddings endpoint."""

from collections.abc import Sequence

from assistant.formats.json_text import json_bytes
from assistant.ports import Clock
from tests.support.fake_model.connection import FakeServer
from tests.support.fake_model.replies import Refuses, Reply, Streams
from tests.support.fake_model.request_checks import Received


class FakeEmbeddingsServer(FakeServer):
    """Answers in OpenAI's format: first with ``replies``, one for each request, then with generated vectors.

    Use it as a context manager; ``url`` is the base of its API. ``asked`` has the texts of each request.

    Args:
        replies: the replies to the first requests.
        clock: measures the pauses in replies.
        width: the length of generated vectors.
    """

    def __init__(self, *replies: Reply, clock: Clock, width: int = 3) -> None:
        super().__init__(clock)
        self.asked: list[list[str]] = []
        self._replies, self._width = iter(replies), width

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

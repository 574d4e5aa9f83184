"""A provider's embedding model, asked as in production: through litellm, over a socket."""

import struct

import pytest

from assistant.clock import SystemClock
from assistant.models.embedder import PATIENCE, HostedEmbedder
from assistant.models.hosted_requests import HostedModel, HostedRequests
from tests.support.fake_model.embeddings_server import FakeEmbeddingsServer, vectors
from tests.support.fake_model.replies import refuses


@pytest.mark.slow
async def test_it_is_asked_through_litellm() -> None:
    clock = SystemClock()
    async with FakeEmbeddingsServer(refuses(503), vectors([[3, 4, 0], [0, 0, 1]]), clock=clock) as server:
        name = "openai/text-embedding-3-small"
        place = HostedModel(name=name, variable="X", model=name, api_base=server.url, api_key="none")
        embedder = HostedEmbedder(
            HostedRequests(place, PATIENCE, clock=clock, jitter=lambda: 0.0, environ={}), width=None
        )
        first, second = await embedder.embed(["one", "two"])
        assert server.asked == [["one", "two"]] * 2
    assert struct.unpack("<3f", first) == pytest.approx((0.6, 0.8, 0))
    assert struct.unpack("<3f", second) == (0, 0, 1)

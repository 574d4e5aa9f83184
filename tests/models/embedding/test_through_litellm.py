"""A provider's embedding model, asked as it is in earnest: through litellm, over a socket."""

import struct

import pytest

from assistant.clock import SystemClock
from assistant.models.embedder import HostedEmbedder
from tests.support.fake_model.embeddings_server import FakeEmbeddingsServer, vectors
from tests.support.fake_model.replies import refuses


@pytest.mark.slow
async def test_it_is_asked_through_litellm() -> None:
    clock = SystemClock()
    async with FakeEmbeddingsServer(refuses(503), vectors([[3, 4, 0], [0, 0, 1]]), clock=clock) as server:
        embedder = HostedEmbedder(
            "openai/text-embedding-3-small",
            model="openai/text-embedding-3-small",
            width=None,
            clock=clock,
            jitter=lambda: 0.0,
            environ={},
            api_base=server.url,
            api_key="none",
        )
        first, second = await embedder.embed(["one", "two"])
        assert server.asked == [["one", "two"]] * 2
    assert struct.unpack("<3f", first) == pytest.approx((0.6, 0.8, 0))
    assert struct.unpack("<3f", second) == (0, 0, 1)

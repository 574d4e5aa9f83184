"""The setting names the embedding model, and a mistake in it is reported at the start."""

from pathlib import Path

import pytest

from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.models.embedder import choose_embedder, known_width
from assistant.ports import Embedder
from tests.support.fake_model.embeddings_server import FakeEmbeddingsServer
from tests.support.fake_model.replies import refuses


async def chosen(name: str, **environ: str) -> Embedder:
    return await choose_embedder(name, clock=SystemClock(), jitter=lambda: 0.0, environ=environ)


@pytest.mark.parametrize("name", ["", "offline"])
async def test_the_embedded_model_needs_nothing(name: str) -> None:
    embedder = await chosen(name)
    assert (embedder.name, embedder.width) == ("offline", 384)


async def test_the_vector_length_of_a_known_model_needs_no_request() -> None:
    embedder = await chosen("openai/text-embedding-3-small", OPENAI_API_KEY="none")
    assert (embedder.name, embedder.width) == ("openai/text-embedding-3-small", 1536)


@pytest.mark.slow  # it imports litellm
async def test_the_vector_length_of_an_unknown_model_is_requested_at_the_start() -> None:
    async with FakeEmbeddingsServer(clock=SystemClock(), width=5) as server:
        embedder = await chosen("openai/our-own", OPENAI_BASE_URL=server.url)
        assert embedder.width == 5
    async with FakeEmbeddingsServer(refuses(400, "no such model"), clock=SystemClock()) as server:
        with pytest.raises(
            DeclarationError, match=r"ASSISTANT_EMBEDDING_MODEL='openai/our-own'.*no such model"
        ):
            await chosen("openai/our-own", OPENAI_BASE_URL=server.url)


@pytest.mark.parametrize(
    ("name", "cure"),
    [
        ("anthropic/claude-5", "anthropic has no models for it"),
        ("xai/grok-5", "'openai/text-embedding-3-small'"),
        ("openai/text-embedding-3-small", "OPENAI_API_KEY"),
        ("mistral/mistral-embed", "MISTRAL_API_KEY"),
        ("openai/", "only half a name"),
    ],
)
async def test_a_wrong_setting_stops_the_start(name: str, cure: str) -> None:
    with pytest.raises(DeclarationError, match=cure):
        await chosen(name)


def test_a_missing_list_leaves_the_vector_length_unknown(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    assert known_width("m", path) is None
    path.write_text('{"m": {"output_vector_size": 7}, "n": {}}')
    assert (known_width("openai/m", path), known_width("n", path)) == (7, None)
    path.write_text("{")
    assert known_width("m", path) is None

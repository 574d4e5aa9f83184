"""The setting names the embedding model, and what is wrong with it is said at start."""

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
async def test_the_embedded_one_needs_nothing(name: str) -> None:
    embedder = await chosen(name)
    assert (embedder.name, embedder.width) == ("offline", 384)


async def test_how_wide_a_well_known_ones_vectors_are_is_known_without_asking() -> None:
    embedder = await chosen("openai/text-embedding-3-small", OPENAI_API_KEY="none")
    assert (embedder.name, embedder.width) == ("openai/text-embedding-3-small", 1536)


@pytest.mark.slow  # it imports litellm
async def test_of_an_unknown_one_the_width_is_asked_for_at_start() -> None:
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
async def test_a_setting_that_will_not_do_stops_the_start(name: str, cure: str) -> None:
    with pytest.raises(DeclarationError, match=cure):
        await chosen(name)


def test_a_list_that_is_not_there_or_does_not_say_leaves_the_width_open(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    assert known_width("m", path) is None
    path.write_text('{"m": {"output_vector_size": 7}, "n": {}}')
    assert (known_width("openai/m", path), known_width("n", path)) == (7, None)
    path.write_text("{")
    assert known_width("m", path) is None

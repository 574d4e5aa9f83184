"""A provider's embedding model: asked in batches, again after a failure, and not forever."""

import struct
from collections.abc import Mapping, Sequence

import pytest

from assistant.errors import EmbeddingError
from assistant.models.embedder import PATIENCE, HostedEmbedder
from assistant.models.hosted_requests import HostedModel, HostedRequests
from assistant.models.litellm_library import Library
from assistant.testing.virtual_time import VirtualClock


class Failed(Exception):
    """As litellm's errors are: with a status."""

    def __init__(self, status: int, message: str = "no", **headers: str) -> None:
        super().__init__(message)
        self.status_code, self.headers = status, headers


class Provider(Library):
    """Gives the entries of ``answers``, then a vector for each text."""

    def __init__(self, *answers: Exception | float | list[list[float]]) -> None:
        self.answers = list(answers)
        self.asked: list[Sequence[str]] = []
        self.clock = VirtualClock()

    async def vectors(
        self, model: str, texts: Sequence[str], api_base: str | None, api_key: str | None
    ) -> list[list[float]]:
        self.asked.append(texts)
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, float):
            await self.clock.sleep(answer)
        return answer if isinstance(answer, list) else [[3.0, 4.0] for _ in texts]

    def embedder(self, width: int | None = None) -> HostedEmbedder:
        async def load(environ: Mapping[str, str]) -> Library:
            return self

        name = "voyage/voyage-3"
        requests = HostedRequests(
            HostedModel(name=name, variable="ASSISTANT_EMBEDDING_MODEL", model=name),
            PATIENCE,
            clock=self.clock,
            jitter=lambda: 0.5,
            environ={"VOYAGE_API_KEY": "a-secret-key"},
            load=load,
        )
        return HostedEmbedder(requests, width)


async def test_vectors_have_length_one_and_are_in_order() -> None:
    provider = Provider([[3.0, 4.0], [0.0, 2.0]])
    embedder = provider.embedder()

    assert (embedder.name, embedder.width) == ("voyage/voyage-3", 0)
    first, second = await embedder.embed(["a", "b"])
    assert struct.unpack("<2f", first) == pytest.approx((0.6, 0.8))
    assert struct.unpack("<2f", second) == (0.0, 1.0)
    assert embedder.width == 2


async def test_many_texts_are_sent_in_batches() -> None:
    provider = Provider()
    assert len(await provider.embedder().embed(["x"] * 130)) == 130
    assert [len(texts) for texts in provider.asked] == [64, 64, 2]


async def test_a_temporary_failure_is_tried_three_times() -> None:
    provider = Provider(Failed(503), Failed(429, **{"retry-after": "3"}))
    assert len(await provider.embedder().embed(["x"])) == 1
    assert provider.clock.monotonic() == pytest.approx(1.0 + 3.0)

    provider = Provider(*[Failed(500, "overheated")] * 3)
    with pytest.raises(EmbeddingError, match=r"'voyage/voyage-3': overheated; tried 3 times"):
        await provider.embedder().embed(["x"])


async def test_a_refusal_is_not_tried_again_and_names_the_solution() -> None:
    provider = Provider(Failed(401, "wrong key a-secret-key"))
    with pytest.raises(EmbeddingError, match="ASSISTANT_EMBEDDING_MODEL") as raised:
        await provider.embedder().embed(["x"])
    assert "a-secret-key" not in str(raised.value)
    assert len(provider.asked) == 1


async def test_an_answer_may_take_twenty_seconds() -> None:
    provider = Provider(21.0, 21.0, 21.0)
    with pytest.raises(EmbeddingError, match="no answer within 20 s"):
        await provider.embedder().embed(["x"])


async def test_a_model_that_keeps_failing_is_not_asked_for_a_while() -> None:
    provider = Provider(*[Failed(500)] * 6)
    embedder = provider.embedder()
    for _ in range(2):
        with pytest.raises(EmbeddingError):
            await embedder.embed(["x"])
    asked = len(provider.asked)
    with pytest.raises(EmbeddingError, match="is not asked"):
        await embedder.embed(["x"])
    assert len(provider.asked) == asked == 5
    await provider.clock.sleep(20)
    provider.answers.clear()
    assert len(await embedder.embed(["x"])) == 1


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([[1.0, 0.0], [0.0, 1.0]], "gave 2 vectors"),
        ([], "gave 0 vectors"),
        ([[1.0, 0.0, 0.0]], "3 numbers, and 2 before"),
        ([[0.0, 0.0]], "no vector"),
    ],
)
async def test_an_answer_that_makes_no_sense_is_an_error(rows: list[list[float]], told: str) -> None:
    with pytest.raises(EmbeddingError, match=told):
        await Provider(rows).embedder(width=2).embed(["x"])

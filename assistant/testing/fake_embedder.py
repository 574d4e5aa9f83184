"""An embedding model for which texts are near each other that share words."""

import asyncio
from collections.abc import Sequence
from zlib import crc32

from assistant.conversation.documents import Vector
from assistant.errors import EmbeddingError
from assistant.models.embedding.hosted import unit
from assistant.ports import Clock
from assistant.text.words import content_stems

WIDTH = 256


class FakeEmbedder:
    """Each word has its place in the vector. ``embedded`` are all texts so far, in order.

    Args:
        name: as the operator would write it.
        clock: by which it takes its time.
        text_s: how long it takes for one text.
        fails: how many times it fails first.
    """

    def __init__(
        self, name: str = "fake", *, clock: Clock | None = None, text_s: float = 0.0, fails: int = 0
    ) -> None:
        self.embedded: list[str] = []
        self.fails = fails
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self._name, self._clock, self._text_s = name, clock, text_s

    @property
    def name(self) -> str:
        """As the operator would write it."""
        return self._name

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return WIDTH

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, once ``may_go_on`` is set. Raises ``EmbeddingError`` while it is to fail."""
        await self.may_go_on.wait()
        if self._clock is not None:
            await self._clock.sleep(self._text_s * len(texts))
        if self.fails:
            self.fails -= 1
            raise EmbeddingError("the embedding model is away")
        self.embedded += texts
        return [_vector(text) for text in texts]


def _vector(text: str) -> Vector:
    numbers = [0.0] * WIDTH
    numbers[0] = 0.1  # a text without words has a direction too
    for stem in content_stems(text):
        numbers[crc32(stem.encode()) % (WIDTH - 1) + 1] += 1
    return unit(numbers)

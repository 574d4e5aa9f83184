"""The embedded embedding model: MiniLM, in threads of this process."""

import asyncio
from collections.abc import Sequence

from assistant.conversation.documents import Vector
from assistant.errors import EmbeddingError
from assistant.models.offline.embed import WIDTH, Vectors, embed_passages


class MiniLm:
    """Needs no network and no key. The first call loads the weights, about half a second.

    Of each text it reads some 700 to 1,000 characters, and passes over the rest.
    """

    @property
    def name(self) -> str:
        """As the operator writes it."""
        return "offline"

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return WIDTH

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, in order. Raises ``EmbeddingError`` when the model cannot be loaded."""
        if not texts:
            return []
        try:
            vectors = await asyncio.to_thread(embed_passages, texts)
        except Exception as error:
            # The wall to the model's own code: it raises what it likes where a file is missing or memory is short.
            raise EmbeddingError(
                f"the embedded model 'offline' gave no vectors: {type(error).__name__}: {error}; "
                "is the installation complete, and memory free?"
            ) from error
        return _rows(vectors)


def _rows(vectors: Vectors) -> list[Vector]:
    return [row.astype("<f4").tobytes() for row in vectors]

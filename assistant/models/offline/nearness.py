"""How near the company's documents are to what a customer says."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import structlog

from assistant.conversation.documents import Finding
from assistant.conversation.findings import place_in
from assistant.errors import AssistantError
from assistant.models.embedding.minilm import Embed, Vectors
from assistant.models.offline.prose import prose
from assistant.ports import Clock

log = structlog.get_logger(__name__)

Passages: TypeAlias = Callable[[str], Awaitable[Sequence[Finding]]]
"""Finds the passages nearest to a question in what all customers may read, nearest first."""

_LOOKED_INTO: Final = 5  # passages; the answer rarely stands further down
_PATIENCE_S: Final = 2.0
_SENTENCES_KEPT: Final = 2048
_TEXTS_KEPT: Final = 256


class Nearness:
    """Scores texts by the passage or sentence that is nearest to them, as cosines.

    Args:
        passages: finds passages; None: there are no documents, and nothing is near.
        embed: the sentence embeddings; blocks.
        clock: how long one may wait for passages.
    """

    def __init__(self, passages: Passages | None, embed: Embed, clock: Clock) -> None:
        self._passages, self._clock = passages, clock
        self._known: dict[str, float] = {}

        def vector(text: str) -> Vectors:
            return embed([text])[0]

        self._vector = lru_cache(maxsize=_SENTENCES_KEPT)(vector)

    async def of(self, texts: Iterable[str], anew: Iterable[str] = ()) -> Mapping[str, float]:
        """The score of each text; those of before are remembered, but for ``anew``. Never raises."""
        if self._passages is None:
            return {}
        for text in anew:
            self._known.pop(text, None)
        return {text: await self._score(text, self._passages) for text in dict.fromkeys(texts)}

    async def _score(self, text: str, passages: Passages) -> float:
        if text not in self._known:
            try:
                async with self._clock.timeout(_PATIENCE_S):
                    found = await passages(text)
            except (AssistantError, TimeoutError) as error:
                log.warning("documents could not be looked into", why=str(error) or "it took too long")
                return 0.0
            while len(self._known) >= _TEXTS_KEPT:
                self._known.pop(next(iter(self._known)), None)
            self._known[text] = await asyncio.to_thread(self._nearest, text, found[:_LOOKED_INTO])
        return self._known.get(text, 0.0)

    def _nearest(self, text: str, found: Sequence[Finding]) -> float:
        # By vectors of our own: those of the library may be another model's, of whose nearness we know nothing.
        asked = self._vector(text)
        return max((float(self._vector(one) @ asked) for each in found for one in _said(each)), default=0.0)


def _said(finding: Finding) -> list[str]:
    """A passage, and each of its sentences: a short question is nearer to the one that answers it than to all."""
    said, place = prose(finding.passage.text), place_in(finding)
    return [f"{place}. {one}" for one in (" ".join(said), *said)]

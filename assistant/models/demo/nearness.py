"""The similarity of texts to a question, by their vectors; the vectors of the tools are stored on disk."""

import asyncio
import hashlib
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import structlog

from assistant.conversation.documents import Finding, place_of
from assistant.errors import AssistantError
from assistant.language.sentences import sentences
from assistant.models.minilm import WIDTH, Embed, Vectors
from assistant.ports import Clock

log = structlog.get_logger(__name__)

Passages: TypeAlias = Callable[[str], Awaitable[Sequence[Finding]]]
"""Finds the passages nearest to a question in the documents for all customers, nearest first."""

_LOOKED_INTO: Final = 5  # passages; later ones rarely contain the answer
_PATIENCE_S: Final = 2.0
_SENTENCES_KEPT: Final = 2048
_TEXTS_KEPT: Final = 256


class Nearness:
    """Scores texts by the most similar passage or sentence, as cosines.

    Args:
        passages: finds passages. None means that there are no documents, so there are no scores.
        embed: the sentence embeddings. It blocks.
        clock: measures the time limit for finding passages.
    """

    def __init__(self, passages: Passages | None, embed: Embed, clock: Clock) -> None:
        self._passages, self._clock = passages, clock
        self._known: dict[str, float] = {}

        def vector(text: str) -> Vectors:
            return embed([text])[0]

        self._vector = lru_cache(maxsize=_SENTENCES_KEPT)(vector)

    async def of(self, texts: Iterable[str], anew: Iterable[str] = ()) -> Mapping[str, float]:
        """Returns the score of each text.

        Earlier scores are cached, except those of ``anew``. Never raises.
        """
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
                log.warning("documents could not be searched", why=str(error) or "it took too long")
                return 0.0
            while len(self._known) >= _TEXTS_KEPT:
                self._known.pop(next(iter(self._known)), None)
            self._known[text] = await asyncio.to_thread(self._nearest, text, found[:_LOOKED_INTO])
        return self._known.get(text, 0.0)

    def _nearest(self, text: str, found: Sequence[Finding]) -> float:
        # Uses this model's vectors, because the library's may be from another model, for which NEAR does not
        # hold.
        asked = self._vector(text)
        return max((float(self._vector(one) @ asked) for each in found for one in _said(each)), default=0.0)


def _said(finding: Finding) -> list[str]:
    """Returns a passage, and each of its sentences, because a short question is most similar to a single
    sentence.
    """
    said, place = prose(finding.passage.text), place_of(finding)
    return [f"{place}. {one}" for one in (" ".join(said), *said)]


_HEADING: Final = re.compile(r"^#{1,6}[ \t].*$", re.MULTILINE)
_WRAPPED: Final = re.compile(r"(?<=\S)[ \t]*\n(?=[ \t]*\w)(?![ \t]*\d+[.)])")
_ITEM: Final = re.compile(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+", re.MULTILINE)
_MARKS: Final = re.compile(r"\*\*|__|`")


def prose(text: str) -> list[str]:
    r"""Returns the sentences in order, without headings, bullets and emphasis marks.

    >>> prose("## How long\n\nYou have **30 days**\nfor it. Then not.\n\n- Not for lenses\n")
    ['You have 30 days for it.', 'Then not.', 'Not for lenses']
    """
    bare = _MARKS.sub("", _HEADING.sub("", text))
    flowing = _ITEM.sub("", _WRAPPED.sub(" ", bare))
    return [said for sentence in sentences(flowing) if (said := " ".join(sentence.split()))]


_WORTH_KEEPING: Final = 8  # sentences; a customer's text has fewer and is never stored
_VERSION: Final = "minilm-int8-1"


def keep_vectors(embed: Embed, folder: Path) -> Embed:
    """Returns the same embeddings, with a cache on disk: the vectors of the tools' texts are read from and
    stored in ``folder``.

    A file that cannot be read or written is ignored.
    """

    def remembered(sentences: Sequence[str]) -> Vectors:
        if len(sentences) < _WORTH_KEEPING:
            return embed(sentences)
        path = folder / f"{_hash(sentences)}.npy"
        vectors = _read(path, len(sentences))
        if vectors is None:
            vectors = embed(sentences)
            _write(path, vectors)
        return vectors

    return remembered


def _hash(sentences: Sequence[str]) -> str:
    return hashlib.sha256("\n".join((_VERSION, *sentences)).encode()).hexdigest()[:24]


def _read(path: Path, rows: int) -> Vectors | None:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return vectors if vectors.shape == (rows, WIDTH) and vectors.dtype == np.float32 else None


def _write(path: Path, vectors: Vectors) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written to another file first, so that an interrupted start leaves no incomplete file.
        aside = path.with_suffix(f".{os.getpid()}.tmp")
        with aside.open("wb") as file:
            np.save(file, vectors)
        aside.replace(path)
    except OSError:
        return

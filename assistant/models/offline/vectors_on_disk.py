"""Keeps vectors of many sentences for the next start, by what the sentences are."""

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from assistant.models.embedding.minilm import WIDTH, Embed, Vectors

_WORTH_KEEPING: Final = 8  # sentences; a customer's clauses are never written down
_VERSION: Final = "minilm-int8-1"


def keep_vectors(embed: Embed, folder: Path) -> Embed:
    """The same embeddings, but what tools say of themselves is read from ``folder`` when it is there.

    A file that cannot be read or written is as good as none.
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
        # Written aside first: a start that is cut off must not leave half a file behind.
        aside = path.with_suffix(f".{os.getpid()}.tmp")
        with aside.open("wb") as file:
            np.save(file, vectors)
        aside.replace(path)
    except OSError:
        return

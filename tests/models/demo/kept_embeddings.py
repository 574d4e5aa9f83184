"""MiniLM's embeddings, each sentence embedded once for all tests of a session."""

from collections.abc import Sequence

import numpy as np

from assistant.models.minilm import Vectors, embed

_known: dict[str, Vectors] = {}


def kept_embed(sentences: Sequence[str]) -> Vectors:
    """The same vectors as ``embed`` gives."""
    new = [sentence for sentence in dict.fromkeys(sentences) if sentence not in _known]
    if new:
        _known.update(zip(new, embed(new), strict=True))
    return np.stack([_known[sentence] for sentence in sentences])

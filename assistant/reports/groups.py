"""Groups requests by meaning, with sentence embeddings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.language.personal_data import mask_secrets
from assistant.ports import Embedder
from assistant.reports.summary import RequestGroup

if TYPE_CHECKING:  # a server imports this module, and numpy takes 11 MiB
    import numpy as np
    from numpy.typing import NDArray

_NEAR = 0.62
"""Sentences with a cosine of at least this mean about the same to the embedded model."""

_EXAMPLES, _LONGEST = 3, 120
_CONVERSATIONS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A customer's request: its words, the reason why it is counted, and the conversation's id. ``names`` are
    masked.
    """

    text: str
    reason: str
    conversation: str
    names: tuple[str, ...] = ()


async def grouped(requests: Sequence[Request], embedder: Embedder) -> tuple[RequestGroup, ...]:
    """Returns the requests by meaning, the largest group first. Raises ``EmbeddingError``."""
    texts = list(dict.fromkeys(one.text for one in requests))
    if not texts:
        return ()
    import numpy as np

    vectors = np.stack([np.frombuffer(vector, "<f4") for vector in await embedder.embed(texts)])
    places = _clusters(vectors.astype(np.float32))
    groups = list[RequestGroup]()
    for place in dict.fromkeys(places):
        members = [number for number, each in enumerate(places) if each == place]
        centre = vectors[members].mean(axis=0)
        nearest = sorted(members, key=lambda number: -float(vectors[number] @ centre))
        theirs = [one for one in requests if one.text in {texts[number] for number in members}]
        examples = [_masked(texts[number], theirs) for number in nearest]
        groups.append(
            RequestGroup(
                number=len(theirs),
                examples=tuple(list(dict.fromkeys(examples))[:_EXAMPLES]),
                reasons=dict(Counter(one.reason for one in theirs).most_common()),
                conversations=tuple(list(dict.fromkeys(one.conversation for one in theirs))[:_CONVERSATIONS]),
            )
        )
    return tuple(sorted(groups, key=lambda one: (-one.number, one.examples)))


def _clusters(vectors: "NDArray[np.float32]") -> list[int]:
    """Returns the number of each vector's cluster.

    The first pass finds centres, the second joins each to its nearest.
    """
    sums: list[NDArray[np.float32]] = []
    for vector in vectors:
        place, near = _nearest(vector, sums)
        if near < _NEAR:
            sums.append(vector.copy())
        else:
            sums[place] += vector
    return [_nearest(vector, sums)[0] for vector in vectors]


def _nearest(vector: "NDArray[np.float32]", sums: "Sequence[NDArray[np.float32]]") -> tuple[int, float]:
    if not sums:
        return 0, -1.0
    import numpy as np

    centres = np.stack(sums)
    cosines = centres @ vector / np.linalg.norm(centres, axis=1)
    place = int(cosines.argmax())
    return place, float(cosines[place])


def _masked(text: str, requests: Sequence[Request]) -> str:
    names = {name for one in requests for name in one.names}
    short = " ".join(mask_secrets(text, names).split())
    return short if len(short) <= _LONGEST else f"{short[: _LONGEST - 3]}..."

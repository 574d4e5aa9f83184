"""Operations on vectors that all document stores share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.conversation.documents import Document, Passage, Vector
from assistant.errors import StoreError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BYTES_EACH = 4
_AT_ONCE = 1024
"""The number of rows that are computed in double precision together: they need their own memory."""

_LENGTH_TOLERANCE = 0.01
"""The maximum difference of a length from 1: embedders compute in single or half precision."""


def vectors_as_matrix(vectors: Vector, width: int) -> "NDArray[np.float32]":
    """Concatenated vectors as rows; a read-only view."""
    import numpy as np

    return np.frombuffer(vectors, dtype="<f4").reshape(-1, width)


def cosine_scores(
    rows: "NDArray[np.float32]", which: "NDArray[np.intp]", question: Vector
) -> "NDArray[np.float64]":
    """The similarity of these rows to a question, from -1 to 1; identical bits on each machine, independent of
    the other rows.
    """
    import numpy as np

    asked = vectors_as_matrix(question, rows.shape[1])[0].astype(np.float64)
    scores = np.empty(len(which))
    for first in range(0, len(which), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        scores[some] = (rows[which[some]].astype(np.float64) * asked).sum(axis=1)
    return scores.clip(-1.0, 1.0)


def check_passages(document: Document, passages: Sequence[Passage], width: int) -> None:
    """Check that each passage has a vector that can be compared.

    Raises:
        StoreError: a passage has no vector, or a vector with the wrong size, or one whose length is not 1.
    """
    for passage in passages:
        if len(passage.vector) != width * _BYTES_EACH:
            raise StoreError(
                f"passage {passage.number} of {document.ref!r} has a vector of {_number_count(passage.vector)};"
                f" this store keeps vectors of {width}: embed it with the model that the store was opened for"
            )
    if (odd := _first_not_unit_length([passage.vector for passage in passages], width)) is not None:
        at, length = odd
        raise StoreError(
            f"passage {passages[at].number} of {document.ref!r} has a vector of length {length:.4g}: it must be 1"
        )


def check_query_vector(vector: Vector, width: int) -> None:
    """Check that a question's vector can be compared with the stored ones.

    Raises:
        StoreError: it has another width, or its length is not 1.
    """
    if len(vector) != width * _BYTES_EACH:
        raise StoreError(
            f"the question has a vector of {_number_count(vector)}; this store keeps vectors of {width}:"
            " embed it with the model that the store was opened for"
        )
    if (odd := _first_not_unit_length([vector], width)) is not None:
        raise StoreError(f"the question has a vector of length {odd[1]:.4g}: it must be 1")


def _number_count(vector: Vector) -> str:
    numbers, rest = divmod(len(vector), _BYTES_EACH)
    return f"{len(vector)} bytes" if rest else f"{numbers} numbers"


def _first_not_unit_length(vectors: Sequence[Vector], width: int) -> tuple[int, float] | None:
    """The index and the length of the first vector whose length is not 1, or not a number."""
    if not vectors:
        return None
    import numpy as np

    lengths = np.linalg.norm(vectors_as_matrix(b"".join(vectors), width).astype(np.float64), axis=1)
    odd = np.flatnonzero(~(np.abs(lengths - 1.0) <= _LENGTH_TOLERANCE))  # in this form, NaN is included
    return (int(odd[0]), float(lengths[odd[0]])) if odd.size else None

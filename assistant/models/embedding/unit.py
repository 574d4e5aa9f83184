"""Vectors as they are kept."""

from collections.abc import Sequence

from assistant.conversation.documents import Vector


def unit(numbers: Sequence[float]) -> Vector:
    """A vector of length 1 in the same direction, as float32.

    >>> import struct
    >>> struct.unpack("<2f", unit([3, 4]))
    (0.6000000238418579, 0.800000011920929)

    Raises:
        ValueError: it has no direction: it is empty, all zero, or not of numbers.
    """
    import numpy as np

    vector = np.asarray(numbers, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if vector.ndim != 1 or not np.isfinite(length) or length == 0:
        raise ValueError(f"no vector: {vector.size} numbers of length {length:g}")
    return (vector / length).astype("<f4").tobytes()

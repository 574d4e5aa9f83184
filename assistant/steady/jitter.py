"""A little disorder, so that many who wait do not all come back at once."""

from collections.abc import Callable
from typing import TypeAlias
from zlib import crc32

from assistant.ports import Ids

Jitter: TypeAlias = Callable[[], float]
"""Gives a number from 0 up to, but not including, 1."""


def jitter_from(ids: Ids) -> Jitter:
    """Numbers made from fresh ids: as random as these are, and as repeatable.

    >>> from assistant.testing.counted_ids import CountedIds
    >>> 0 <= jitter_from(CountedIds())() < 1
    True
    """
    return lambda: crc32(ids.new().encode()) / 2**32

"""The possible readings of an answer to a read-back."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedToAll:
    """Yes to everything that was asked. ``also``: the text of another matter that follows, "" for none."""

    also: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedTo:
    """Yes to some of the calls, by their positions from 0: at least one, and not all.

    ``also`` is as in :class:`AgreedToAll`.
    """

    calls: frozenset[int]
    also: str = ""


@dataclass(frozen=True, slots=True)
class Declined:
    """No, and nothing else."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Neither yes nor no yet, and nothing that needs an answer: "hold on", "mm-hmm", "yes and no"."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Something else instead of what was asked: "no, the other one"."""


@dataclass(frozen=True, slots=True)
class Unclear:
    """Anything else. The decision model reads it, and the question stays open."""


Reading: TypeAlias = AgreedToAll | AgreedTo | Declined | Hold | Correction | Unclear

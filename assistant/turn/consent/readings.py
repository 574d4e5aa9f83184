"""What an answer to a read-back can be read as."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedToAll:
    """Yes to everything that was asked. ``also``: another matter that follows in the answer, "" for none."""

    also: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedTo:
    """Yes to these calls only, by their places from 0, at least one and not all of them."""

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
    """Anything else; the decision model reads it, and the question stays open."""


Reading: TypeAlias = AgreedToAll | AgreedTo | Declined | Hold | Correction | Unclear

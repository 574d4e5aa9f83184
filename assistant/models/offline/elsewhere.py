"""Things people say to a shop that no tool may be for: a near one of these is a reason to hold back."""

from functools import cache
from pathlib import Path


@cache
def elsewhere() -> tuple[str, ...]:
    """One sentence each; none of them is ever said by us."""
    path = Path(__file__).parent / "data" / "elsewhere.txt"
    return tuple(path.read_text(encoding="utf-8").splitlines())

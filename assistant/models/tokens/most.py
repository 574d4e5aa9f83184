"""Counts for several models at once, of which any may be asked."""

from dataclasses import dataclass

from assistant.ports import Counter


@dataclass(frozen=True, slots=True)
class Most:
    """Counts what the one takes that takes most. There is at least one."""

    counters: tuple[Counter, ...]

    @property
    def name(self) -> str:
        """All of their names."""
        return " or ".join(counter.name for counter in self.counters)

    def count(self, text: str) -> int:
        """The most tokens that any of them takes for a text."""
        return max(counter.count(text) for counter in self.counters)

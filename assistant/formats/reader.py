"""Who is going to read a request: what of a turn can be given to it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reader:
    """The model behind a request. ``images``: it can see."""

    images: bool = True

    def sees(self, pictures: frozenset[str]) -> frozenset[str]:
        """Which of the types that its provider takes it can be shown."""
        return pictures if self.images else frozenset()

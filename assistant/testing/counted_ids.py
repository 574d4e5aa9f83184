"""Predictable ids."""

from itertools import count


class CountedIds:
    """Ids that are counted up, so that each run gives the same bytes.

    >>> ids = CountedIds()
    >>> ids.new(), ids.new()
    ('id-1', 'id-2')
    """

    def __init__(self, prefix: str = "id-") -> None:
        self._prefix = prefix
        self._numbers, self._secrets = count(1), count(1)

    def new(self) -> str:
        """Returns the next id: ``prefix`` and a number, from 1."""
        return f"{self._prefix}{next(self._numbers)}"

    def secret(self) -> str:
        """Returns a fixed secret that is long enough for signing. It does not count as an id."""
        return f"not-a-secret-{self._prefix}{next(self._secrets)}".ljust(43, "-")

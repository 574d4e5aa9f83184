"""Goes on in a message that was cut off: drops from the new telling what the customer has seen already."""

_LONG_ENOUGH = 8


class Overlap:
    """Lets through only what is new.

    A model that is asked again mostly begins again; then its words are held back until they have caught up
    with ``shown``. When they differ instead, they are taken for the continuation.

    >>> overlap = Overlap("You are booked ")
    >>> overlap.push("You are"), overlap.push(" booked for"), overlap.push(" Tuesday.")
    ('', 'for', ' Tuesday.')
    """

    __slots__ = ("_held", "_shown")

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._held: str | None = "" if shown else None

    def push(self, text: str) -> str:
        """Take some more of the new telling; return what of it may be shown now."""
        if self._held is None:
            return text
        held = self._held + text
        # The white space that many models begin with was not shown the first time either.
        told = held.lstrip()
        if self._shown.startswith(told):
            self._held = held
            return ""
        self._held = None
        return told[len(self._shown) :] if told.startswith(self._shown) else self._continued(held)

    def _continued(self, new: str) -> str:
        """Join a telling that goes on instead of beginning again."""
        for length in range(min(len(new), len(self._shown)), _LONG_ENOUGH - 1, -1):
            if self._shown.endswith(new[:length]):
                return new[length:]
        needs_space = not self._shown[-1].isspace() and new[0].isalnum()
        return f" {new}" if needs_space else new

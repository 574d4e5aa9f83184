"""Time, and names for new things."""

from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Time. Everything that waits or dates waits or dates by this."""

    def now(self) -> datetime:
        """The present, aware, in the company's time zone."""
        ...

    def now_ms(self) -> int:
        """The present in Unix milliseconds."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start; never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def timeout(self, seconds: float | None) -> AbstractAsyncContextManager[object]:
        """A block that raises ``TimeoutError`` when it takes longer. None: no limit."""
        ...


class Ids(Protocol):
    """Names for new things."""

    def new(self) -> str:
        """A fresh id: sortable by time, safe in URLs, not to be guessed."""
        ...

    def secret(self) -> str:
        """A fresh secret: by it alone a program may be let in. Safe in URLs."""
        ...

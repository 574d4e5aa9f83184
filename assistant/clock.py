"""The real time."""

import asyncio
import time
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from assistant.errors import DeclarationError


class LoopWaits:
    """Waits by the running event loop's time, which may be real or virtual."""

    async def sleep(self, seconds: float) -> None:
        """Wait. Zero lets other ready tasks run."""
        await asyncio.sleep(seconds)

    def timeout(self, seconds: float | None) -> asyncio.Timeout:
        """Returns a block that raises ``TimeoutError`` when it takes longer. None: no limit."""
        return asyncio.timeout(seconds)


class SystemClock(LoopWaits):
    """The machine's clock, shown in the company's time zone.

    Args:
        zone: an IANA name such as "Europe/Berlin" or a ``tzinfo``; None is the machine's own zone.
        start: the time that the clock shows now; it goes on from there. A time without a zone is read in
            ``zone``. None is the real time.

    Raises:
        DeclarationError: there is no time zone with that name.
    """

    def __init__(self, zone: tzinfo | str | None = None, start: datetime | None = None) -> None:
        self._zone = zone_named(zone) if isinstance(zone, str) else zone
        self._ahead_s = 0.0
        if start is not None:
            if start.tzinfo is None and self._zone is not None:
                start = start.replace(tzinfo=self._zone)
            self._ahead_s = start.timestamp() - time.time()

    def now(self) -> datetime:
        """Returns the current time, with the company's time zone."""
        return datetime.fromtimestamp(time.time() + self._ahead_s, UTC).astimezone(self._zone)

    def now_ms(self) -> int:
        """Returns the current time in Unix milliseconds."""
        return int((time.time() + self._ahead_s) * 1000)

    def monotonic(self) -> float:
        """Returns the seconds since an arbitrary start. The value never decreases."""
        return time.monotonic()


def zone_named(name: str) -> tzinfo:
    """Look a time zone up by its IANA name.

    >>> zone_named("Europe/Berlin")
    zoneinfo.ZoneInfo(key='Europe/Berlin')

    Raises:
        DeclarationError: there is no time zone with that name.
    """
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise DeclarationError(
            f"time zone {name!r} is not known; write an IANA name such as 'Europe/Berlin' or 'UTC'"
        ) from error

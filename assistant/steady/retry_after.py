"""Reads how long a service asks to be left alone."""

from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime


def retry_after_s(headers: Mapping[str, str], now: datetime | None) -> float | None:
    """The seconds that the headers ask for, by whichever of their forms; None: they do not say, or not readably.

    A date is compared with ``now``; without it, a date says nothing.

    >>> retry_after_s({"retry-after": "2.5"}, None)
    2.5
    """
    try:
        if ms := headers.get("retry-after-ms"):
            return max(0.0, float(ms) / 1000)
        asked = headers.get("retry-after", "")
        if asked.strip()[:1].isdigit():
            return float(asked)
        return None if now is None else max(0.0, (parsedate_to_datetime(asked) - now).total_seconds())
    except (TypeError, ValueError):
        return None

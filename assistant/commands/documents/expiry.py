"""Until when a document is kept, as it is written on the command line."""

import re
from datetime import date, datetime, timedelta

import typer

from assistant.ports import Clock

_DAYS = re.compile(r"(\d{1,5})d")


def expiry(said: str, clock: Clock) -> int | None:
    """The moment in Unix milliseconds; None for "". A day is over when it begins, where we are.

    Raises ``typer.BadParameter`` for what is no time, or past.
    """
    if not said:
        return None
    at = _moment(said, clock.now())
    if at is None:
        raise typer.BadParameter(
            f"{said!r} is no day; write one such as {clock.now().year + 1}-01-31, or days from now such as 90d",
            param_hint="--expires",
        )
    if at <= clock.now():
        raise typer.BadParameter(f"{said} is past already", param_hint="--expires")
    return int(at.timestamp() * 1000)


def _moment(said: str, now: datetime) -> datetime | None:
    if days := _DAYS.fullmatch(said):
        return now + timedelta(days=int(days[1]))
    try:
        day = date.fromisoformat(said)
    except ValueError:
        return None
    return datetime(day.year, day.month, day.day, tzinfo=now.tzinfo)

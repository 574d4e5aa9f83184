"""Until when a document is kept."""

from datetime import datetime

from assistant.ports import Clock
from assistant.server.documents.refusal import Refusal


def until(said: str, clock: Clock) -> int:
    """A day or a moment that somebody named, in Unix milliseconds; a day is over when it begins, where we are.

    Raises ``Refusal`` for what is no time, or past.
    """
    example = f"{clock.now().year + 1}-01-31"
    try:
        named = datetime.fromisoformat(said)
    except ValueError as error:
        raise Refusal(
            422, "bad_expiry", f"expires={said!r} is no day; write one such as {example}"
        ) from error
    at_ms = int((named if named.tzinfo else named.replace(tzinfo=clock.now().tzinfo)).timestamp() * 1000)
    if at_ms <= clock.now_ms():
        raise Refusal(422, "bad_expiry", f"expires={said!r} is past; write a later day such as {example}")
    return at_ms

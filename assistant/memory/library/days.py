"""How long something is kept."""

_DAY_MS = 86_400_000


def after_days(start_ms: int, days: int | None) -> int | None:
    """The time so many days later; None for no end.

    >>> after_days(1_000, 1), after_days(1_000, None)
    (86401000, None)
    """
    return None if days is None else start_ms + days * _DAY_MS

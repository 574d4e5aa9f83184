"""How long a server is left alone before it is started again."""

_FIRST_S = 0.5
_LONGEST_S = 60.0


def pause_s(failures: int, jitter: float) -> float:
    """Seconds after so many failures in a row, up to a minute; ``jitter``, 0 to 1, takes up to half of it away.

    >>> [pause_s(failures, 0.0) for failures in (1, 2, 3, 8, 500)]
    [0.5, 1.0, 2.0, 60.0, 60.0]
    >>> pause_s(3, 0.5)
    1.5
    """
    return min(_LONGEST_S, _FIRST_S * 2 ** min(failures - 1, 16)) * (1 - jitter / 2)

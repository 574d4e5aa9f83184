"""How often something is so, and how sure that is after so many trials."""

from dataclasses import dataclass
from math import sqrt

_Z = 1.959964
"""So many standard deviations to either side hold 95 of 100."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share between 0 and 1, and between which two shares the true one lies, with 95 % certainty."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.3f} (95 %: {self.low:.3f} to {self.high:.3f})"


def rate(passed: float, trials: int) -> Rate:
    """The rate after ``passed`` of ``trials``, with Wilson's interval.

    It holds for few trials too, and where all of them passed: four of four do not make a thing certain.
    ``passed`` may be no whole number where it is itself a mean.

    >>> str(rate(4, 4)), str(rate(18, 20))
    ('1.000 (95 %: 0.510 to 1.000)', '0.900 (95 %: 0.699 to 0.972)')

    Raises:
        ValueError: there are no trials, or more passed than there are.
    """
    if trials < 1 or not 0 <= passed <= trials:
        raise ValueError(f"{passed} of {trials} is no rate; at least one trial, and at most all of them pass")
    share, z2 = passed / trials, _Z * _Z
    middle = share + z2 / (2 * trials)
    reach = _Z * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    return Rate(
        share,
        # Where none passed, or all, the border is exact, and the formula misses it by its last digits.
        low=(middle - reach) / scale if passed > 0 else 0.0,
        high=(middle + reach) / scale if passed < trials else 1.0,
    )

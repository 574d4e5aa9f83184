"""Figures as they are printed."""

from collections.abc import Sequence

import numpy as np


def percentile(values: Sequence[float], part: int) -> float:
    """The value that so many of a hundred stay under; nan where there are none."""
    return float(np.percentile(values, part)) if values else float("nan")


def spread(values: Sequence[float], unit: str = "ms") -> str:
    """Half of them, 95 in 100, and the worst."""
    p50, p95, worst = (percentile(values, part) for part in (50, 95, 100))
    return f"p50 {p50:5.0f} {unit}, p95 {p95:5.0f} {unit}, worst {worst:5.0f} {unit} ({len(values)})"

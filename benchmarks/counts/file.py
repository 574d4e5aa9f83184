"""The file of counts: what each was when it was last renewed, and by how much it may differ."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.counts.start import modules_at_start
from benchmarks.counts.turn import With, watched_turn

FILE: Final = Path(__file__).parent / "counts.txt"
RENEW: Final = "python -m benchmarks.counts renew"
_HEAD: Final = f"""\
# What "Check my appointments and billing" takes, with a hosted model and with the demo model, and what a start
# imports. Counted, not timed: the same on every machine. Written by `{RENEW}`;
# CONTRIBUTING.md says when.
# The percentage is by how much a count may differ: Python versions resume coroutines in slightly different ways.
"""
_TOLERANCES: Final[Mapping[str, float]] = {
    "function calls": 1.0,
    "calls in guardrails": 1.0,
    "functions": 0.5,
}
"""In percent; other counts are exact."""


@dataclass(frozen=True, slots=True)
class Count:
    """A count, and by how many percent it may differ."""

    number: int
    tolerance: float = 0.0

    def allows(self, number: int) -> bool:
        """Whether this is near enough."""
        return abs(number - self.number) <= self.number * self.tolerance / 100


def counted(model: With) -> dict[str, int]:
    """Every count with this model, by its name."""
    turn = watched_turn(model)
    counts = {
        "function calls": turn.calls,
        "calls in guardrails": turn.guardrail_calls,
        "functions": turn.functions,
        "files": len(turn.files),
        "tasks": turn.tasks,
        "log entries": turn.entries,
        "log bytes": turn.log_bytes,
        "modules at start": modules_at_start(model),
    }
    return {f"{model} {name}": number for name, number in counts.items()}


def read_counts() -> dict[str, Count]:
    """The counts of the file."""
    found: dict[str, Count] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, _, rest = line.partition(": ")
            number, tolerance = rest.split()
            found[name] = Count(int(number), float(tolerance.removesuffix("%")))
    return found


def write_counts(counts: Mapping[str, int]) -> None:
    """Write the file."""
    lines = [f"{name}: {number} {_tolerance(name):g}%\n" for name, number in counts.items()]
    FILE.write_text(_HEAD + "".join(lines), encoding="utf-8")


def _tolerance(name: str) -> float:
    return _TOLERANCES.get(name.partition(" ")[2], 0.0)


def differences(known: Mapping[str, Count], found: Mapping[str, int]) -> list[str]:
    """A line for each count that is not as it was."""
    return [
        f"{name}: {found[name]}, was {known[name].number}" if name in known else f"{name}: {found[name]}, new"
        for name in found
        if name not in known or not known[name].allows(found[name])
    ]

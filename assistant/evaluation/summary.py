"""What many trials come to: how often a task is done, and how reliably."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb
from statistics import fmean

from assistant.evaluation.row import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waiting times in ms: half of the turns took at most ``p50``, 95 of 100 at most ``p95``."""

    p50: int
    p95: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A sum over trials, of which only ``known`` told their share; None when none did."""

    amount: float | None
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of an evaluation.

    ``pass_1`` is the chance that a trial of a task passes, ``pass_all`` that all ``times`` trials of one do;
    both are means over tasks, None when no task was tried (so often). ``first``: until the first words.
    """

    tasks: int
    trials: int
    passed: int
    broke: int
    times: int
    pass_1: float | None
    pass_all: float | None
    input_tokens: Sum
    output_tokens: Sum
    usd: Sum
    first: Waits | None
    whole: Waits | None


def summarise(rows: Sequence[Row], times: int) -> Summary:
    """The figures of these rows. A trial that broke counts as one that failed."""
    by_task: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by_task[row.task].append(row.passed)
    turns = [turn for row in rows for turn in row.turns]
    return Summary(
        tasks=len(by_task),
        trials=len(rows),
        passed=sum(row.passed for row in rows),
        broke=sum(row.broke is not None for row in rows),
        times=times,
        pass_1=_mean([pass_hat(sum(tried), len(tried), 1) for tried in by_task.values()]),
        pass_all=_mean([pass_hat(sum(t), len(t), times) for t in by_task.values() if len(t) >= times]),
        input_tokens=_sum([row.cost.input_tokens for row in rows]),
        output_tokens=_sum([row.cost.output_tokens for row in rows]),
        usd=_sum([row.cost.usd for row in rows]),
        first=_waits([turn.first_ms for turn in turns if turn.first_ms is not None]),
        whole=_waits([turn.whole_ms for turn in turns]),
    )


def pass_hat(passed: int, tried: int, times: int) -> float:
    """How likely ``times`` trials of a task all pass, from ``passed`` of ``tried``; without bias.

    It is the share of all choices of ``times`` trials in which each one passed.

    >>> pass_hat(3, 4, 1), pass_hat(3, 4, 2), pass_hat(3, 4, 4), pass_hat(4, 4, 4)
    (0.75, 0.5, 0.0, 1.0)
    """
    return comb(passed, times) / comb(tried, times)


def percentile(values: Sequence[int], share: float) -> int:
    """The smallest value that so large a share of them does not exceed.

    >>> percentile([10, 20, 30, 40], 0.5), percentile([10, 20, 30, 40], 0.95), percentile([7], 0.5)
    (20, 40, 7)
    """
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _sum(values: Sequence[float | None]) -> Sum:
    known = [value for value in values if value is not None]
    return Sum(amount=sum(known) if known else None, known=len(known))


def _waits(values: Sequence[int]) -> Waits | None:
    return Waits(p50=percentile(values, 0.5), p95=percentile(values, 0.95)) if values else None

"""The figures of an evaluation, with confidence intervals.

The interval of pass^k is Wilson's. It is computed from the number of tasks, not of trials, because tasks vary
independently: trials of the same task resemble each other, and their number would make the interval too
small. A mean of values between 0 and 1 varies at most as much as a share does, so the interval may be too
large, but not too small. Unlike an interval from resampling (bootstrap), it does not shrink to zero if all
tasks passed, and it is the same each time.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb
from statistics import fmean

from assistant.conversation.entries import GuardrailName
from assistant.evaluation.measures import Cost
from assistant.evaluation.results import Row
from assistant.replay.live_trials import Rate, rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waiting times in ms: half of the turns took at most ``p50``, 95 % at most ``p95``."""

    p50: int
    p95: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A sum over the ``known`` trials that reported a value; None if none did."""

    amount: float | None
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The cost of the requests in ``trials`` trials."""

    trials: int
    input_tokens: Sum
    cached_tokens: Sum
    output_tokens: Sum
    usd: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """The number of ``turns`` with an announcement before the response, and of responses that repeated it."""

    repeating: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """How many calls with side effects ``ran``, and how many of them without the required yes."""

    ran: int
    unagreed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of an evaluation.

    ``unjudged`` are trials that are no result for the assistant, because the model that plays the customer
    failed. ``passes`` has pass^k by k: the probability that k trials of a task all pass, as the mean over the
    tasks with at least k trials. ``missed`` counts trials by the kinds of their unmet expectations.
    ``per_passed`` is the cost of all trials divided by the number of passed trials; None if it is unknown.
    ``players``: the usage of models that played customers, None if there were none.

    ``twice`` counts the responses that repeated their announcement, ``withheld`` the sentences that each
    guardrail suppressed, ``consent`` unconfirmed changes; each is None if no row has the data.

    ``first``, ``response``, ``fact`` and ``whole`` are the times to the first words, the response, the first
    fact, and the end of a turn.
    """

    tasks: int
    trials: int
    passed: int
    broke: int
    unjudged: int
    passes: Mapping[int, Rate]
    missed: Mapping[str, int]
    spent: Spent
    per_passed: float | None
    players: Spent | None
    twice: Twice | None
    withheld: Mapping[GuardrailName, int] | None
    consent: Consent | None
    first: Waits | None
    response: Waits | None
    fact: Waits | None
    whole: Waits | None


def summarise(rows: Sequence[Row], times: int) -> Summary:
    """Returns the figures of these rows, with ``times`` planned trials for each task.

    A trial that broke counts as failed.
    """
    by_task: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.judged:
            by_task[row.task].append(row.passed)
    played = [row.customer_cost for row in rows if row.customer_cost is not None]
    turns = [turn for row in rows for turn in row.turns]
    passed, spent = sum(row.passed for row in rows), _spent([row.cost for row in rows])
    known = spent.usd.amount is not None and spent.usd.known == len(rows)
    return Summary(
        tasks=len({row.task for row in rows}),
        trials=len(rows),
        passed=passed,
        broke=sum(row.broke is not None for row in rows),
        unjudged=sum(not row.judged for row in rows),
        passes={k: found for k in _shown(times) if (found := _pass_rate(list(by_task.values()), k))},
        missed=Counter(kind for row in rows for kind in row.missed),
        spent=spent,
        per_passed=spent.usd.amount / passed if known and spent.usd.amount is not None and passed else None,
        players=_spent(played) if played else None,
        twice=_repetitions(rows),
        withheld=_suppressed(rows),
        consent=_consent(rows),
        first=_percentiles([turn.first_ms for turn in turns]),
        response=_percentiles([turn.response_ms for turn in turns]),
        fact=_percentiles([turn.fact_ms for turn in turns]),
        whole=_percentiles([turn.whole_ms for turn in turns]),
    )


def _shown(times: int) -> Sequence[int]:
    """Returns the numbers k for which pass^k is shown: 1 to 4, and the number of trials of each task."""
    return sorted({*range(1, min(times, 4) + 1), times})


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One run compared with another, on the tasks that both have.

    ``better`` is the number of tasks in which more trials of this run passed. ``chance`` is the probability
    of such an uneven result if both are equally good (the sign test, two-sided); 1 if no task differs.
    """

    tasks: int
    better: int
    worse: int
    chance: float


def compare(rows: Sequence[Row], others: Sequence[Row]) -> Comparison:
    """Compare the shares of passed trials, task by task. Trials that could not be judged are left out."""
    own, other = _shares(rows), _shares(others)
    both = [task for task in own if task in other]
    better, worse = (
        sum(own[task] > other[task] for task in both),
        sum(own[task] < other[task] for task in both),
    )
    differ = better + worse
    tail = sum(comb(differ, k) for k in range(max(better, worse), differ + 1)) / 2**differ
    return Comparison(tasks=len(both), better=better, worse=worse, chance=min(1.0, 2 * tail))


def _shares(rows: Sequence[Row]) -> Mapping[str, float]:
    passed: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.judged:
            passed[row.task].append(row.passed)
    return {task: fmean(each) for task, each in passed.items()}


def pass_hat(passed: int, tried: int, times: int) -> float:
    """Returns the probability that ``times`` trials of a task all pass, from ``passed`` of ``tried``; an
    unbiased estimate.

    It is the share of all choices of ``times`` trials in which each one passed.

    >>> pass_hat(3, 4, 1), pass_hat(3, 4, 2), pass_hat(3, 4, 4), pass_hat(4, 4, 4)
    (0.75, 0.5, 0.0, 1.0)
    """
    return comb(passed, times) / comb(tried, times)


def percentile(values: Sequence[int], share: float) -> int:
    """Returns the smallest value that at least this share of the values does not exceed.

    >>> percentile([10, 20, 30, 40], 0.5), percentile([10, 20, 30, 40], 0.95), percentile([7], 0.5)
    (20, 40, 7)
    """
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def _pass_rate(tried: Sequence[Sequence[bool]], times: int) -> Rate | None:
    """Returns pass^k with the confidence interval for the number of tasks, or None if no task has enough
    trials.
    """
    each = [pass_hat(sum(one), len(one), times) for one in tried if len(one) >= times]
    return rate(fmean(each) * len(each), len(each)) if each else None


def _repetitions(rows: Sequence[Row]) -> Twice | None:
    if all(row.again is None for row in rows):
        return None
    turns = [turn for row in rows for turn in row.again or ()]
    return Twice(repeating=sum(turn.repeats for turn in turns), turns=len(turns))


def _suppressed(rows: Sequence[Row]) -> Mapping[GuardrailName, int] | None:
    known = [row.withheld for row in rows if row.withheld is not None]
    return Counter(guard for each in known for guard, _ in each) if known else None


def _consent(rows: Sequence[Row]) -> Consent | None:
    known = [row.writes for row in rows if row.writes is not None]
    ran, unagreed = sum(one.ran for one in known), sum(len(one.unagreed) for one in known)
    return Consent(ran=ran, unagreed=unagreed) if known else None


def _spent(costs: Sequence[Cost]) -> Spent:
    return Spent(
        trials=len(costs),
        input_tokens=_sum([cost.input_tokens for cost in costs]),
        cached_tokens=_sum([cost.cached_tokens for cost in costs]),
        output_tokens=_sum([cost.output_tokens for cost in costs]),
        usd=_sum([cost.usd for cost in costs]),
    )


def _sum(values: Sequence[float | None]) -> Sum:
    known = [value for value in values if value is not None]
    return Sum(amount=sum(known) if known else None, known=len(known))


def _percentiles(values: Sequence[int | None]) -> Waits | None:
    known = [value for value in values if value is not None]
    return Waits(p50=percentile(known, 0.5), p95=percentile(known, 0.95)) if known else None

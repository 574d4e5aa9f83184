"""Summarises the rows of an evaluation, with confidence intervals, and reports them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, comb
from statistics import fmean

from assistant.conversation.entries import GuardrailName
from assistant.evaluation.results import Cost, Row
from assistant.evaluation.simulated_customer import How
from assistant.replay.live_trials import Rate, counted, rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Waiting times in ms: half of the turns took at most ``p50``, 95 of 100 at most ``p95``."""

    p50: int
    p95: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sum:
    """A sum over trials of which only ``known`` reported a value; None if none did."""

    amount: float | None
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """The cost of the requests of ``trials`` trials."""

    trials: int
    input_tokens: Sum
    output_tokens: Sum
    usd: Sum


@dataclass(frozen=True, slots=True, kw_only=True)
class Twice:
    """In how many ``turns`` something was announced before the response, and how many responses repeated it."""

    repeating: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of an evaluation.

    ``unjudged`` are trials that say nothing about the assistant, because the model that plays the customer
    failed. ``pass_1`` is the probability that a trial of a task passes, ``pass_all`` that all ``times``
    trials of one pass. Both are means over tasks, None if no task was run (so often). ``players``: the usage
    of models that played customers, None if there were none. ``twice`` is what customers were told twice,
    ``withheld`` counts what each guardrail suppressed; both are None if no row has the data. ``first``: time
    until the first words.
    """

    tasks: int
    trials: int
    passed: int
    broke: int
    unjudged: int
    times: int
    pass_1: Rate | None
    pass_all: float | None
    spent: Spent
    players: Spent | None
    twice: Twice | None
    withheld: Mapping[GuardrailName, int] | None
    first: Waits | None
    whole: Waits | None


def summarise(rows: Sequence[Row], times: int) -> Summary:
    """The figures of these rows. A trial that broke counts as failed."""
    by_task: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        if row.judged:
            by_task[row.task].append(row.passed)
    played = [row.customer_cost for row in rows if row.customer_cost is not None]
    turns = [turn for row in rows for turn in row.turns]
    return Summary(
        tasks=len({row.task for row in rows}),
        trials=len(rows),
        passed=sum(row.passed for row in rows),
        broke=sum(row.broke is not None for row in rows),
        unjudged=sum(not row.judged for row in rows),
        times=times,
        pass_1=_rate(by_task.values()),
        pass_all=_mean([pass_hat(sum(t), len(t), times) for t in by_task.values() if len(t) >= times]),
        spent=_spent([row.cost for row in rows]),
        players=_spent(played) if played else None,
        twice=_repetitions(rows),
        withheld=_suppressed(rows),
        first=_percentiles([turn.first_ms for turn in turns if turn.first_ms is not None]),
        whole=_percentiles([turn.whole_ms for turn in turns]),
    )


def pass_hat(passed: int, tried: int, times: int) -> float:
    """The probability that ``times`` trials of a task all pass, from ``passed`` of ``tried``; an unbiased
    estimate.

    It is the share of all choices of ``times`` trials in which each one passed.

    >>> pass_hat(3, 4, 1), pass_hat(3, 4, 2), pass_hat(3, 4, 4), pass_hat(4, 4, 4)
    (0.75, 0.5, 0.0, 1.0)
    """
    return comb(passed, times) / comb(tried, times)


def percentile(values: Sequence[int], share: float) -> int:
    """The smallest value that at least this share of the values does not exceed.

    >>> percentile([10, 20, 30, 40], 0.5), percentile([10, 20, 30, 40], 0.95), percentile([7], 0.5)
    (20, 40, 7)
    """
    return sorted(values)[max(0, ceil(share * len(values)) - 1)]


def _rate(tried: Collection[Sequence[bool]]) -> Rate | None:
    """The mean over tasks, with the confidence interval of the number of trials."""
    mean = _mean([pass_hat(sum(each), len(each), 1) for each in tried])
    trials = sum(map(len, tried))
    return rate(mean * trials, trials) if mean is not None else None


def _repetitions(rows: Sequence[Row]) -> Twice | None:
    if all(row.again is None for row in rows):
        return None
    turns = [turn for row in rows for turn in row.again or ()]
    return Twice(repeating=sum(turn.repeats for turn in turns), turns=len(turns))


def _suppressed(rows: Sequence[Row]) -> Mapping[GuardrailName, int] | None:
    known = [row.withheld for row in rows if row.withheld is not None]
    return Counter(guard for each in known for guard, _ in each) if known else None


def _spent(costs: Sequence[Cost]) -> Spent:
    return Spent(
        trials=len(costs),
        input_tokens=_sum([cost.input_tokens for cost in costs]),
        output_tokens=_sum([cost.output_tokens for cost in costs]),
        usd=_sum([cost.usd for cost in costs]),
    )


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _sum(values: Sequence[float | None]) -> Sum:
    known = [value for value in values if value is not None]
    return Sum(amount=sum(known) if known else None, known=len(known))


def _percentiles(values: Sequence[int]) -> Waits | None:
    return Waits(p50=percentile(values, 0.5), p95=percentile(values, 0.95)) if values else None


_LEFT: dict[How, str] = {
    "circles": "the customer said the same again and again, and left",
    "most_messages": "the customer had written as often as they may, and was not done",
}


def report(summary: Summary, rows: Sequence[Row], skipped: int = 0) -> list[str]:
    """The lines of the report: what failed and why, then the figures.

    ``skipped`` tasks were left out, because no model can play their customer.
    """
    return [*_failures(rows), *_unjudged(rows), *_figures(summary, skipped)]


def skipping(tasks: int) -> str:
    """How many tasks were skipped, and why."""
    return f"{'1 task needs' if tasks == 1 else f'{tasks} tasks need'} a model to play the customer"


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    failed = [row for row in rows if row.judged and not row.passed]
    for task in dict.fromkeys(row.task for row in failed):
        tried = [row for row in rows if row.task == task]
        wrong = [row for row in failed if row.task == task]
        yield f"{task}: {len(wrong)} of {len(tried)} failed"
        reasons = Counter(reason for row in wrong for reason in _reasons(row))
        for reason, times in reasons.items():
            yield f"    {reason}{f' ({times} times)' if times > 1 else ''}"
        yield ""


def _unjudged(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.customer_failed is not None:
            yield f"{row.task} #{row.trial} could not be judged: {row.customer_failed}"
    if any(not row.judged for row in rows):
        yield ""


def _reasons(row: Row) -> Iterator[str]:
    if row.broke is not None:
        yield f"did not come to its end: {row.broke}"
    yield from dict.fromkeys(row.unmet)
    if row.customer_left in _LEFT:
        yield _LEFT[row.customer_left]
    for error in dict.fromkeys(row.model_errors):
        yield f"the model failed: {error}"


def _figures(summary: Summary, skipped: int) -> Iterator[str]:
    broke = f", {summary.broke} did not come to an end" if summary.broke else ""
    unjudged = f", {summary.unjudged} could not be judged" if summary.unjudged else ""
    trials = counted(summary.trials, "trial")
    yield f"tasks    {summary.tasks}, {trials}: {summary.passed} passed{broke}{unjudged}"
    if skipped:
        yield f"skipped  {skipping(skipped)}; --simulator names one"
    yield f"pass^1   {summary.pass_1 or 'unknown'}"
    if summary.times > 1:
        share = "unknown" if summary.pass_all is None else f"{summary.pass_all:.3f}"
        yield f"pass^{summary.times:<3} {share}"
    twice, kept = summary.twice, summary.withheld
    again = "unknown" if twice is None else f"{twice.repeating} of {counted(twice.turns, 'turn')}"
    suppressed = "unknown" if kept is None else f"{sum(kept.values())}"
    if kept:
        suppressed += f" ({kept.get('repetition', 0)} repeated, {kept.get('claims', 0)} not done)"
    yield f"words    said twice: {again}; kept back by the guards: {suppressed}"
    yield f"cost     {_cost(summary.spent)}"
    if summary.players is not None:
        yield f"players  {_cost(summary.players)}"
    yield f"latency  first words {_waits(summary.first)}; whole turn {_waits(summary.whole)}"


def _cost(spent: Spent) -> str:
    if all(total.amount is None for total in (spent.usd, spent.input_tokens, spent.output_tokens)):
        return "unknown"
    dollars = _amount(spent.usd, spent.trials, lambda usd: f"${usd:.4f}")
    given = _amount(spent.input_tokens, spent.trials, lambda tokens: f"{tokens:.0f}")
    written = _amount(spent.output_tokens, spent.trials, lambda tokens: f"{tokens:.0f}")
    return f"{dollars}; {given} tokens in, {written} out"


def _amount(total: Sum, trials: int, spelled: Callable[[float], str]) -> str:
    if total.amount is None:
        return "unknown"
    part = "" if total.known == trials else f" (of {total.known} trials; of the others it is unknown)"
    return spelled(total.amount) + part


def _waits(waits: Waits | None) -> str:
    return "unknown" if waits is None else f"p50 {waits.p50} ms, p95 {waits.p95} ms"

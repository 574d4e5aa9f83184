"""An evaluation's figures and failures, in words for the one who asked for it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from assistant.evaluation.row import Row
from assistant.evaluation.summary import Sum, Summary, Waits


def report(summary: Summary, rows: Sequence[Row]) -> list[str]:
    """The lines of the report: what failed and why, then the figures."""
    return [*_failures(rows), *_figures(summary)]


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    failed = [row for row in rows if not row.passed]
    for task in dict.fromkeys(row.task for row in failed):
        tried = [row for row in rows if row.task == task]
        wrong = [row for row in failed if row.task == task]
        yield f"{task}: {len(wrong)} of {len(tried)} failed"
        reasons = Counter(reason for row in wrong for reason in _reasons(row))
        for reason, times in reasons.items():
            yield f"    {reason}{f' ({times} times)' if times > 1 else ''}"
        yield ""


def _reasons(row: Row) -> Iterator[str]:
    if row.broke is not None:
        yield f"did not come to its end: {row.broke}"
    yield from dict.fromkeys(row.unmet)
    for error in dict.fromkeys(row.model_errors):
        yield f"the model failed: {error}"


def _figures(summary: Summary) -> Iterator[str]:
    yield f"tasks    {summary.tasks}, {_trials(summary.trials)}: {summary.passed} passed{_broke(summary)}"
    yield f"pass^1   {_share(summary.pass_1)}"
    if summary.times > 1:
        yield f"pass^{summary.times:<3} {_share(summary.pass_all)}"
    yield f"cost     {_cost(summary)}"
    yield f"latency  first words {_waits(summary.first)}; whole turn {_waits(summary.whole)}"


def _trials(number: int) -> str:
    return "1 trial" if number == 1 else f"{number} trials"


def _broke(summary: Summary) -> str:
    return f", {summary.broke} did not come to an end" if summary.broke else ""


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _cost(summary: Summary) -> str:
    if all(total.amount is None for total in (summary.usd, summary.input_tokens, summary.output_tokens)):
        return "unknown"
    dollars = _amount(summary.usd, summary.trials, lambda usd: f"${usd:.4f}")
    given = _amount(summary.input_tokens, summary.trials, lambda tokens: f"{tokens:.0f}")
    written = _amount(summary.output_tokens, summary.trials, lambda tokens: f"{tokens:.0f}")
    return f"{dollars}; {given} tokens in, {written} out"


def _amount(total: Sum, trials: int, spelled: Callable[[float], str]) -> str:
    if total.amount is None:
        return "unknown"
    part = "" if total.known == trials else f" (of {total.known} trials; of the others it is unknown)"
    return spelled(total.amount) + part


def _waits(waits: Waits | None) -> str:
    return "unknown" if waits is None else f"p50 {waits.p50} ms, p95 {waits.p95} ms"

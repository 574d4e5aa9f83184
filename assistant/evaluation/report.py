"""The report of an evaluation as text: the failures with their reasons, then the figures."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from assistant.evaluation.results import Row
from assistant.evaluation.simulated_customer import How
from assistant.evaluation.summary import Spent, Sum, Summary, Waits
from assistant.replay.live_trials import counted

_LEFT: dict[How, str] = {
    "circles": "the customer said the same again and again, and left",
    "most_messages": "the customer had written as often as they may, and was not done",
}


def report(summary: Summary, rows: Sequence[Row], skipped: int = 0) -> list[str]:
    """Returns the lines of the report: the failures with their reasons, then the figures.

    ``skipped`` is the number of tasks that were left out, because no model can play their customer.
    """
    return [*_failures(rows), *_unjudged(rows), *figures(summary, skipped)]


def skipping(tasks: int) -> str:
    """Returns a line with the number of skipped tasks, and the reason."""
    return f"{'1 task needs' if tasks == 1 else f'{tasks} tasks need'} a model to play the customer"


def _failures(rows: Sequence[Row]) -> Iterator[str]:
    failed = [row for row in rows if row.judged and not row.passed]
    for task in dict.fromkeys(row.task for row in failed):
        tried = [row for row in rows if row.task == task]
        wrong = [row for row in failed if row.task == task]
        yield f"{task}: {len(wrong)} of {len(tried)} failed"
        reasons = Counter(reason for row in wrong for reason in reasons_of(row))
        for reason, times in reasons.items():
            yield f"    {reason}{f' ({times} times)' if times > 1 else ''}"
        yield ""


def _unjudged(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.customer_failed is not None:
            yield f"{row.task} #{row.trial} could not be judged: {row.customer_failed}"
    if any(not row.judged for row in rows):
        yield ""


def reasons_of(row: Row) -> Iterator[str]:
    """Yields the reasons why a trial did not pass."""
    if row.broke is not None:
        yield f"did not come to its end: {row.broke}"
    yield from dict.fromkeys(row.unmet)
    if row.customer_left in _LEFT:
        yield _LEFT[row.customer_left]
    for error in dict.fromkeys(row.model_errors):
        yield f"the model failed: {error}"


def figures(summary: Summary, skipped: int = 0) -> Iterator[str]:
    """Yields the figures, one on each line: the name in the first nine characters, then the value."""
    broke = f", {summary.broke} did not come to an end" if summary.broke else ""
    unjudged = f", {summary.unjudged} could not be judged" if summary.unjudged else ""
    trials = counted(summary.trials, "trial")
    yield f"tasks    {summary.tasks}, {trials}: {summary.passed} passed{broke}{unjudged}"
    if skipped:
        yield f"skipped  {skipping(skipped)}; --simulator names one"
    for k, found in summary.passes.items():
        yield f"pass^{k:<3} {found}"
    if not summary.passes:
        yield "pass^1   unknown"
    if summary.missed:
        missed = ", ".join(f"{kind} in {times}" for kind, times in summary.missed.items())
        yield f"missed   {missed} of {trials}"
    if summary.consent is not None:
        yield f"changes  {summary.consent.ran}, without the customer's yes: {summary.consent.unagreed}"
    twice = summary.twice
    again = "unknown" if twice is None else f"{twice.repeating} of {counted(twice.turns, 'turn')}"
    yield f"words    told twice: {again}; kept back by guardrails: {_withheld(summary)}"
    each = "" if summary.per_passed is None else f"; ${summary.per_passed:.4f} for each trial that passed"
    yield f"cost     {_cost(summary.spent)}{each}"
    if summary.players is not None:
        yield f"players  {_cost(summary.players)}"
    waits = map(_waits, (summary.first, summary.response, summary.fact, summary.whole))
    first, response, fact, whole = waits
    yield f"latency  first words {first}; response {response}; first fact {fact}; whole turn {whole}"


def _withheld(summary: Summary) -> str:
    if summary.withheld is None:
        return "unknown"
    named = ", ".join(f"{guardrail} {times}" for guardrail, times in sorted(summary.withheld.items()))
    return f"{sum(summary.withheld.values())}{f' ({named})' if named else ''}"


def _cost(spent: Spent) -> str:
    if all(total.amount is None for total in (spent.usd, spent.input_tokens, spent.output_tokens)):
        return "unknown"
    dollars = _amount(spent.usd, spent.trials, lambda usd: f"${usd:.4f}")
    given = _amount(spent.input_tokens, spent.trials, lambda tokens: f"{tokens:.0f}")
    written = _amount(spent.output_tokens, spent.trials, lambda tokens: f"{tokens:.0f}")
    cached = ""
    if spent.cached_tokens.amount is not None and spent.input_tokens.amount:
        cached = f" ({spent.cached_tokens.amount / spent.input_tokens.amount:.0%} from a cache)"
    return f"{dollars}; {given} tokens in{cached}, {written} out"


def _amount(total: Sum, trials: int, spelled: Callable[[float], str]) -> str:
    if total.amount is None:
        return "unknown"
    part = "" if total.known == trials else f" (of {total.known} trials; of the others it is unknown)"
    return spelled(total.amount) + part


def _waits(waits: Waits | None) -> str:
    return "unknown" if waits is None else f"p50 {waits.p50} ms, p95 {waits.p95} ms"

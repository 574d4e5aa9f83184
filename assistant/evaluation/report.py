"""An evaluation's figures and failures, in words for the one who asked for it."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from assistant.conversation.entries import Guard
from assistant.evaluation.row import Row
from assistant.evaluation.summary import Spent, Sum, Summary, Twice, Waits
from assistant.replay.simulated.customer import How

_LEFT: dict[How, str] = {
    "circles": "the customer said the same again and again, and left",
    "most_messages": "the customer had written as often as they may, and was not done",
}


def report(summary: Summary, rows: Sequence[Row], skipped: int = 0) -> list[str]:
    """The lines of the report: what failed and why, then the figures.

    ``skipped`` tasks were left out, because nobody can play their customer.
    """
    return [*_failures(rows), *_unjudged(rows), *_figures(summary, skipped)]


def skipping(tasks: int) -> str:
    """That so many tasks were left out, and why."""
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
    trials = _counted(summary.trials, "trial")
    yield f"tasks    {summary.tasks}, {trials}: {summary.passed} passed{_besides(summary)}"
    if skipped:
        yield f"skipped  {skipping(skipped)}; --simulator names one"
    yield f"pass^1   {summary.pass_1 or 'unknown'}"
    if summary.times > 1:
        yield f"pass^{summary.times:<3} {_share(summary.pass_all)}"
    yield f"words    {_words(summary)}"
    yield f"cost     {_cost(summary.spent)}"
    if summary.players is not None:
        yield f"players  {_cost(summary.players)}"
    yield f"latency  first words {_waits(summary.first)}; whole turn {_waits(summary.whole)}"


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _besides(summary: Summary) -> str:
    broke = f", {summary.broke} did not come to an end" if summary.broke else ""
    unjudged = f", {summary.unjudged} could not be judged" if summary.unjudged else ""
    return broke + unjudged


def _share(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _words(summary: Summary) -> str:
    return f"said twice: {_twice(summary.twice)}; kept back by the guards: {_withheld(summary.withheld)}"


def _twice(twice: Twice | None) -> str:
    return "unknown" if twice is None else f"{twice.repeating} of {_counted(twice.turns, 'turn')}"


def _withheld(kept: Mapping[Guard, int] | None) -> str:
    if not kept:
        return "unknown" if kept is None else "0"
    return f"{sum(kept.values())} ({kept.get('repetition', 0)} repeated, {kept.get('say_do', 0)} not done)"


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

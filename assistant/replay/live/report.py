"""Words what came of all trials: how often each conversation and each check passed, and the worst of them."""

import sys
from collections.abc import Iterator, Sequence

from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.rendering import marked
from assistant.replay.live.judged import TIMES
from assistant.replay.live.trial import Trial
from assistant.replay.rates import Rate, rate

_ORDER = (
    *("model", "calls", "hears", "never", "overlap", "how"),
    *("accounted", "grounded", "no_repetition", "say_do", "language", "script", "order"),
    TIMES,
)
"""What went wrong first, first."""


def passed(trials: Sequence[Trial]) -> Rate:
    """How often a trial passed, of at least one."""
    return rate(sum(trial.judged.passed for trial in trials), len(trials))


def report(trials: Sequence[Trial]) -> Iterator[str]:
    """The lines, of at least one trial."""
    names = list(dict.fromkeys(trial.live.name for trial in trials))
    width = max(map(len, (*names, *_ORDER))) + 2
    yield f"\n{'conversation':<{width}}passed"
    for name in names:
        of_name = [trial for trial in trials if trial.live.name == name]
        yield f"{name:<{width}}{passed(of_name)}"
    yield f"\n{'check':<{width}}held"
    for check in _ORDER:
        held = [trial for trial in trials if check in trial.judged.checks]
        if held:
            good = sum(not trial.judged.fails(check) for trial in held)
            note = "  (fails no trial)" if check == TIMES else ""
            yield f"{check:<{width}}{rate(good, len(held))}{note}"
    yield f"\n{'all':<{width}}{passed(trials)}"
    yield from _worst(trials)


def _worst(trials: Sequence[Trial]) -> Iterator[str]:
    """The trial that is complained of most, as it was held; nothing when all passed."""
    failed = [trial for trial in trials if not trial.judged.passed]
    if not failed:
        return
    worst = max(failed, key=lambda trial: len(trial.judged.complaints))
    yield f"\nthe worst: {worst.live.name} #{worst.number}"
    complaints = sorted(worst.judged.complaints, key=_place)
    yield marked(worst.live.cassette, worst.played, complaints)


def _place(complaint: Complaint) -> tuple[bool, int]:
    """Times last; the turns in their order, and what concerns all of them after them."""
    return complaint.check == TIMES, complaint.turn or sys.maxsize

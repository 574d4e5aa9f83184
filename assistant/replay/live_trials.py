"""Replays conversations with a live model, several times each, and reports how often each check passed.

What is checked with a live model:

=====================================  ======================================================================
check in the file                      how it is checked with a live model
=====================================  ======================================================================
``calls``                              the model makes these calls and no others, in any order; arguments are
                                       compared as the tool reads them
``hears``                              messages come in this order, and ``kind``, ``text_contains`` and
                                       ``text_matches`` are checked; ``text``, ``interrupted`` and statuses are not
``within_ms`` and other times of       counted separately as ``times``, so that a slow trial does not fail; times of
messages; ``max_silence_ms``           calls are not checked
``never``, ``overlap``, ``ended``      as written in the file
the checks of each turn                in each turn, unless ``skip_checks`` leaves them out
``scene``, ``frames``, ``suppressed``  not compared, because they depend on one model's words
=====================================  ======================================================================

Three more checks run for each trial: ``order``, ``script`` (the model called no tool for which the file has no
result) and ``model`` (the provider did not fail).
"""

import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from assistant.assembly.config_builder import Models
from assistant.conversation.entries import ModelChunks
from assistant.conversation.outcomes import outcome_name
from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments
from assistant.replay.cassette import Cassette
from assistant.replay.checks.check import UNLESS_LEFT_OUT, unless_left_out
from assistant.replay.checks.invariants import each_frame_once, order, script
from assistant.replay.checks.rendering import render_transcript
from assistant.replay.checks.transcript import (
    CheckFailure,
    PlayedCall,
    Scope,
    Transcript,
    scopes_of,
    transcript_of,
)
from assistant.replay.checks.turn_expectations import (
    arguments_text,
    hears,
    never,
    overlap,
    silence,
    turn_ended,
)
from assistant.replay.expectations import Expectations, ExpectedCall
from assistant.replay.played import Played
from assistant.replay.player.cassette_tool import declared_tool
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import play
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.tool import Tool


def reason_not_live(cassette: Cassette) -> str | None:
    """Returns the reason why this conversation cannot be run live, or None if it can."""
    if any(reply.ends != "complete" for turn in cassette.turns for reply in turn.replies):
        return "their models fail as scripted"
    if any(turn.meanwhile for turn in cassette.turns):
        return "stops, cuts or restarts are timed in them"
    if any(turn.heard_up_to is not None for turn in cassette.turns):
        return "answers are heard up to certain words in them"
    if any(turn.at_ms is not None or turn.barge_in_ms is not None for turn in cassette.turns):
        return "messages do not wait for the answer in them"
    return None


TIMES = "times"
"""The check that never makes a trial fail, because the file's times are those of its script."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The checks that ran for a trial, and their failures."""

    checks: frozenset[str]
    failures: tuple[CheckFailure, ...]

    @property
    def passed(self) -> bool:
        """Whether there are no failures except of times."""
        return all(failure.check == TIMES for failure in self.failures)

    def fails(self, check: str) -> bool:
        """Whether this check failed."""
        return any(failure.check == check for failure in self.failures)


def judge_trial(cassette: Cassette, played: Played, environment: ReplayEnvironment) -> Verdict:
    """Check a conversation with a live model. It has no side effects."""
    tools = {tool.spec.name: tool for tool in environment.tools}
    tools |= {one.name: declared_tool(one, VirtualClock()) for one in cassette.tools}
    transcript = transcript_of(cassette, played, environment.book, [tool.spec for tool in tools.values()])
    found = [
        *order(transcript),
        *each_frame_once(transcript),
        *script(transcript),
        *_model_failures(transcript),
    ]
    found += [failure for scope in scopes_of(transcript) for failure in _written(scope, tools)]
    found += unless_left_out(transcript)
    return Verdict(checks=_checks(cassette), failures=tuple(found))


def _written(scope: Scope, tools: dict[str, Tool]) -> Iterator[CheckFailure]:
    def canonical(tool: str, arguments: JsonObject) -> JsonObject:
        try:
            return tools[tool].validate(arguments) if tool in tools else arguments
        except BadArguments:
            return arguments

    yield from calls_in_any_order(scope, canonical)
    for check in (never, overlap, turn_ended):
        yield from check(scope)
    yield from hears(replace(scope, expect=words_expected(scope.expect)))
    timed = replace(scope, expect=times_expected(scope.expect))
    for failure in (*hears(timed), *silence(timed)):
        yield replace(failure, check=TIMES)


def _model_failures(transcript: Transcript) -> Iterator[CheckFailure]:
    for turn in transcript.turns:
        for logged in turn.entries:
            if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None:
                expected, at = f"an answer of the {logged.entry.role}", transcript.moment(logged)
                yield turn.failure("model", expected=expected, found=logged.entry.error, at=at)


def _checks(cassette: Cassette) -> frozenset[str]:
    """Returns the names of the checks that run for this conversation, whatever its outcome."""
    expected = [turn.expect for turn in cassette.turns]
    every = [*expected, cassette.expect]
    names = {"order", "script", "model"}
    nothing = Expectations()
    for name in ("calls", "ended", "never", "overlap"):
        names |= {name} if any(getattr(one, name) != getattr(nothing, name) for one in every) else set()
    names |= {"hears"} if any(words_expected(one).hears for one in every) else set()
    timed = [times_expected(one) for one in every]
    names |= {TIMES} if any(one.hears or one.max_silence_ms is not None for one in timed) else set()
    left_out = set(cassette.expect.skip_checks)
    return frozenset(names).union(*(set(UNLESS_LEFT_OUT) - left_out - {*one.skip_checks} for one in expected))


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveConversation:
    """A conversation that can be run live, with the name of its file."""

    name: str
    cassette: Cassette


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The ``number``-th run of a conversation, and its result."""

    live: LiveConversation
    number: int
    played: Played
    judged: Verdict


async def run_trials(
    lives: Sequence[LiveConversation], times: int, models: Models, environment: ReplayEnvironment
) -> AsyncGenerator[Trial, None]:
    """Run all conversations once, then all again, in real time on the running loop."""
    for number in range(1, times + 1):
        for live in lives:
            played = await play(live.cassette, environment, models=models)
            yield Trial(
                live=live,
                number=number,
                played=played,
                judged=judge_trial(live.cassette, played, environment),
            )


_Z = 1.959964
"""95 % of the values of a normal distribution are within this many standard deviations of the mean."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share between 0 and 1, with its 95 % confidence interval."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.3f} (95 %: {self.low:.3f} to {self.high:.3f})"


def rate(passed: float, trials: int) -> Rate:
    """Returns the rate after ``passed`` of ``trials``, with Wilson's interval.

    The interval is also valid for few trials, and if all of them passed. ``passed`` may be fractional if it
    is a mean.

    >>> str(rate(4, 4)), str(rate(18, 20))
    ('1.000 (95 %: 0.510 to 1.000)', '0.900 (95 %: 0.699 to 0.972)')

    Raises:
        ValueError: there are no trials, or ``passed`` is larger than ``trials``.
    """
    if trials < 1 or not 0 <= passed <= trials:
        raise ValueError(f"{passed} of {trials} is no rate; at least one trial, and at most all of them pass")
    share, z2 = passed / trials, _Z * _Z
    middle = share + z2 / (2 * trials)
    reach = _Z * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    return Rate(
        share,
        # If none or all passed, one end is exactly 0 or 1; the formula has a rounding error there.
        low=(middle - reach) / scale if passed > 0 else 0.0,
        high=(middle + reach) / scale if passed < trials else 1.0,
    )


def counted(number: int, thing: str) -> str:
    """Returns a number with its noun.

    >>> counted(1, "turn"), counted(2, "turn")
    ('1 turn', '2 turns')
    """
    return f"{number} {thing}{'' if number == 1 else 's'}"


_ORDER = (
    *("model", "calls", "hears", "never", "overlap", "ended"),
    *("all_outcomes_reported", "grounded", "no_repetition", "claims", "language", "script", "order"),
    TIMES,
)
"""The order in which failed checks are reported."""


def pass_rate(trials: Sequence[Trial]) -> Rate:
    """Returns the rate of passed trials; there must be at least one trial."""
    return rate(sum(trial.judged.passed for trial in trials), len(trials))


def report(trials: Sequence[Trial]) -> Iterator[str]:
    """Yields the lines of the report; there must be at least one trial."""
    names = list(dict.fromkeys(trial.live.name for trial in trials))
    width = max(map(len, (*names, *_ORDER))) + 2
    yield f"\n{'conversation':<{width}}passed"
    for name in names:
        of_name = [trial for trial in trials if trial.live.name == name]
        yield f"{name:<{width}}{pass_rate(of_name)}"
    yield f"\n{'check':<{width}}held"
    for check in _ORDER:
        checked = [trial for trial in trials if check in trial.judged.checks]
        if checked:
            good = sum(not trial.judged.fails(check) for trial in checked)
            note = "  (fails no trial)" if check == TIMES else ""
            yield f"{check:<{width}}{rate(good, len(checked))}{note}"
    yield f"\n{'all':<{width}}{pass_rate(trials)}"
    yield from _worst(trials)


def _worst(trials: Sequence[Trial]) -> Iterator[str]:
    """Yields the transcript of the most important failed trial, or nothing if all passed."""
    failed = [trial for trial in trials if not trial.judged.passed]
    if not failed:
        return
    worst = max(failed, key=lambda trial: len(trial.judged.failures))
    yield f"\nthe worst: {worst.live.name} #{worst.number}"
    # In the order of turns, then failures of the whole conversation, then times.
    failures = sorted(worst.judged.failures, key=lambda one: (one.check == TIMES, one.turn or sys.maxsize))
    yield render_transcript(worst.live.cassette, worst.played, failures)


Canonical = Callable[[str, JsonObject], JsonObject]
"""Normalizes a tool's arguments, so that an explicit default equals a missing argument."""


def calls_in_any_order(scope: Scope, canonical: Canonical) -> Iterator[CheckFailure]:
    """Report each expected call that is missing or ended differently, and each unexpected call."""
    if scope.expect.calls is None:
        return
    left = [call for turn in scope.turns for call in turn.calls]
    missing: list[tuple[int, ExpectedCall]] = []
    # Calls with expected arguments are matched first, so that an entry without arguments does not take them.
    for number, one in sorted(enumerate(scope.expect.calls), key=lambda each: each[1].arguments is None):
        came = next((call for call in left if _is(one, call, canonical)), None)
        if came is None:
            missing.append((number, one))
            continue
        left.remove(came)
        outcome = outcome_name(came.outcome) if came.outcome is not None else "no end"
        if one.outcome not in (None, outcome):
            expected = f"{one.tool} {one.outcome}"
            yield scope.failure("calls", number, expected=expected, found=outcome, at=came.ended)
    for number, one in missing:
        instead = next((call for call in left if call.call.tool == one.tool), None)
        if instead is not None:
            left.remove(instead)
        yield _wrong_call(scope, instead, number, expected=_shown(one.tool, one.arguments))
    for call in left:
        yield _wrong_call(scope, call, expected="no other call")


def _wrong_call(scope: Scope, call: PlayedCall | None, *place: int, expected: str) -> CheckFailure:
    found = _shown(call.call.tool, call.call.arguments) if call is not None else "no such call"
    at = call.started if call is not None else None
    return scope.failure("calls", *place, expected=expected, found=found, at=at)


def _is(wanted: ExpectedCall, call: PlayedCall, canonical: Canonical) -> bool:
    return wanted.tool == call.call.tool and (
        wanted.arguments is None
        or canonical(wanted.tool, wanted.arguments) == canonical(wanted.tool, call.call.arguments)
    )


def _shown(tool: str, arguments: JsonObject | None) -> str:
    return tool if arguments is None else f"{tool} with {arguments_text(arguments)}"


_NO_TIMES = {"within_ms": None, "complete_within_ms": None}
_NO_WORDS = {"text": None, "text_contains": (), "text_matches": None}


def words_expected(expect: Expectations) -> Expectations:
    """Returns the expected messages without whole texts and times.

    Statuses are left out, because they depend on times and on the model.
    """
    update = {"text": None, "interrupted": None, **_NO_TIMES}
    words = [one.model_copy(update=update) for one in expect.hears if one.kind != "status"]
    says_something = [one for one in words if one.kind or one.text_contains or one.text_matches]
    return expect.model_copy(update={"hears": tuple(says_something)})


def times_expected(expect: Expectations) -> Expectations:
    """Returns the expected messages that have times, reduced to kinds and times; and ``max_silence_ms``."""
    timed = [
        one.model_copy(update={"interrupted": None, **_NO_WORDS})
        for one in expect.hears
        if one.within_ms is not None or one.complete_within_ms is not None
    ]
    return Expectations(hears=tuple(timed), max_silence_ms=expect.max_silence_ms)

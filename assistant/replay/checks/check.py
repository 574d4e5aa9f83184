"""Runs all checks on a replayed conversation. Read this file first: it lists them."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from assistant.conversation.tool_spec import ToolSpec
from assistant.prompts.book import PromptBook
from assistant.replay.cassette import Cassette
from assistant.replay.checks import invariants, response_checks, turn_expectations
from assistant.replay.checks.all_outcomes_reported import all_outcomes_reported
from assistant.replay.checks.transcript import (
    CheckFailure,
    PlayedTurn,
    Scope,
    Transcript,
    scopes_of,
    transcript_of,
)
from assistant.replay.expectations import Check
from assistant.replay.played import Played
from assistant.replay.player.cassette_tool import declared_tool
from assistant.testing.virtual_time import VirtualClock

_WRITTEN: tuple[Callable[[Scope], Iterator[CheckFailure]], ...] = (
    turn_expectations.scene_differs,
    turn_expectations.hears,
    turn_expectations.never,
    turn_expectations.calls,
    turn_expectations.overlap,
    turn_expectations.turn_ended,
    turn_expectations.silence,
    turn_expectations.suppressed,
    turn_expectations.handed_over,
)

_ALWAYS: tuple[Callable[[Transcript], Iterator[CheckFailure]], ...] = (
    invariants.script,
    invariants.order,
    invariants.each_frame_once,
    invariants.confirmed_before_writes,
    invariants.silent_during_handoff,
    invariants.delivered_once,
)
UNLESS_LEFT_OUT: Mapping[Check, Callable[[Transcript, PlayedTurn], Iterator[CheckFailure]]] = {
    "all_outcomes_reported": all_outcomes_reported,
    "grounded": response_checks.grounded,
    "no_repetition": response_checks.no_repetition,
    "claims": response_checks.claims,
    "language": response_checks.language,
}
"""The checks of each turn that ``skip_checks`` can leave out."""


def check(
    cassette: Cassette, played: Played, book: PromptBook, specs: Iterable[ToolSpec] = ()
) -> list[CheckFailure]:
    """Returns all failures, or empty if everything is right. Pure.

    Args:
        cassette: the expectations.
        played: the replayed conversation.
        book: the prompts of the replay. They contain the word lists and names that the checks use.
        specs: the tools of the replay, except those that the cassette declares.

    Returns:
        The failures. Differences from the script come first, because most other failures follow from them.
        Then come the failures of each turn, in the order of time, with those without a time at the end;
        then those of the conversation as a whole.
    """
    transcript = transcript_of(cassette, played, book, (*specs, *_declared(cassette)))
    found = [failure for one in _ALWAYS for failure in one(transcript)]
    found += [failure for scope in scopes_of(transcript) for one in _WRITTEN for failure in one(scope)]
    found += unless_left_out(transcript)
    found += invariants.frames(transcript)
    return sorted(found, key=_place)


def _declared(cassette: Cassette) -> Iterator[ToolSpec]:
    # Only the specs are used. The clock has no effect, because no tool runs.
    return (declared_tool(declared, VirtualClock()).spec for declared in cassette.tools)


def unless_left_out(transcript: Transcript) -> Iterator[CheckFailure]:
    """Yields the failures of the checks that ``skip_checks`` does not skip, turn by turn."""
    for scope in scopes_of(transcript):
        without = {*transcript.cassette.expect.skip_checks, *scope.expect.skip_checks}
        for name, check_turn in UNLESS_LEFT_OUT.items():
            if scope.number and name not in without:
                for turn in scope.turns:
                    yield from check_turn(transcript, turn)


def _place(failure: CheckFailure) -> tuple[bool, int, float]:
    """Returns the sort key of a failure: script differences, then turns in order, then the whole
    conversation.
    """
    at_ms = math.inf if failure.at_ms is None else failure.at_ms
    return failure.check != "script", failure.turn or sys.maxsize, at_ms

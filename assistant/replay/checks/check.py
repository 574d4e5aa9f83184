"""Holds a played conversation to everything that is expected of it. Read this file first."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from assistant.conversation.tool_spec import ToolSpec
from assistant.prompts.book import PromptBook
from assistant.replay.cassette import Cassette
from assistant.replay.checks.all_outcomes_reported import accounted
from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.expected_messages import hears, never, scene_differs
from assistant.replay.checks.expected_turns import calls, handed_over, how, overlap, silence, withheld
from assistant.replay.checks.frame_checks import frames, order, seen_once
from assistant.replay.checks.invariants import agreed, hushed, script, told_once
from assistant.replay.checks.response_checks import grounded, language, no_repetition, say_do
from assistant.replay.checks.transcript import Held, Part, PlayedTurn, parts_of, played_turns
from assistant.replay.expectations import Check
from assistant.replay.played import Played
from assistant.replay.player.cassette_tool import declared_tool
from assistant.testing.virtual_time import VirtualClock

_WRITTEN: tuple[Callable[[Part], Iterator[Complaint]], ...] = (
    scene_differs,
    hears,
    never,
    calls,
    overlap,
    how,
    silence,
    withheld,
    handed_over,
)

_ALWAYS: tuple[Callable[[Held], Iterator[Complaint]], ...] = (
    script,
    order,
    seen_once,
    agreed,
    hushed,
    told_once,
)
_UNLESS_LEFT_OUT: Mapping[Check, Callable[[Held, PlayedTurn], Iterator[Complaint]]] = {
    "accounted": accounted,
    "grounded": grounded,
    "no_repetition": no_repetition,
    "say_do": say_do,
    "language": language,
}


def check(
    cassette: Cassette, played: Played, book: PromptBook, specs: Iterable[ToolSpec] = ()
) -> list[Complaint]:
    """Everything that is not as it should be; empty when all is well. Pure.

    Args:
        cassette: what is expected.
        played: what came of it.
        book: the prompts that it was played with: what languages, names and failures read like.
        specs: the tools that it was played with, but for those that the cassette declares: what they do, and
            what that is called.

    Returns:
        The complaints: first where the conversation and the file part, since most others come of that; then
        turn by turn and in the order of time. What has no moment comes after what has, and what concerns the
        conversation as a whole at the end.
    """
    held = Held(
        cassette=cassette,
        played=played,
        turns=played_turns(played),
        book=book,
        specs={spec.name: spec for spec in (*specs, *_declared(cassette))},
    )
    found = [complaint for one in _ALWAYS for complaint in one(held)]
    found += [complaint for part in parts_of(held) for one in _WRITTEN for complaint in one(part)]
    found += _unless_left_out(held)
    found += frames(held)
    return sorted(found, key=_place)


def _declared(cassette: Cassette) -> Iterator[ToolSpec]:
    # They are only looked at: whatever the clock says, nothing of them runs.
    return (declared_tool(declared, VirtualClock()).spec for declared in cassette.declares)


def _unless_left_out(held: Held) -> Iterator[Complaint]:
    for part in parts_of(held):
        without = {*held.cassette.expect.without, *part.expect.without}
        for name, check_turn in _UNLESS_LEFT_OUT.items():
            if part.number and name not in without:
                for turn in part.turns:
                    yield from check_turn(held, turn)


def _place(complaint: Complaint) -> tuple[bool, int, float]:
    """The causes, then the turns in their order, what concerns all of them last."""
    at_ms = math.inf if complaint.at_ms is None else complaint.at_ms
    return complaint.check != "script", complaint.turn or sys.maxsize, at_ms

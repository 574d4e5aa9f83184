"""Holds a live conversation to what can hold of a live model.

=====================================  ======================================================================
in the file                            of a live model
=====================================  ======================================================================
``calls``                              these and no others, in any order; arguments as the tool reads them
``hears``                              ``kind``, ``text_contains``, ``text_matches``, in this order; not ``text``,
                                       not ``interrupted``, and no status
``within_ms`` and its like, of         a rate of its own, ``times``; a trial that is slow does not fail;
messages; ``silence_ms``               not of calls
``never``, ``overlap``, ``how``        as they stand there
accounted, grounded, no_repetition,    in every turn, but where ``without`` leaves them out
say_do, language
``scene``, ``frames``, ``withheld``    not looked at: they are one model's words and slips
=====================================  ======================================================================

Unasked, every trial is held to ``order``, to ``script`` (no call of a tool that the file has no run of), and to
``model`` (the provider did not fail).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from assistant.conversation.entries import ModelChunks
from assistant.conversation.values import JsonObject
from assistant.errors import BadArguments
from assistant.replay.cassette import Cassette
from assistant.replay.checks.all_outcomes_reported import accounted
from assistant.replay.checks.complaint import Complaint
from assistant.replay.checks.expected_messages import hears, never
from assistant.replay.checks.expected_turns import how, overlap, silence
from assistant.replay.checks.frame_checks import order, seen_once
from assistant.replay.checks.invariants import script
from assistant.replay.checks.response_checks import grounded, language, no_repetition, say_do
from assistant.replay.checks.transcript import Held, Part, PlayedTurn, parts_of, played_turns
from assistant.replay.expectations import Check
from assistant.replay.live.calls import calls_in_any_order
from assistant.replay.live.expected import times_expected, words_expected
from assistant.replay.played import Played
from assistant.replay.player.declared_tool import declared_tool
from assistant.replay.player.stage import Stage
from assistant.testing.virtual_time import VirtualClock
from assistant.tooling.tool import Tool

TIMES = "times"
"""The one check that fails no trial: the file's times are those of its script."""

_UNLESS_LEFT_OUT: Mapping[Check, Callable[[Held, PlayedTurn], Iterator[Complaint]]] = {
    "accounted": accounted,
    "grounded": grounded,
    "no_repetition": no_repetition,
    "say_do": say_do,
    "language": language,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Which checks a trial was held to, and what it did not come up to."""

    checks: frozenset[str]
    complaints: tuple[Complaint, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing but times is complained of."""
        return all(complaint.check == TIMES for complaint in self.complaints)

    def fails(self, check: str) -> bool:
        """Whether anything is complained of under this name."""
        return any(complaint.check == check for complaint in self.complaints)


def judged(cassette: Cassette, played: Played, stage: Stage) -> Judged:
    """Hold a conversation that was played with models of its own to its file. Pure."""
    tools = {tool.spec.name: tool for tool in stage.tools}
    tools |= {one.name: declared_tool(one, VirtualClock()) for one in cassette.declares}
    specs = {name: tool.spec for name, tool in tools.items()}
    turns = played_turns(played)
    held = Held(cassette=cassette, played=played, turns=turns, book=stage.book, specs=specs)
    parts = parts_of(held)
    found = [*order(held), *seen_once(held), *script(held), *_failures(held)]
    for part in parts:
        found += _written(part, tools)
        for name in _looked_at(part, cassette):
            found += [one for turn in part.turns for one in _UNLESS_LEFT_OUT[name](held, turn)]
    return Judged(checks=_checks(cassette), complaints=tuple(found))


def _written(part: Part, tools: dict[str, Tool]) -> Iterator[Complaint]:
    def canonical(tool: str, arguments: JsonObject) -> JsonObject:
        try:
            return tools[tool].validate(arguments) if tool in tools else arguments
        except BadArguments:
            return arguments

    yield from calls_in_any_order(part, canonical)
    for check in (never, overlap, how):
        yield from check(part)
    yield from hears(replace(part, expect=words_expected(part.expect)))
    timed = replace(part, expect=times_expected(part.expect))
    for complaint in (*hears(timed), *silence(timed)):
        yield replace(complaint, check=TIMES)


def _looked_at(part: Part, cassette: Cassette) -> list[Check]:
    without = {*cassette.expect.without, *part.expect.without}
    return [name for name in _UNLESS_LEFT_OUT if part.number and name not in without]


def _failures(held: Held) -> Iterator[Complaint]:
    for turn in held.turns:
        for logged in turn.entries:
            if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None:
                yield Complaint(
                    turn=turn.number,
                    check="model",
                    expected=f"an answer of the {logged.entry.role}",
                    found=logged.entry.error,
                    at_ms=logged.at_ms - held.played.began_ms,
                )


def _checks(cassette: Cassette) -> frozenset[str]:
    """The names of what this conversation is held to, whatever comes of it."""
    expected = [turn.expect for turn in cassette.turns]
    every = [*expected, cassette.expect]
    names = {"order", "script", "model"}
    names |= {"calls"} if any(one.calls is not None for one in every) else set()
    names |= {"how"} if any(one.how is not None for one in every) else set()
    names |= {"never"} if any(one.never for one in every) else set()
    names |= {"overlap"} if any(one.overlap for one in every) else set()
    names |= {"hears"} if any(words_expected(one).hears for one in every) else set()
    timed = [times_expected(one) for one in every]
    names |= {TIMES} if any(one.hears or one.silence_ms is not None for one in timed) else set()
    left_out = set(cassette.expect.without)
    return frozenset(names).union(*(set(_UNLESS_LEFT_OUT) - left_out - {*one.without} for one in expected))

"""Plays cassette files and reports their results as text."""

from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.replay.cassette_file import Loaded, load
from assistant.replay.checks.check import check
from assistant.replay.checks.rendering import render_transcript
from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.played import Played
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay


@dataclass(frozen=True, slots=True, kw_only=True)
class AsExpected:
    """It was played, and everything was as expected. ``took_s`` is real time."""

    path: Path
    loaded: Loaded
    played: Played
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Different:
    """It was played, and something was not as expected."""

    path: Path
    loaded: Loaded
    played: Played
    failures: tuple[CheckFailure, ...]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplayable:
    """It could not be played: the file is wrong, or it needs what is not there. ``why`` has a line for each."""

    path: Path
    why: str
    took_s: float = 0.0


Result = AsExpected | Different | Unplayable


def play_file(path: Path, environment: ReplayEnvironment, clock: Clock) -> Result:
    """Play one file and hold it to what it expects. Never raises for what is in the file.

    Args:
        path: the file.
        environment: the prompts and tools to play it on.
        clock: tells how long it took.
    """
    began = clock.monotonic()
    try:
        loaded = load(path)
        played = replay(loaded.cassette, environment)
        failures = check(loaded.cassette, played, environment.book, environment.tools.specs)
    except AssistantError as error:
        return Unplayable(path=path, why=str(error), took_s=clock.monotonic() - began)
    took_s = clock.monotonic() - began
    if failures:
        return Different(path=path, loaded=loaded, played=played, failures=tuple(failures), took_s=took_s)
    return AsExpected(path=path, loaded=loaded, played=played, took_s=took_s)


def result_text(result: Result) -> str:
    """All there is to say of a result: the conversation, marked where it first differs, then each difference."""
    match result:
        case AsExpected():
            return (
                f"{result.path}: as expected\n{render_transcript(result.loaded.cassette, result.played, ())}"
            )
        case Different():
            shown = render_transcript(result.loaded.cassette, result.played, result.failures)
            places = [_where(failure, result) for failure in result.failures]
            return "\n".join([f"{result.path}: different", shown, "", *places])
        case Unplayable():
            why = "\n".join(f"    {line}" for line in result.why.splitlines())
            return f"{result.path}: cannot be played\n{why}"
        case _:
            assert_never(result)


def _where(failure: CheckFailure, result: Different) -> str:
    place = failure.place or (("turns", failure.turn - 1) if failure.turn else ())
    line = result.loaded.lines.locate(place)[1]
    turn = f"turn {failure.turn}: " if failure.turn else ""
    at = f" ({failure.at_ms:,} ms)" if failure.at_ms is not None else ""
    return f"{result.path}:{line}: {turn}{failure.check}{at}"

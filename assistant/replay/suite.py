"""Replays cassette files and reports the results as text."""

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
    """The replay met all expectations. ``took_s`` is real time."""

    path: Path
    loaded: Loaded
    played: Played
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Different:
    """The replay did not meet all expectations."""

    path: Path
    loaded: Loaded
    played: Played
    failures: tuple[CheckFailure, ...]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplayable:
    """The file could not be replayed: it is wrong, or it needs a tool that does not exist. ``why`` has a line
    for each problem.
    """

    path: Path
    why: str
    took_s: float = 0.0


Result = AsExpected | Different | Unplayable


def play_file(path: Path, environment: ReplayEnvironment, clock: Clock) -> Result:
    """Replay one file and compare the result with its expectations. Never raises for mistakes in the file.

    Args:
        path: the file.
        environment: the prompts and tools of the replay.
        clock: measures how long the replay took.
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
    """Returns the report of a result: the conversation with a mark at the first difference, then each
    difference.
    """
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

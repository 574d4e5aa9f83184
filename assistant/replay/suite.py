"""Plays recorded conversations one after the other, and says of each what came of it."""

from dataclasses import dataclass
from pathlib import Path

from assistant.errors import AssistantError
from assistant.ports import Clock
from assistant.replay.cassette_file import Loaded, load
from assistant.replay.checks.check import check
from assistant.replay.checks.complaint import Complaint
from assistant.replay.played import Played
from assistant.replay.player.replay import replay
from assistant.replay.player.stage import Stage


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
    complaints: tuple[Complaint, ...]
    took_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Unplayable:
    """It could not be played: the file is wrong, or it needs what is not there. ``why`` has a line for each."""

    path: Path
    why: str
    took_s: float = 0.0


Result = AsExpected | Different | Unplayable


def play_file(path: Path, stage: Stage, clock: Clock) -> Result:
    """Play one file and hold it to what it expects. Never raises for what is in the file.

    Args:
        path: the file.
        stage: the prompts and tools to play it on.
        clock: tells how long it took.
    """
    began = clock.monotonic()
    try:
        loaded = load(path)
        played = replay(loaded.cassette, stage)
        complaints = check(loaded.cassette, played, stage.book, stage.tools.specs)
    except AssistantError as error:
        return Unplayable(path=path, why=str(error), took_s=clock.monotonic() - began)
    took_s = clock.monotonic() - began
    if complaints:
        return Different(path=path, loaded=loaded, played=played, complaints=tuple(complaints), took_s=took_s)
    return AsExpected(path=path, loaded=loaded, played=played, took_s=took_s)

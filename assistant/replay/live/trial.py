"""Holds conversations live, one after the other, each so many times."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from assistant.assembly.config_builder import Models
from assistant.replay.cassette import Cassette
from assistant.replay.live.judged import Judged, judged
from assistant.replay.played import Played
from assistant.replay.player.play import play
from assistant.replay.player.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Live:
    """A conversation that can be held live, by its file's name."""

    name: str
    cassette: Cassette


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A conversation that was held, the ``number``-th time, and what came of it."""

    live: Live
    number: int
    played: Played
    judged: Judged


async def trials(
    lives: Sequence[Live], times: int, models: Models, stage: Stage
) -> AsyncGenerator[Trial, None]:
    """Every conversation once, then every one again, on the running loop and in its time."""
    for number in range(1, times + 1):
        for live in lives:
            played = await play(live.cassette, stage, models=models)
            yield Trial(live=live, number=number, played=played, judged=judged(live.cassette, played, stage))

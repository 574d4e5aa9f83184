"""``assistant replay --live``: recorded conversations against the configured model, with rates in the end."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from assistant.assembly.models import is_embedded, names_of
from assistant.clock import SystemClock
from assistant.commands.configured import configured_models, without_stand_ins
from assistant.commands.logging import set_up_logging
from assistant.commands.replay import found
from assistant.commands.stopping import told_to_stop, unless
from assistant.errors import DeclarationError
from assistant.replay.cassette_file import SUFFIX, load
from assistant.replay.live.left_out import left_out
from assistant.replay.live.report import passed, report
from assistant.replay.live.trial import Live, Trial, trials
from assistant.replay.player.check import check_playable
from assistant.replay.player.stage import Stage, stage_of
from assistant.settings import Settings, load_settings

STOPPED = 130
"""The exit code after Ctrl-C, as shells know it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for on the command line."""

    times: int
    paths: Sequence[Path] = ()
    model: str | None = None
    at_least: float = 1.0


def replay_live(wishes: Wishes) -> int:
    """Hold every conversation so often, and give the exit code.

    0 when enough trials passed, 1 when not, 130 after Ctrl-C.

    Raises:
        DeclarationError: a path is not there, a file is wrong, none can be held live, or a setting is wrong.
    """
    set_up_logging("CRITICAL")
    settings = without_stand_ins(load_settings(), wishes.model)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    stage = stage_of(settings)
    lives, reasons = _lives(found(wishes.paths), stage)
    if not lives:
        raise DeclarationError(f"none of these conversations can be held live: {_why(reasons)}")
    for line in _announcement(lives, reasons, wishes.times, settings):
        console.print(line)
    done: list[Trial] = []
    ended = asyncio.run(_hold(lives, wishes.times, settings, stage, console, done))
    for line in report(done) if done else ():
        console.print(line)
    if not ended:
        console.print("Stopped. What was held until then is all that is told.")
        return STOPPED
    return 0 if passed(done).share >= wishes.at_least else 1


def _lives(files: Sequence[Path], stage: Stage) -> tuple[list[Live], Counter[str]]:
    """Those that can be held live, and how many cannot for which reason. Raises for one that is wrong."""
    lives: list[Live] = []
    reasons: Counter[str] = Counter()
    for file in files:
        cassette = load(file).cassette
        try:
            check_playable(cassette, stage)
        except DeclarationError as error:
            raise DeclarationError(f"{file}: {error}") from error
        why = left_out(cassette)
        if why is None:
            lives.append(Live(name=file.name.removesuffix(SUFFIX), cassette=cassette))
        else:
            reasons[why] += 1
    return lives, reasons


def _why(reasons: Counter[str]) -> str:
    return "; ".join(f"{number}: {why}" for why, number in reasons.items())


def _announcement(
    lives: Sequence[Live], reasons: Counter[str], times: int, settings: Settings
) -> Sequence[str]:
    names = names_of(settings)
    models = list(dict.fromkeys((names["decider"][0], names["narrator"][0])))
    conversations = _counted(len(lives), "conversation")
    lines = [f"{conversations} with {' + '.join(models)}: {_counted(len(lives) * times, 'trial')}."]
    if reasons:
        lines.append(f"Left out, {_why(reasons)}.")
    if not all(map(is_embedded, models)):
        messages = _counted(times * sum(len(live.cassette.turns) for live in lives), "message")
        lines.append(f"{messages} for this model; its provider may charge for them.")
    return lines


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


async def _hold(
    lives: Sequence[Live],
    times: int,
    settings: Settings,
    stage: Stage,
    console: Console,
    done: list[Trial],
) -> bool:
    """Add trial after trial to ``done``; False when somebody asked to stop before the last."""

    async def hold() -> None:
        async with (
            configured_models(settings, stage, SystemClock(settings.time_zone)) as models,
            aclosing(trials(lives, times, models, stage)) as held,
        ):
            async for trial in held:
                done.append(trial)
                how = "passed" if trial.judged.passed else "FAILED"
                console.print(f"[{len(done)}/{len(lives) * times}] {trial.live.name} #{trial.number}: {how}")

    with told_to_stop() as told:
        await unless(told, hold())
        return not told.is_set()

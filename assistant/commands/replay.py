"""``assistant replay``: replays recorded conversations and shows where they differ.

With ``--live`` the configured model answers instead, and success rates are printed at the end.
"""

import asyncio
import difflib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from assistant.assembly.config_builder import Models
from assistant.assembly.models import build_models, is_embedded, names_of
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stop_signal import run_until, stop_requested
from assistant.conversation.entries import SentenceSuppressed
from assistant.errors import DeclarationError
from assistant.ports import Clock
from assistant.prompts.narration import Narration
from assistant.replay.cassette_file import SUFFIX, find, load
from assistant.replay.live_trials import (
    LiveConversation,
    Trial,
    counted,
    pass_rate,
    reason_not_live,
    report,
    run_trials,
)
from assistant.replay.player.environment import ReplayEnvironment, check_playable, environment_of
from assistant.replay.suite import AsExpected, Different, Result, Unplayable, play_file, result_text
from assistant.replay.yaml_writer import renew
from assistant.settings import Settings
from assistant.tenants import load_settings


def single_model_settings(model: str) -> dict[str, str | list[str]]:
    """Settings in which this model has both roles, without fallback models, which would be judged in its place."""
    return {"model": model, "narrator_model": model, **_NO_FALLBACK_MODELS}


def without_fallback_models(settings: Settings, model: str | None = None) -> Settings:
    """The settings without fallback models; with ``model``, this model has both roles."""
    return settings.model_copy(update=_NO_FALLBACK_MODELS if model is None else single_model_settings(model))


_NO_FALLBACK_MODELS: dict[str, list[str]] = {"fallback_models": [], "narrator_fallback_models": []}


@asynccontextmanager
async def configured_models(
    settings: Settings, environment: ReplayEnvironment, clock: Clock
) -> AsyncGenerator[Models]:
    """The model of each role, closed at the end. Raises ``DeclarationError`` for a wrong setting."""
    models = build_models(settings, environment.tools, environment.book, Narration(environment.book), clock)
    try:
        yield models
    finally:
        for role in models.values():
            await role.model.close()


DEFAULT_FOLDER = Path("tests/conversations")
"""The folder of conversations if no path is given."""

DIFFERENT, UNPLAYABLE = 1, 2


STOPPED = 130
"""The exit code after Ctrl-C, as usual in shells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOptions:
    """The options of the command."""

    paths: Sequence[Path] = ()
    update: bool = False
    show: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveReplayOptions:
    """The options of the command with ``--live``."""

    trials: int
    paths: Sequence[Path] = ()
    model: str | None = None
    min_pass_rate: float = 1.0


def replay(options: ReplayOptions) -> int:
    """Replay; returns the exit code: 0 all as expected, 1 something is different, 2 a file cannot be replayed.

    Raises:
        DeclarationError: a path does not exist, or the prompts and tools are wrong.
    """
    set_up_logging("CRITICAL")
    settings = load_settings()
    clock = SystemClock(settings.time_zone)
    files = find_recordings(options.paths)
    environment = environment_of(settings)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    results: list[Result] = []
    with replay_progress(console, len(files)) as show:
        for file in files:
            result = play_file(file, environment, clock)
            if options.update and isinstance(result, Different):
                result = _update(result, environment, clock, console)
            show(result)
            results.append(result)
    for result in results:
        if options.show or not isinstance(result, AsExpected):
            console.print(f"\n{result_text(result)}")
    console.print(_summary(results))
    return _code(results)


def replay_live(options: LiveReplayOptions) -> int:
    """Run each conversation several times with a live model; returns the exit code.

    0 if enough trials passed, 1 if not, 130 after Ctrl-C.

    Raises:
        DeclarationError: a path does not exist, a file is wrong, no conversation can run live, or a setting is
            wrong.
    """
    set_up_logging("CRITICAL")
    settings = without_fallback_models(load_settings(), options.model)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    environment = environment_of(settings)
    lives, reasons = _live_conversations(find_recordings(options.paths), environment)
    if not lives:
        raise DeclarationError(f"none of these conversations can be held live: {_why(reasons)}")
    for line in _announcement(lives, reasons, options.trials, settings):
        console.print(line)
    done: list[Trial] = []
    ended = asyncio.run(_run_trials(lives, options.trials, settings, environment, console, done))
    for line in report(done) if done else ():
        console.print(line)
    if not ended:
        console.print("Stopped. What was held until then is all that is told.")
        return STOPPED
    return 0 if pass_rate(done).share >= options.min_pass_rate else 1


@contextmanager
def replay_progress(console: Console, files: int) -> Generator[Callable[[Result], None]]:
    """Yields a function that shows one more result of ``files``. The bar is removed at the end."""
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[different]} different"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar, different = progress.add_task("playing", total=files, different=0), 0

        def show(result: Result) -> None:
            nonlocal different
            different += not isinstance(result, AsExpected)
            progress.update(bar, advance=1, description=result.path.name, different=different)

        yield show


def find_recordings(paths: Sequence[Path]) -> list[Path]:
    """The conversations in these files and folders; without paths, those in ``tests/conversations``.

    Raises ``DeclarationError`` if there are none.
    """
    if not paths and not DEFAULT_FOLDER.is_dir():
        raise DeclarationError(f"name files or folders; there is no {DEFAULT_FOLDER} here to take without")
    return find(paths or [DEFAULT_FOLDER])


def _update(
    result: Different, environment: ReplayEnvironment, clock: SystemClock, console: Console
) -> Result:
    """Write the actual result in place of the expected one; other errors stay errors."""
    was = result.path.read_text(encoding="utf-8")
    now = renew(was, result.loaded.cassette, result.played)
    if was == now:
        return result
    _write(result.path, now)
    console.print(f"renewed {result.path}")
    for line in _changes(was, now):
        console.print(line)
    return play_file(result.path, environment, clock)


def _changes(was: str, now: str) -> Iterator[str]:
    """The differences in the file, without their context."""
    for line in difflib.unified_diff(was.splitlines(), now.splitlines(), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield f"  {line}"


def _summary(results: Sequence[Result]) -> str:
    """The number of results as expected, the text that guardrails suppressed, and the total duration."""
    counts = Counter(type(result) for result in results)
    played = [result.played for result in results if not isinstance(result, Unplayable)]
    lasted_s = sum(one.frames[-1].at_ms for one in played if one.frames) / 1_000
    guards = Counter(
        logged.entry.guardrail
        for one in played
        for logged in one.entries
        if isinstance(logged.entry, SentenceSuppressed)
    )
    parts = [
        f"{counts[AsExpected]} of {len(results)} as expected",
        *([f"{counts[Different]} different"] if counts[Different] else []),
        *([f"{counts[Unplayable]} cannot be played"] if counts[Unplayable] else []),
        f"kept back by the guardrails: {guards['repetition']} repeated, {guards['claims']} deeds and"
        f" {guards['facts']} facts without evidence",
    ]
    took_s = sum(result.took_s for result in results)
    return f"{'; '.join(parts)}. {lasted_s:,.0f} s of conversation in {took_s:.1f} s."


def _code(results: Sequence[Result]) -> int:
    if any(isinstance(result, Unplayable) for result in results):
        return UNPLAYABLE
    return DIFFERENT if any(isinstance(result, Different) for result in results) else 0


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise DeclarationError(f"{file}: cannot be written: {error.strerror}") from error


def _live_conversations(
    files: Sequence[Path], environment: ReplayEnvironment
) -> tuple[list[LiveConversation], Counter[str]]:
    """The conversations that can run live, and the number of others for each reason. Raises the error of a
    wrong file.
    """
    lives: list[LiveConversation] = []
    reasons: Counter[str] = Counter()
    for file in files:
        cassette = load(file).cassette
        try:
            check_playable(cassette, environment)
        except DeclarationError as error:
            raise DeclarationError(f"{file}: {error}") from error
        why = reason_not_live(cassette)
        if why is None:
            lives.append(LiveConversation(name=file.name.removesuffix(SUFFIX), cassette=cassette))
        else:
            reasons[why] += 1
    return lives, reasons


def _why(reasons: Counter[str]) -> str:
    return "; ".join(f"{number}: {why}" for why, number in reasons.items())


def _announcement(
    lives: Sequence[LiveConversation], reasons: Counter[str], times: int, settings: Settings
) -> Sequence[str]:
    names = names_of(settings)
    models = list(dict.fromkeys((names["decider"][0], names["narrator"][0])))
    conversations = counted(len(lives), "conversation")
    lines = [f"{conversations} with {' + '.join(models)}: {counted(len(lives) * times, 'trial')}."]
    if reasons:
        lines.append(f"Left out, {_why(reasons)}.")
    if not all(map(is_embedded, models)):
        messages = counted(times * sum(len(live.cassette.turns) for live in lives), "message")
        lines.append(f"{messages} for this model; its provider may charge for them.")
    return lines


async def _run_trials(
    lives: Sequence[LiveConversation],
    times: int,
    settings: Settings,
    environment: ReplayEnvironment,
    console: Console,
    done: list[Trial],
) -> bool:
    """Add trial after trial to ``done``; False if it was stopped before the last."""

    async def hold() -> None:
        async with (
            configured_models(settings, environment, SystemClock(settings.time_zone)) as models,
            aclosing(run_trials(lives, times, models, environment)) as held,
        ):
            async for trial in held:
                done.append(trial)
                how = "passed" if trial.judged.passed else "FAILED"
                console.print(f"[{len(done)}/{len(lives) * times}] {trial.live.name} #{trial.number}: {how}")

    with stop_requested() as told:
        await run_until(told, hold())
        return not told.is_set()

"""``assistant replay``: plays recorded conversations, and shows where they are not as expected."""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.played_shown import played_shown
from assistant.conversation.entries import Withheld
from assistant.errors import DeclarationError
from assistant.replay.cassette_file import find
from assistant.replay.junit import junit
from assistant.replay.player.stage import Stage, stage_of
from assistant.replay.renewal import renewed
from assistant.replay.suite import AsExpected, Different, Result, Unplayable, play_file
from assistant.replay.told import told
from assistant.settings import load_settings

LIBRARY = Path("tests/conversations")
"""Where conversations are looked for when no path is given."""

DIFFERENT, UNPLAYABLE = 1, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for on the command line."""

    paths: Sequence[Path] = ()
    update: bool = False
    junit: Path | None = None
    show: bool = False


def replay(wishes: Wishes) -> int:
    """Play, and give the exit code: 0 all as expected, 1 something is different, 2 a file cannot be played.

    Raises:
        DeclarationError: a path is not there, or the prompts and tools are wrong.
    """
    set_up_logging("CRITICAL")
    settings = load_settings()
    clock = SystemClock(settings.time_zone)
    files = found(wishes.paths)
    stage = stage_of(settings)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    results: list[Result] = []
    with played_shown(console, len(files)) as show:
        for file in files:
            result = play_file(file, stage, clock)
            if wishes.update and isinstance(result, Different):
                result = _update(result, stage, clock, console)
            show(result)
            results.append(result)
    for result in results:
        if wishes.show or not isinstance(result, AsExpected):
            console.print(f"\n{told(result)}")
    console.print(_summary(results))
    if wishes.junit is not None:
        _write(wishes.junit, junit(results))
    return _code(results)


def found(paths: Sequence[Path]) -> list[Path]:
    """The conversations in these files and folders; without any, those of the library that is here.

    Raises ``DeclarationError`` when there are none.
    """
    if not paths and not LIBRARY.is_dir():
        raise DeclarationError(f"name files or folders; there is no {LIBRARY} here to take without")
    return find(paths or [LIBRARY])


def _update(result: Different, stage: Stage, clock: SystemClock, console: Console) -> Result:
    """Write down what came instead of what was expected to come; what else is wrong stays wrong."""
    was = result.path.read_text(encoding="utf-8")
    now = renewed(was, result.loaded.cassette, result.played)
    if was == now:
        return result
    _write(result.path, now)
    console.print(f"renewed {result.path}")
    for line in _changes(was, now):
        console.print(line)
    return play_file(result.path, stage, clock)


def _changes(was: str, now: str) -> Iterator[str]:
    """What is different in the file, without what surrounds it."""
    for line in difflib.unified_diff(was.splitlines(), now.splitlines(), n=0, lineterm=""):
        if not line.startswith(("---", "+++", "@@")):
            yield f"  {line}"


def _summary(results: Sequence[Result]) -> str:
    """How many were as expected, what the guards kept back, and how long all of it would have taken."""
    counts = Counter(type(result) for result in results)
    played = [result.played for result in results if not isinstance(result, Unplayable)]
    lasted_s = sum(one.frames[-1].at_ms for one in played if one.frames) / 1_000
    guards = Counter(
        logged.entry.guard for one in played for logged in one.entries if isinstance(logged.entry, Withheld)
    )
    parts = [
        f"{counts[AsExpected]} of {len(results)} as expected",
        *([f"{counts[Different]} different"] if counts[Different] else []),
        *([f"{counts[Unplayable]} cannot be played"] if counts[Unplayable] else []),
        f"kept back by the guardrails: {guards['repetition']} repeated, {guards['say_do']} deeds and"
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

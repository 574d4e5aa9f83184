"""``assistant prompts try``: an edited prompt against conversations that were recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from assistant.assembly.folders import Folders
from assistant.commands.logging import set_up_logging
from assistant.commands.replay import LIBRARY
from assistant.errors import DeclarationError
from assistant.prompts.folder import shown
from assistant.replay.document.find import find
from assistant.replay.player.stage import stage_of
from assistant.replay.tryout.compared import Compared, compared
from assistant.replay.tryout.edited import edited_stage, source_named
from assistant.replay.tryout.report import report
from assistant.settings import load_settings

WRONG = 2
"""The exit code when some conversation could not be played; the others were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What was asked for on the command line."""

    name: str
    edit: Path
    paths: Sequence[Path] = ()


def try_edit(wishes: Wishes) -> int:
    """Try, and give the exit code: 0 when it could be tried, 2 when some conversation could not be played.

    Raises:
        DeclarationError: a path or a prompt is not there, or the edit has a mistake.
    """
    set_up_logging("CRITICAL")
    settings = load_settings()
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not wishes.paths and not LIBRARY.is_dir():
        raise DeclarationError(f"name files or folders; there is no {LIBRARY} here to take without")
    files = find(wishes.paths or [LIBRARY])
    today = stage_of(settings)
    source = source_named(wishes.name, today.book.sources)
    edited = edited_stage(today, source, wishes.edit, shown(Folders.of(settings).prompts))
    done: list[Compared] = []
    unplayable: list[str] = []
    for file in files:
        try:
            done.append(compared(file, today, edited))
        except DeclarationError as error:
            unplayable.append(str(error))
    for line in (*report(done, source), *unplayable):
        console.print(line)
    return WRONG if unplayable else 0

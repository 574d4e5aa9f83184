"""A stage on which one prompt is another: the edited file takes the place of the one in the folder."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.prompts.mistakes import mistakes_in
from assistant.prompts.narration import Narration
from assistant.replay.player.stage import Stage

_SUFFIXES = (".j2", ".toml")
_NOT_PLAYED = ("offline_", "simulated_customer.")
"""What only the embedded demo model and simulated customers read: recorded conversations have neither."""


def source_named(name: str, sources: Iterable[str]) -> str:
    """The prompt's file, by its name with or without its ending.

    >>> source_named("narration.de", ["narration.j2", "narration.de.j2"])
    'narration.de.j2'

    Raises ``DeclarationError``, with the names there are, and for a prompt that no recording uses.
    """
    known = [source for source in sources if not source.startswith(_NOT_PLAYED)]
    found = next((source for source in known if name in (source, _short(source))), None)
    if found is not None:
        return found
    if name.startswith(_NOT_PLAYED[0]) or f"{name}.".startswith(_NOT_PLAYED[1]):
        raise DeclarationError(
            f"{name!r} is read by the embedded demo model or by simulated customers, and recorded conversations"
            " have neither; try it with 'assistant prompts render'"
        )
    raise DeclarationError(f"no prompt is called {name!r}; there are: {', '.join(map(_short, known))}")


def edited_stage(stage: Stage, source: str, edit: Path, folder: str) -> Stage:
    """The stage with the text of ``edit`` instead of ``source``; ``folder`` is what errors call the others.

    Raises ``DeclarationError`` for a file that cannot be read, and with ``file:line: what; cure``, a line for
    each mistake, for one that cannot stand there.
    """
    sources = {**stage.book.sources, source: _text(edit)}
    try:
        book = PromptBook(sources, folder)
    except DeclarationError as error:
        here = f"{folder}/{source}:"
        mistakes = mistakes_in(sources, folder, stage.book.sources)
        told = [f"{edit}:{line.removeprefix(here)}" if line.startswith(here) else line for line in mistakes]
        raise DeclarationError("\n".join(told)) from error
    return replace(stage, book=book, narrate=Narration(book).narrate_outcomes, bundle=book.bundle)


def _short(source: str) -> str:
    return next((source.removesuffix(end) for end in _SUFFIXES if source.endswith(end)), source)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{file}:1: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise DeclarationError(f"--edit {file}: cannot be read: {error.strerror}") from error

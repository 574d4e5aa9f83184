"""Finds the tools of a folder, and every mistake in them at once."""

import importlib
import traceback
from pathlib import Path
from typing import cast

from assistant.errors import DeclarationError
from assistant.tooling.declare import DECLARED
from assistant.tooling.mistakes import Mistake, declaration_error, place
from assistant.tooling.package import PACKAGE, anew, open_package
from assistant.tooling.registry import Tools, tool_mistakes
from assistant.tooling.tool import Tool


def discover(folder: Path) -> Tools:
    """Import every ``*.py`` of the folder that does not begin with "_" or "." and take the tools declared there.

    The folder becomes the package ``tools``, wherever it is. Files that were imported before are not read
    again.

    Raises:
        DeclarationError: the folder is missing, or anything in it is wrong: a line for each mistake, as
            ``file:line: tool 'x': what; cure``.
    """
    _must_be_there(folder)
    open_package(folder)
    return _tools_in(folder)


def discover_anew(folder: Path) -> Tools:
    """The same, but with every file read as it stands now. Tools that were found before stay as they were.

    Raises:
        DeclarationError: as ``discover``; then the package ``tools`` is what it was, too.
    """
    _must_be_there(folder)
    with anew(folder):
        return _tools_in(folder)


def _must_be_there(folder: Path) -> None:
    if not folder.is_dir():
        raise DeclarationError(
            f"{folder}: there is no such folder; set ASSISTANT_TOOLS_DIR to the tools' folder"
        )


def _tools_in(folder: Path) -> Tools:
    tools: list[Tool] = []
    mistakes: list[Mistake] = []
    for file in sorted(folder.resolve().glob("*.py")):
        if not file.name.startswith(("_", ".")) and file.is_file():
            found = _tools_of(file)
            if isinstance(found, Mistake):
                mistakes.append(found)
            else:
                tools += found
    mistakes += tool_mistakes(tools)
    if mistakes:
        raise declaration_error(mistakes)
    return Tools(tools)


def _tools_of(file: Path) -> list[Tool] | Mistake:
    if not file.stem.isidentifier():
        return Mistake(
            place(file, 1), f"{file.name!r} cannot be imported; name it in letters and underscores"
        )
    try:
        module = importlib.import_module(f"{PACKAGE}.{file.stem}")
    except SyntaxError as error:
        # A file of our folder that is wrong may be one that this one imports.
        return Mistake(place(error.filename or file, error.lineno or 1), f"cannot be read: {error.msg}")
    except (Exception, SystemExit) as error:
        # Anything may happen in a stranger's file; whatever it is, the other files are still looked at.
        return Mistake(_where(error, file), _what(error))
    return cast("list[Tool]", getattr(module, DECLARED, []))


def _where(error: BaseException, file: Path) -> str:
    """The last line that ran in the tools' folder."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == file.parent
    ]
    return place(frames[-1].filename, frames[-1].lineno or 1) if frames else place(file, 1)


def _what(error: BaseException) -> str:
    if isinstance(error, DeclarationError):
        return str(error)
    if isinstance(error, ImportError):
        return f"cannot import: {error}; install it, or correct the name"
    return f"stops with {type(error).__name__}: {error}; nothing may fail at import"

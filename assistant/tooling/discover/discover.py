"""Finds the tools of a folder, and every mistake in them at once."""

import importlib
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, cast

from assistant.errors import DeclarationError
from assistant.settings import environment
from assistant.tooling.declare.declare import DECLARED
from assistant.tooling.discover.package import PACKAGE, anew, open_package
from assistant.tooling.http.connections import Connections
from assistant.tooling.media import CHANGES, Change
from assistant.tooling.mistakes import Mistake, declaration_error, place
from assistant.tooling.registry import Tools, tool_mistakes
from assistant.tooling.tool import Tool

if TYPE_CHECKING:
    from assistant.tooling.http.tool import HttpTool


MCP_FILE = "mcp.toml"
"""What is written in TOML and declares no HTTP tools: the servers of other makers' tools."""


def discover(folder: Path, connections: Connections | None = None, *, drafts: bool = False) -> Tools:
    """Take the tools of every ``*.py`` and ``*.toml`` of the folder that does not begin with "_" or ".".

    The folder becomes the package ``tools``, wherever it is. Files that were imported before are not read
    again.

    Args:
        folder: where the files are.
        connections: what HTTP tools share; some of their own when left out.
        drafts: those too that nobody has reviewed; they are for trying by hand, never for customers.

    Raises:
        DeclarationError: the folder is missing, or anything in it is wrong: a line for each mistake, as
            ``file:line: tool 'x': what; cure``.
    """
    _must_be_there(folder)
    open_package(folder)
    return _tools_in(folder, connections, drafts=drafts)


def discover_anew(
    folder: Path,
    connections: Connections | None = None,
    importing: Callable[[Path], None] = lambda _: None,
) -> Tools:
    """The same, but with every file read as it stands now. Tools that were found before stay as they were.

    ``importing`` is called with each file that is imported next.

    Raises:
        DeclarationError: as ``discover``; then the package ``tools`` is what it was, too.
    """
    _must_be_there(folder)
    with anew(folder):
        return _tools_in(folder, connections, importing=importing)


def _must_be_there(folder: Path) -> None:
    if not folder.is_dir():
        raise DeclarationError(
            f"{folder}: there is no such folder; set ASSISTANT_TOOLS_DIR to the tools' folder"
        )


def _tools_in(
    folder: Path,
    connections: Connections | None,
    *,
    drafts: bool = False,
    importing: Callable[[Path], None] = lambda _: None,
) -> Tools:
    tools: list[Tool] = []
    changes: list[Change] = []
    mistakes: list[Mistake] = []
    for file in _files(folder, "*.py"):
        importing(file)
        found = _module_of(file)
        if isinstance(found, Mistake):
            mistakes.append(found)
        else:
            tools += cast("list[Tool]", getattr(found, DECLARED, []))
            changes += cast("list[Change]", getattr(found, CHANGES, []))
    http = _http_tools(folder, connections or Connections(), mistakes)
    mistakes += tool_mistakes([*tools, *http])
    if mistakes:
        raise declaration_error(mistakes)
    return Tools([*tools, *(tool for tool in http if drafts or not tool.draft)], changes)


def _http_tools(folder: Path, connections: Connections, mistakes: list[Mistake]) -> "list[HttpTool]":
    files = [file for file in _files(folder, "*.toml") if file.name != MCP_FILE]
    if not files:
        return []
    # Whoever writes tools in Python alone should not wait for what checks the others.
    from assistant.tooling.http.read_file import read_http_file

    secrets = environment()
    read = [read_http_file(file, connections, secrets) for file in files]
    mistakes += [mistake for each in read for mistake in each.mistakes]
    return [tool for each in read for tool in each.tools]


def _files(folder: Path, kind: str) -> list[Path]:
    """The files of a kind that are looked at, by name."""
    found = sorted(folder.resolve().glob(kind))
    return [file for file in found if not file.name.startswith(("_", ".")) and file.is_file()]


def _module_of(file: Path) -> ModuleType | Mistake:
    if not file.stem.isidentifier():
        return Mistake(
            place(file, 1), f"{file.name!r} cannot be imported; name it in letters and underscores"
        )
    try:
        return importlib.import_module(f"{PACKAGE}.{file.stem}")
    except SyntaxError as error:
        # A file of our folder that is wrong may be one that this one imports.
        return Mistake(place(error.filename or file, error.lineno or 1), f"cannot be read: {error.msg}")
    except BaseException as error:
        # Anything may happen in a stranger's file; whatever it is, the other files are still looked at.
        return Mistake(_where(error, file), _what(error))


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

"""Finds the tools in a folder, and reports all mistakes together.

The folder becomes the package ``tools``. Its files are first imported in a separate process, so that code
that never returns, or that ends the process, cannot harm this one.

With several tenants, each has a package such as ``tools@acme``. Its own modules see it as ``tools``, so that
their files look like those of a single company.
"""

import builtins
import faulthandler
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any, Final, NoReturn, cast

from assistant.errors import DeclarationError
from assistant.settings_sources import environment
from assistant.tools.declaration_errors import Mistake, declaration_error, source_location
from assistant.tools.decorator import DECLARED
from assistant.tools.http.service import Connections
from assistant.tools.media import CHANGES, Change
from assistant.tools.registry import Tools, tool_mistakes
from assistant.tools.tool import Tool

if TYPE_CHECKING:
    from assistant.tools.http.tool import HttpTool


class SourceFinder(MetaPathFinder):
    """Finds the modules of one package in its folder.

    It ignores Python's bytecode cache, which compares only the size and the second of the last change, and
    would miss the second of two quick edits.
    """

    def __init__(self, package: str) -> None:
        self.package, self._prefix = package, f"{package}."

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Returns the module's spec, or None for modules of other packages, and for missing modules."""
        if not fullname.startswith(self._prefix):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(fullname, str(spec.loader.path))
        return spec


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        """Run the module. A tenant's module finds its own package under the name ``tools``."""
        package = self.name.partition(".")[0]
        if package != PACKAGE:
            vars(module)["__builtins__"] = {**vars(builtins), "__import__": partial(_import_in, package)}
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the import system's signature
        """Returns the compiled module."""
        return self.source_to_code(self.get_data(self.path), self.path)


def _import_in(package: str, name: str, *rest: Any, **named: Any) -> ModuleType:
    """Returns the function behind ``import`` in a module of this package."""
    if name.partition(".")[0] == PACKAGE:
        name = f"{package}{name.removeprefix(PACKAGE)}"
    return builtins.__import__(name, *rest, **named)


PACKAGE = "tools"

_KEPT = "__set_aside__"


def package_of(tenant: str | None) -> str:
    """Returns the name of the package with a tenant's tools. For the tenant None, this is the package of a
    single company.
    """
    return PACKAGE if tenant is None else f"{PACKAGE}@{tenant}"


def open_package(folder: Path, package: str = PACKAGE) -> None:
    """Make this package the folder, for ``from tools import _crm`` and for our own imports.

    Modules that were already imported from the folder stay. Modules of another folder are set aside, and
    return when that folder is opened again, because a process may test the tools of several folders.
    """
    path = str(folder.resolve())
    current = sys.modules.get(package)
    if current is not None and _folder_of(current) == path:
        return
    aside: dict[str, dict[str, ModuleType]] = getattr(current, _KEPT, {})
    if current is not None:
        aside[_folder_of(current)] = _taken_out(package)
    _put_in(aside.pop(path, None) or {package: _package(path, package)}, aside, package)
    if package != PACKAGE and not any(_finds(finder, package) for finder in sys.meta_path):
        sys.meta_path.insert(0, SourceFinder(package))


@contextmanager
def reopened_package(folder: Path, package: str = PACKAGE) -> Generator[None]:
    """Open the package, and read each file of the folder again inside of the block.

    Code with references to earlier modules can continue to use them. If the block raises, ``tools`` means the
    earlier modules again.
    """
    open_package(folder, package)
    aside: dict[str, dict[str, ModuleType]] = getattr(sys.modules[package], _KEPT, {})
    before = _taken_out(package)
    _put_in({package: _package(str(folder.resolve()), package)}, aside, package)
    finder = SourceFinder(package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    except BaseException:
        _taken_out(package)
        _put_in(before, aside, package)
        raise
    finally:
        sys.meta_path.remove(finder)


def _finds(finder: object, package: str) -> bool:
    return isinstance(finder, SourceFinder) and finder.package == package


def _put_in(modules: dict[str, ModuleType], aside: dict[str, dict[str, ModuleType]], package: str) -> None:
    importlib.invalidate_caches()
    sys.modules.update(modules)
    setattr(sys.modules[package], _KEPT, aside)


def _package(path: str, name: str) -> ModuleType:
    package = ModuleType(name, "The CRM team's tools.")
    package.__path__ = [path]
    return package


def _folder_of(package: ModuleType) -> str:
    return str(Path(next(iter(package.__path__), "")).resolve())


def _taken_out(package: str) -> dict[str, ModuleType]:
    names = [name for name in tuple(sys.modules) if name.split(".")[0] == package]
    return {name: sys.modules.pop(name) for name in names}


MCP_FILE = "mcp.toml"
"""The TOML file that declares no HTTP tools, but the MCP servers."""


def discover(
    folder: Path,
    connections: Connections | None = None,
    *,
    drafts: bool = False,
    package: str = PACKAGE,
    secrets: Mapping[str, str] | None = None,
) -> Tools:
    """Load the tools of each ``*.py`` and ``*.toml`` file of the folder whose name does not begin with "_" or
    ".".

    The folder becomes the package ``tools``, wherever it is. Files that were imported before are not read
    again.

    Args:
        folder: the folder with the files.
        connections: the connections that HTTP tools share; by default new ones.
        drafts: include tools that are not reviewed yet. Only for manual tests, never for customers.
        package: the package that the folder becomes.
        secrets: the variables that HTTP tools may use; by default the environment.

    Raises:
        DeclarationError: the folder is missing, or a file has mistakes: one line for each,
            ``file:line: tool 'x': problem; what would be right``.
    """
    _must_be_there(folder)
    open_package(folder, package)
    return _tools_in(folder, connections, package, secrets, drafts=drafts)


def rediscover(
    folder: Path,
    connections: Connections | None = None,
    importing: Callable[[Path], None] = lambda _: None,
    *,
    package: str = PACKAGE,
    secrets: Mapping[str, str] | None = None,
) -> Tools:
    """Load the tools, and read each file again. Tools that were found before do not change.

    ``importing`` is called with each file before its import.

    Raises:
        DeclarationError: see :func:`discover`. Then the package ``tools`` is unchanged, too.
    """
    _must_be_there(folder)
    with reopened_package(folder, package):
        return _tools_in(folder, connections, package, secrets, importing=importing)


def _must_be_there(folder: Path) -> None:
    if not folder.is_dir():
        raise DeclarationError(
            f"{folder}: there is no such folder; set ASSISTANT_TOOLS_DIR to the tools' folder"
        )


def _tools_in(
    folder: Path,
    connections: Connections | None,
    package: str,
    secrets: Mapping[str, str] | None,
    *,
    drafts: bool = False,
    importing: Callable[[Path], None] = lambda _: None,
) -> Tools:
    _refuse_exit_to(package)
    tools: list[Tool] = []
    changes: list[Change] = []
    mistakes: list[Mistake] = []
    for file in _files(folder, "*.py"):
        importing(file)
        found = _module_of(file, package)
        if isinstance(found, Mistake):
            mistakes.append(found)
        else:
            tools += cast("list[Tool]", getattr(found, DECLARED, []))
            changes += cast("list[Change]", getattr(found, CHANGES, []))
    http = _http_tools(folder, connections or Connections(), secrets, mistakes)
    mistakes += tool_mistakes([*tools, *http])
    if mistakes:
        raise declaration_error(mistakes)
    return Tools([*tools, *(tool for tool in http if drafts or not tool.draft)], changes)


def _http_tools(
    folder: Path, connections: Connections, secrets: Mapping[str, str] | None, mistakes: list[Mistake]
) -> "list[HttpTool]":
    files = [file for file in _files(folder, "*.toml") if file.name != MCP_FILE]
    if not files:
        return []
    # Import the module for HTTP tools only if there are any.
    from assistant.tools.http.tool import read_http_file

    secrets = environment() if secrets is None else secrets
    read = [read_http_file(file, connections, secrets) for file in files]
    mistakes += [mistake for each in read for mistake in each.mistakes]
    return [tool for each in read for tool in each.tools]


_REAL_EXIT: Final = os._exit
_guarded: set[str] = set()
_process = 0


def _refuse_exit_to(package: str) -> None:
    """From now on ``os._exit`` raises ``RuntimeError`` if a function of ``package``, a company's tools, is among
    its callers, even if a library calls it for that function.

    ``os._exit`` would stop the whole server, with the conversations of all customers, without an error message.
    """
    global _process
    _process = os.getpid()
    _guarded.add(package)
    os._exit = _exit_unless_guarded


def _exit_unless_guarded(status: int) -> NoReturn:
    frame = sys._getframe(1)
    while frame is not None and os.getpid() == _process:  # a process of a tool's own may end
        if str(frame.f_globals.get("__name__")).partition(".")[0] in _guarded:
            raise RuntimeError(f"os._exit({status}) would end the whole process; raise an exception instead")
        frame = frame.f_back
    _REAL_EXIT(status)


def _files(folder: Path, kind: str) -> list[Path]:
    """Returns the files with this suffix that may contain tools, sorted by name."""
    found = sorted(folder.resolve().glob(kind))
    return [file for file in found if not file.name.startswith(("_", ".")) and file.is_file()]


def _module_of(file: Path, package: str) -> ModuleType | Mistake:
    if not file.stem.isidentifier():
        return Mistake(
            source_location(file, 1), f"{file.name!r} cannot be imported; name it in letters and underscores"
        )
    try:
        return importlib.import_module(f"{package}.{file.stem}")
    except SyntaxError as error:
        # A wrong file of the folder may be imported by another one.
        return Mistake(
            source_location(error.filename or file, error.lineno or 1), f"cannot be read: {error.msg}"
        )
    except BaseException as error:
        # A file may raise anything. The other files are loaded in any case.
        return Mistake(_where(error, file), _what(error))


def _where(error: BaseException, file: Path) -> str:
    """Returns the last line that ran in the tools' folder."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == file.parent
    ]
    return (
        source_location(frames[-1].filename, frames[-1].lineno or 1) if frames else source_location(file, 1)
    )


def _what(error: BaseException) -> str:
    if isinstance(error, DeclarationError):
        return str(error)
    if isinstance(error, ImportError):
        return f"cannot import: {error}; install it, or correct the name"
    return f"stops with {type(error).__name__}: {error}; nothing may fail at import"


STARTS_S: Final = 10.0
"""The time limit for the start of the process, in addition to the time for the files."""

_CHILD: Final = (
    "import json, sys; given = json.loads(sys.argv[1]); sys.path[:] = given.pop('sys_path');"
    "from assistant.tools.discovery import try_import; try_import(**given)"
)
_TOO_LONG: Final = "stops with TookTooLong: it takes too long; nothing may fail at import"
_LONGEST_REPORT: Final = 1024 * 1024


def import_problem(
    folder: Path, longest_s: float, *, package: str = PACKAGE, secrets: Mapping[str, str] | None = None
) -> str | None:
    """Import a folder of tools in another process, and return its mistakes, one on each line.

    Returns None if there are no mistakes, so that this process may import the folder. After ``longest_s`` the
    other process is killed, with its process group.
    """
    if sys.platform == "win32":
        return None
    with tempfile.TemporaryFile() as report:
        given = {
            "folder": str(folder.resolve()),
            "longest_s": longest_s,
            "report": report.fileno(),
            "sys_path": sys.path,
            "package": package,
        }
        child = subprocess.Popen(  # noqa: S603 - our own interpreter, and our own code
            [sys.executable, "-c", _CHILD, json.dumps(given)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[report.fileno()],
            start_new_session=True,
            env=None
            if secrets is None
            else dict(secrets),  # not in the arguments, which other users can read
        )
        try:
            child.wait(STARTS_S + longest_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            code = child.poll()
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
        report.seek(0)
        return _read(report.read(_LONGEST_REPORT).decode(errors="replace"), code, folder.resolve())


def try_import(folder: str, longest_s: float, report: int, package: str) -> None:
    """Runs in the other process: imports the folder, writes the result to ``report``, and exits."""
    # faulthandler also works for a loop that never returns to Python, and for a crash.
    faulthandler.enable(report)
    faulthandler.dump_traceback_later(longest_s, exit=True, file=report)
    _write(report, begun=folder)
    try:
        rediscover(Path(folder), importing=lambda file: _write(report, begun=str(file)), package=package)
        problem = None
    except DeclarationError as error:
        problem = str(error)
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
    faulthandler.cancel_dump_traceback_later()
    _write(report, ended=True, problem=problem)
    # Exit without waiting for threads that the files may have started.
    os._exit(0)


def _write(report: int, **line: object) -> None:
    os.write(report, f"{json.dumps(line)}\n".encode())


def _read(report: str, code: int | None, folder: Path) -> str | None:
    """Parse the report: lines of JSON, and maybe the stack at which Python was stopped."""
    at, dumped = folder, ""
    for line in report.splitlines():
        if not line.startswith("{"):
            dumped += f"{line}\n"
            continue
        told = cast("dict[str, object]", json.loads(line))
        if told.get("ended"):
            return cast("str | None", told["problem"])
        at = Path(str(told["begun"]))
    where = _last_line(dumped, folder) or source_location(at, 1)
    took_too_long = code is None or dumped.startswith("Timeout")
    return str(
        Mistake(where, _TOO_LONG if took_too_long else f"{_ending(code or 0)}; nothing may fail at import")
    )


def _ending(code: int) -> str:
    return f"ends the process with code {code}" if code >= 0 else f"ends the process by signal {-code}"


def _last_line(dumped: str, folder: Path) -> str | None:
    """Returns the innermost line of the folder's files in the stack of the main thread, which is written
    last.
    """
    _, _, stack = (
        dumped.rpartition("Current thread") if "Current thread" in dumped else dumped.rpartition("Thread ")
    )
    # faulthandler escapes non-ASCII characters.
    prefix = f"{folder}{os.sep}".encode("ascii", "backslashreplace").decode()
    for file, line in re.findall(r'File "(.*)", line (\d+)', stack):
        if file.startswith(prefix):
            return source_location(folder / file.removeprefix(prefix), int(line))
    return None

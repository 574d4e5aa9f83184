"""Imports the tools' files in a process of their own first: it can be given up, whatever they do at import."""

import faulthandler
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

from assistant.errors import DeclarationError
from assistant.tooling.mistakes import Mistake, place

STARTS_S: Final = 10.0
"""How long the process may take until it begins, besides the time for the files."""

_CHILD: Final = (
    "import json, sys; given = json.loads(sys.argv[1]); sys.path[:] = given.pop('sys_path');"
    "from assistant.tooling.discover.trial import try_import; try_import(**given)"
)
_TOO_LONG: Final = "stops with TookTooLong: it takes too long; nothing may fail at import"
_LONGEST_REPORT: Final = 1024 * 1024


def import_problem(folder: Path, longest_s: float) -> str | None:
    """What is wrong with a folder of tools, a line for each mistake, after all of it was imported elsewhere.

    None: nothing, so it may be imported here. The other process is killed with all that it started in its
    group when it takes longer than ``longest_s``.
    """
    if sys.platform == "win32":
        return None
    with tempfile.TemporaryFile() as report:
        given = {
            "folder": str(folder.resolve()),
            "longest_s": longest_s,
            "report": report.fileno(),
            "sys_path": sys.path,
        }
        child = subprocess.Popen(  # noqa: S603 - our own interpreter, and our own code
            [sys.executable, "-c", _CHILD, json.dumps(given)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[report.fileno()],
            start_new_session=True,
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


def try_import(folder: str, longest_s: float, report: int) -> None:
    """The other process: import the folder, write to ``report`` what came of it, and end."""
    from assistant.tooling.discover.discover import discover_anew

    # Written without Python's help: also by a loop that never returns to Python, or a crash.
    faulthandler.enable(report)
    faulthandler.dump_traceback_later(longest_s, exit=True, file=report)
    _write(report, begun=folder)
    try:
        discover_anew(Path(folder), importing=lambda file: _write(report, begun=str(file)))
        problem = None
    except DeclarationError as error:
        problem = str(error)
    except BaseException as error:
        problem = f"{type(error).__name__}: {error}"
    faulthandler.cancel_dump_traceback_later()
    _write(report, ended=True, problem=problem)
    # Not waiting for threads that the files may have started.
    os._exit(0)


def _write(report: int, **line: object) -> None:
    os.write(report, f"{json.dumps(line)}\n".encode())


def _read(report: str, code: int | None, folder: Path) -> str | None:
    """What the report says: lines of JSON, and after them, if it came to that, where Python was stopped."""
    at, dumped = folder, ""
    for line in report.splitlines():
        if not line.startswith("{"):
            dumped += f"{line}\n"
            continue
        told = cast("dict[str, object]", json.loads(line))
        if told.get("ended"):
            return cast("str | None", told["problem"])
        at = Path(str(told["begun"]))
    where = _last_line(dumped, folder) or place(at, 1)
    took_too_long = code is None or dumped.startswith("Timeout")
    return str(
        Mistake(where, _TOO_LONG if took_too_long else f"{_ending(code or 0)}; nothing may fail at import")
    )


def _ending(code: int) -> str:
    return f"ends the process with code {code}" if code >= 0 else f"ends the process by signal {-code}"


def _last_line(dumped: str, folder: Path) -> str | None:
    """The innermost line of the folder's files in the stack of the main thread, which is written last."""
    _, _, stack = (
        dumped.rpartition("Current thread") if "Current thread" in dumped else dumped.rpartition("Thread ")
    )
    # It writes what is not ASCII so.
    prefix = f"{folder}{os.sep}".encode("ascii", "backslashreplace").decode()
    for file, line in re.findall(r'File "(.*)", line (\d+)', stack):
        if file.startswith(prefix):
            return place(folder / file.removeprefix(prefix), int(line))
    return None

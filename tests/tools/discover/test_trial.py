"""The tools' files are first imported in another process, which can be killed."""

import time
from pathlib import Path

from assistant.tools.discovery import import_problem
from tests.tools.conftest import Folder

GOOD = '''
from assistant import tool

@tool(waiting_hint="counting your points")
def count_points() -> int:
    """Count points."""
    return 1
'''


def test_a_correct_folder_has_no_problem(folder: Folder) -> None:
    assert import_problem(folder(points=GOOD), 20) is None


def test_all_mistakes_are_reported_as_in_our_own_process(folder: Folder) -> None:
    place = folder(points=GOOD, twice=GOOD, broken="def f(:\n", stops="\nraise KeyboardInterrupt\n")

    assert [line.removeprefix(f"{place.resolve()}/")[:12] for line in _lines(place)] == [
        "broken.py:1:",
        "stops.py:2: ",
        "twice.py:4: ",
    ]


def test_an_endless_loop_is_reported_with_its_line_and_its_process_ends(tmp_path: Path) -> None:
    # A name that is written otherwise in a stack that C code has written.
    place = tmp_path / "Jürgens Wörkzeuge €"
    place.mkdir()
    pid = place / "pid"
    (place / "_helper.py").write_text(
        f"import os\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\nwhile True:\n    sum(range(10**12))\n"
    )
    (place / "points.py").write_text("from tools import _helper\n")

    assert _lines(place, 0.4) == [
        f"{place}/_helper.py:4: stops with TookTooLong: it takes too long; nothing may fail at import"
    ]
    assert not Path(f"/proc/{pid.read_text()}").exists()


def test_remaining_processes_are_killed(tmp_path: Path, folder: Folder) -> None:
    pid = tmp_path / "pid"
    place = folder(
        points="import subprocess, sys\n"
        f"child = subprocess.Popen(['sleep', '60'])\nopen({str(pid)!r}, 'w').write(str(child.pid))\n"
    )

    assert _lines(place) == []
    until = time.monotonic() + 5
    while _runs(pid.read_text()):
        assert time.monotonic() < until


def _lines(place: Path, longest_s: float = 20) -> list[str]:
    return (import_problem(place, longest_s) or "").splitlines()


def _runs(pid: str) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"

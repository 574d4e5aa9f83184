"""pytest finds recorded conversations by itself, wherever the package is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.replay.cassette_files import GOOD, UNREADABLE, written


@pytest.mark.slow
def test_each_conversation_is_a_test_and_fails_readably(tmp_path: Path) -> None:
    written(tmp_path, "greeting", GOOD)
    written(tmp_path, "late", GOOD.replace("within_ms: 305", "within_ms: 299"))
    written(tmp_path, "nobody", UNREADABLE)
    (tmp_path / "notes.yaml").write_text("no conversation", encoding="utf-8")

    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:cov",
            "-q",
            "-rA",
            "--junitxml",
            "results.xml",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert 'failures="2" skipped="0" tests="3"' in (tmp_path / "results.xml").read_text(encoding="utf-8")
    shown = ran.stdout.splitlines()
    assert "PASSED greeting.conversation.yaml::greeting" in shown
    assert "1 passed" in shown[-1]
    assert "2 failed" in shown[-1]
    assert "____ conversation: late ____" in ran.stdout
    assert ">     300 ms  response         Good morning." in shown
    assert "nobody.conversation.yaml: cannot be played" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "suite.py" not in ran.stdout  # the way there is of no interest

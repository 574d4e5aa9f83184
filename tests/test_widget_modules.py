"""The widget's modules that need no browser, tested under Node."""

import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).parents[1] / "web"
NODE = Path(sys.prefix) / "bin" / "node"


def test_the_modules_without_dom_pass_their_tests() -> None:
    files = sorted(WEB.glob("tests/*.test.js"))
    assert files
    done = subprocess.run([NODE, "--test", *files], capture_output=True, text=True, timeout=120, check=False)

    assert done.returncode == 0, done.stdout + done.stderr

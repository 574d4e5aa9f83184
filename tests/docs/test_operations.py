"""An operator's day, by the commands of the operations page."""

import json
import re
import shlex
import subprocess
import sys
import urllib.request

import pytest

from tests.docs.conftest import Checkout
from tests.docs.pages import page

pytestmark = pytest.mark.slow

OPERATIONS = page("docs/guides/operations.md")


def _command(containing: str) -> list[str]:
    """What Python runs for the one command with these words in it."""
    (block,) = [block for block in OPERATIONS.blocks("sh") if containing in block]
    program, *words = shlex.split(block)
    assert program in {"assistant", "python"}
    return words if program == "python" else ["-m", "assistant", *words]


def test_it_reports_its_address_readiness_and_health(checkout: Checkout) -> None:
    (ready,) = [block for block in OPERATIONS.blocks("") if block.startswith("Meanwhile")]
    (health,) = OPERATIONS.blocks("json")
    command = [*_command("serve --port 8000"), "--port", "0"]
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=checkout.folder,
        env=checkout.environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            said = server.stdout.readline()
            (address,) = re.findall(r"http://127\.0\.0\.1:\d+", said)
            with urllib.request.urlopen(f"{address}/healthz", timeout=10) as answer:
                body = json.load(answer)
        finally:
            server.terminate()

    assert said == ready.replace("http://127.0.0.1:8000", address)
    assert body == json.loads(health)


def test_a_conversation_can_be_inspected_and_restored(checkout: Checkout) -> None:
    checkout.chat("When are you open?")

    entries = checkout.run(*_command("SELECT")).stdout

    assert re.search(r"customer_message .*When are you open\?", entries)
    saved = checkout.run("-m", "assistant", "backup", "saved")
    assert saved.returncode == 0, saved.stderr
    (checkout.folder / "data").rename(checkout.folder / "lost")
    restored = checkout.run("-m", "assistant", "restore", "saved")
    assert restored.returncode == 0, restored.stderr
    assert checkout.run(*_command("SELECT")).stdout == entries
    assert {file.name for file in (checkout.folder / "data").iterdir()} > {"log.db", "secret"}


def test_how_long_the_start_takes_can_be_measured(checkout: Checkout) -> None:
    measured = checkout.run(*_command("ready after"))

    assert measured.returncode == 0, measured.stderr
    assert re.fullmatch(
        r"ready after [\d.]+ s\n[\d.]+ s of processor time, \d+ MiB at the most\n", measured.stdout
    )
    assert not (checkout.folder / "data" / "log.db-wal").exists()

"""A company's own project, from the wheel alone, in an empty folder: created, tested, served."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest
from websockets.sync.client import connect
from websockets.typing import Subprotocol

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """An environment in which the package is what the wheel holds; the libraries are those that are there."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (wheel,) = folder.glob("*.whl")
    with ZipFile(wheel) as opened:
        opened.extractall(folder / "site")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ASSISTANT_", "COV"))}
    return {**kept, "PYTHONPATH": str(folder / "site"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="module")
def project(installed: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    empty = tmp_path_factory.mktemp("empty")
    run(installed, empty, "-m", "assistant", "new", "shop")
    return empty / "shop"


def run(environment: Mapping[str, str], folder: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_package_comes_from_the_wheel(installed: Mapping[str, str], project: Path) -> None:
    place = run(installed, project, "-c", "import assistant; print(assistant.__file__)")

    assert place.startswith(installed["PYTHONPATH"])


def test_its_tests_pass_and_so_does_a_new_tools_test(installed: Mapping[str, str], project: Path) -> None:
    run(installed, project, "-m", "assistant", "tools", "new", "track_refund")

    assert "7 passed" in run(installed, project, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_it_is_served_and_answers(installed: Mapping[str, str], project: Path) -> None:
    command = [sys.executable, "-m", "assistant", "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=project, env=installed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        ready = next(line for line in server.stdout if "Meanwhile is ready: " in line)
        address = ready.partition("ready: ")[2].partition(" ")[0].rstrip("/")
        try:
            told = answered(f"{address.replace('http', 'ws', 1)}/v1/ws", "Where is my parcel?")
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=30)

    assert "track your parcel" in told["acknowledgement"]
    assert "Your parcel P1001, a blue kettle, is on its way." in told["response"]
    assert (project / "data" / "log.db").is_file()


def answered(address: str, text: str) -> dict[str, str]:
    """Say something; each kind of message that comes of it."""
    told: dict[str, str] = {}
    with connect(address, subprotocols=[Subprotocol("meanwhile.v1")], proxy=None, open_timeout=30) as line:
        line.send(json.dumps({"type": "hello"}))
        line.send(json.dumps({"type": "message", "id": "m1", "text": text}))
        while (frame := json.loads(line.recv(timeout=30)))["type"] != "turn.completed":
            if frame["type"] == "message.completed":
                told[frame["kind"]] = frame["text"]
    return told

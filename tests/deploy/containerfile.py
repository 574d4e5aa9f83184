"""Reads a Containerfile, and runs its steps in a folder that represents the image's file system."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy" / "Containerfile"


@dataclass(frozen=True, slots=True)
class Step:
    """One instruction, such as ``RUN`` and what it runs."""

    name: str
    words: str

    @property
    def arguments(self) -> list[str]:
        """The words; of a JSON list, its items."""
        return list(json.loads(self.words)) if self.words.startswith("[") else self.words.split()


@dataclass(slots=True)
class Stage:
    """What begins with ``FROM``."""

    base: str
    steps: list[Step] = field(default_factory=list[Step])

    def all(self, name: str) -> list[Step]:
        """The instructions of a kind, in order."""
        return [step for step in self.steps if step.name == name]

    def one(self, name: str) -> Step:
        """The only instruction of a kind."""
        (step,) = self.all(name)
        return step


def read_containerfile(file: Path = FILE) -> list[Stage]:
    """The stages of a Containerfile. Text before the first ``FROM`` is left out."""
    text = re.sub(r"\\\n\s*", " ", file.read_text())
    stages: list[Stage] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, _, words = line.partition(" ")
        if name == "FROM":
            stages.append(Stage(words))
        elif stages:
            stages[-1].steps.append(Step(name, words.strip()))
    return stages


PREFIXES = ("/opt/meanwhile", "/var/lib/meanwhile", "/app")
"""The absolute paths that the steps name."""


def below(root: Path, words: str) -> str:
    """These words, with the image's paths below ``root``."""
    for prefix in PREFIXES:
        words = re.sub(rf"(?<![\w/]){prefix}(?![\w-])", f"{root}{prefix}", words)
    return words


def copy(step: Step, context: Path, workdir: Path) -> None:
    """Do a ``COPY`` from the build's context."""
    *sources, target = step.arguments
    into = workdir / target
    for source in sources:
        origin = context / source
        if origin.is_dir():
            shutil.copytree(origin, into, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            into.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, into / origin.name)


def run(step: Step, root: Path, workdir: Path) -> None:
    """Do a ``RUN`` with this environment's Python, below ``root``."""
    command = below(root, step.words)
    # The image's own Python is the one that runs the tests.
    path = f"{Path(sys.executable).parent}:/usr/sbin:/usr/bin:/sbin:/bin"
    environment = {
        "PATH": path,
        "HOME": str(root),
        "PIP_NO_CACHE_DIR": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    done = subprocess.run(
        ["/bin/sh", "-ec", command], cwd=workdir, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def installs_from_lock(step: Step) -> Sequence[str]:
    """The lock files from which a ``RUN`` installs packages; empty for other steps."""
    return re.findall(r"-r (\S+\.lock)", step.words)

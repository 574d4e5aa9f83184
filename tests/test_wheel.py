"""The wheel contains everything for running, and nothing for building and testing."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SHIPPED = {
    "prompts": "prompts",
    "knowledge": "knowledge",
    "tools": "tools",
    "policies": "policies",
    "tests/tasks": "tasks",
    "web/dist": "web/dist",
    "web/page": "web/page",
    **{
        f"docs/{folder}": f"docs/{folder}"
        for folder in ("start", "guides", "reference", "explanation", "lab")
    },
}
"""Each folder of the project, and what it is called among the package's defaults."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The names of the files in it."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (built,) = folder.glob("*.whl")
    with ZipFile(built) as opened:
        return frozenset(opened.namelist())


def _files(folder: Path) -> set[str]:
    """All files of a folder that people wrote, as paths relative to it."""
    files = (file.relative_to(folder) for file in folder.rglob("*") if file.is_file())
    return {file.as_posix() for file in files if "__pycache__" not in file.parts}


def test_the_package_is_in_it_with_its_data(wheel: frozenset[str]) -> None:
    ours = {name for name in wheel if name.startswith("assistant/") and "/defaults/" not in name}

    assert ours == {f"assistant/{name}" for name in _files(ROOT / "assistant")}


@pytest.mark.parametrize(("folder", "inside"), SHIPPED.items())
def test_replaceable_folders_are_in_it_as_defaults(wheel: frozenset[str], folder: str, inside: str) -> None:
    begins = f"assistant/defaults/{inside}/"

    assert {name.removeprefix(begins) for name in wheel if name.startswith(begins)} == _files(ROOT / folder)


def test_it_contains_nothing_else_but_licences_and_metadata(wheel: frozenset[str]) -> None:
    places = tuple(f"assistant/defaults/{inside}/" for inside in SHIPPED.values())
    others = {
        name
        for name in wheel
        if not name.startswith(places)
        and name != "assistant/defaults/docs/README.md"
        and (not name.startswith("assistant/") or "/defaults/" in name)
    }

    assert {name.partition(".dist-info/")[2] for name in others} == {
        "METADATA",
        "WHEEL",
        "RECORD",
        "entry_points.txt",
        "licenses/LICENSE",
        "licenses/NOTICE",
    }

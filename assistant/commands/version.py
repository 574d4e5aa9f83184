"""Which release this is."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

NAME = "meanwhile-assistant"
_PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def release(name: str = NAME) -> str:
    """The number of the release that is installed; in a checkout that is not, the checkout's own."""
    try:
        return version(name)
    except PackageNotFoundError:
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])

"""The cassettes of tests/conversations, by name."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from assistant.replay.cassette_file import SUFFIX, find


def cassettes_in(folder: Path) -> Mapping[str, Path]:
    """The files in this folder and its subfolders, by name without the file extension."""
    return {path.name.removesuffix(SUFFIX): path for path in find([folder])}


CASSETTES: Final = cassettes_in(Path(__file__).parents[1] / "conversations")

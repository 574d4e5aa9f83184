"""Finds cassettes by their files and folders."""

from collections.abc import Sequence
from pathlib import Path

from assistant.errors import DeclarationError

SUFFIX = ".conversation.yaml"
"""What a cassette's file is called, after its own name."""


def find(paths: Sequence[Path]) -> list[Path]:
    """The cassettes in these files and folders, each once; those of a folder by name, at any depth.

    A file that is named is taken whatever it is called.

    Raises:
        DeclarationError: a path that is not there, or a folder without cassettes; a line for each.
    """
    found: dict[Path, None] = {}
    problems: list[str] = []
    for path in paths:
        files = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path] if path.exists() else []
        found.update(dict.fromkeys(files))
        if not path.exists():
            problems.append(f"{path}: there is no such file or folder")
        elif not files:
            problems.append(
                f"{path}: there are no conversations in this folder; they stand in files *{SUFFIX}"
            )
    if problems:
        raise DeclarationError("\n".join(problems))
    return list(found)

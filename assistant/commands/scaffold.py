"""Writes files from the templates that come with the package, over nothing that is there."""

import os
from collections.abc import Mapping
from pathlib import Path

from assistant.errors import DeclarationError

_TEMPLATES = Path(__file__).parents[1] / "scaffolds"


def filled(folder: str, values: Mapping[str, str]) -> dict[Path, str]:
    """The texts of a folder of templates, by the path that each is written to.

    ``values`` are what ``__NAME__`` and its like become, by name in lower case.
    """
    root = _TEMPLATES / folder
    return {
        _target(file.relative_to(root)): _fill(file.read_text(encoding="utf-8"), values)
        for file in sorted(root.rglob("*.txt"))
    }


def write_new(files: Mapping[Path, str]) -> None:
    """Write all of them, or none: raises ``DeclarationError`` when one is there already, or cannot be written."""
    there = [str(file) for file in files if os.path.lexists(file)]
    if there:
        raise DeclarationError(f"{', '.join(there)}: there already; nothing was written, choose another name")
    written: list[Path] = []
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as new:
                written.append(file)
                new.write(text)
    except OSError as error:
        for file in written:
            file.unlink(missing_ok=True)
        where = error.filename or written[-1]
        raise DeclarationError(f"{where}: cannot be written: {error.strerror}; no file was left") from error


def _target(template: Path) -> Path:
    """What a template becomes: ``dot-env.example.txt`` is ``.env.example``."""
    name = template.name.removesuffix(".txt")
    return template.with_name(f".{name.removeprefix('dot-')}" if name.startswith("dot-") else name)


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"__{name.upper()}__", value)
    return text

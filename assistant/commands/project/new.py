"""``assistant new``: a project for a company, written from the package's templates."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import typer

from assistant.errors import DeclarationError

_TEMPLATES = Path(__file__).parents[2] / "scaffolds"


_SHIPPED_COMPANY = "Willow & Finch"
_STARTERS = ("Where is my parcel?", "Wo ist mein Paket?")
"""The subject of the new project's one tool, in the languages of the shipped voice, in their order."""


def new(folder: Path) -> None:
    """Write the project. Raises ``DeclarationError`` if the folder is not empty."""
    if _is_taken(folder):
        raise DeclarationError(f"{folder}: there already; name a folder that is new or empty")
    company = _company(folder)
    files = {folder / path: text for path, text in fill_templates("project", {"company": company}).items()}
    files |= {folder / "prompts" / path: text for path, text in _prompts(company).items()}
    write_new_files(files)
    typer.echo(f"{folder}: a project of your own, with one tool and the voice of {company}.")
    typer.echo(f"Next: cd {folder}; assistant chat; README.md says what is where.")


def fill_templates(folder: str, values: Mapping[str, str]) -> dict[Path, str]:
    """The texts of a folder of templates, by the path to write.

    ``values`` replace ``__NAME__`` and similar marks, by name in lower case.
    """
    root = _TEMPLATES / folder
    return {
        _target(file.relative_to(root)): _fill(file.read_text(encoding="utf-8"), values)
        for file in sorted(root.rglob("*.txt"))
    }


def write_new_files(files: Mapping[Path, str]) -> None:
    """Write all files, or none: raises ``DeclarationError`` if one already exists, or cannot be written."""
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
    """The file for a template: ``dot-env.example.txt`` is for ``.env.example``."""
    name = template.name.removesuffix(".txt")
    return template.with_name(f".{name.removeprefix('dot-')}" if name.startswith("dot-") else name)


def _fill(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(f"__{name.upper()}__", value)
    return text


def _is_taken(folder: Path) -> bool:
    """Whether the path is a non-empty folder, or no folder. Raises ``DeclarationError`` when it cannot be read."""
    try:
        return folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise DeclarationError(f"{folder}: cannot be a folder: {error.strerror}; name another one") from error


def _company(folder: Path) -> str:
    """A company name made from the folder's name; you correct it in ``prompts/voice.toml``.

    >>> _company(Path("/tmp/blue-kettle_shop"))
    'Blue Kettle Shop'
    """
    words = re.findall(r"\w+", folder.resolve().name.replace("_", " "))
    if not words:
        raise DeclarationError(f"{folder}: has no letter in its name; call it as your company")
    return " ".join(word[:1].upper() + word[1:] for word in words)


def _prompts(company: str) -> dict[Path, str]:
    """The company's voice. All other prompts are the package's, until you copy one to change it."""
    from assistant.prompts.folder import VOICE, read_folder
    from assistant.shipped import shipped

    voice = read_folder(shipped("prompts"))[VOICE].replace(_SHIPPED_COMPANY, company)
    starters = iter(_STARTERS)
    voice = re.sub(
        r"^starters = \[.*?\]$",
        lambda found: f'starters = ["{one}"]' if (one := next(starters, "")) else found[0],
        voice,
        flags=re.MULTILINE | re.DOTALL,
    )
    return {Path(VOICE): voice}

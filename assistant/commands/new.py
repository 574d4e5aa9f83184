"""``assistant new``: a company's own project, in a folder of its own."""

import re
from pathlib import Path

import typer

from assistant.commands.scaffold import filled, write_new
from assistant.errors import DeclarationError

_SHIPPED_COMPANY = "Willow & Finch"
_STARTERS = ("Where is my parcel?", "Wo ist mein Paket?")
"""What the new project's one tool is about, in the languages of the shipped voice, in their order."""


def new(folder: Path) -> None:
    """Write the project. Raises ``DeclarationError`` when the folder has something in it."""
    if _is_taken(folder):
        raise DeclarationError(f"{folder}: there already; name a folder that is new or empty")
    company = _company(folder)
    files = {folder / path: text for path, text in filled("project", {"company": company}).items()}
    files |= {folder / "prompts" / path: text for path, text in _prompts(company).items()}
    write_new(files)
    typer.echo(f"{folder}: a project of your own, with one tool and the voice of {company}.")
    typer.echo(f"Next: cd {folder}; assistant chat; README.md says what is where.")


def _is_taken(folder: Path) -> bool:
    """Whether there is something in it, or it is no folder. Raises ``DeclarationError`` where nobody may look."""
    try:
        return folder.exists() and (not folder.is_dir() or any(folder.iterdir()))
    except OSError as error:
        raise DeclarationError(f"{folder}: cannot be a folder: {error.strerror}; name another one") from error


def _company(folder: Path) -> str:
    """A company's name made of the folder's: to be put right in ``prompts/voice.toml``.

    >>> _company(Path("/tmp/blue-kettle_shop"))
    'Blue Kettle Shop'
    """
    words = re.findall(r"\w+", folder.resolve().name.replace("_", " "))
    if not words:
        raise DeclarationError(f"{folder}: has no letter in its name; call it as your company")
    return " ".join(word[:1].upper() + word[1:] for word in words)


def _prompts(company: str) -> dict[Path, str]:
    """The company's voice. All other prompts are the package's, until somebody copies one to change it."""
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

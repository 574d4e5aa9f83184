"""Reads the texts of a folder of prompts."""

from pathlib import Path

from assistant.errors import DeclarationError
from assistant.shipped import shipped

_KINDS = frozenset((".j2", ".toml"))

VOICE = "voice.toml"
"""Says who the company is: the one file that nobody else's can stand in for."""


def read_prompts(folder: Path) -> dict[str, str]:
    """The prompts of a folder, and beside them those that come with the package and that it has none of its own of.

    So a company's folder holds what it has changed, and a newer release brings its new files along. Raises
    ``DeclarationError``, with the file and the cure.
    """
    own = read_folder(folder)
    ours = read_folder(shipped("prompts"))
    del ours[VOICE]
    return dict(sorted({**ours, **own}.items()))


def read_folder(folder: Path) -> dict[str, str]:
    """The texts of its ``*.j2`` and ``*.toml`` files and of those below it, by their path in the folder.

    Hidden files are left out: they are editors' own. Raises ``DeclarationError``, with the file and the cure.
    """
    if not folder.is_dir():
        raise DeclarationError(
            f"{display_path(folder)}: there is no such folder; set ASSISTANT_PROMPTS_DIR to the prompts' folder"
        )
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in _KINDS)
    # A pipe or a device is no text, and reading it may never end.
    names = (path.relative_to(folder) for path in paths if path.is_file() or path.is_dir())
    return {name.as_posix(): _text(folder, name) for name in names if not is_hidden(name)}


def is_hidden(name: Path) -> bool:
    """Whether a file, by its path in its folder, or a folder on the way to it, is nobody's to edit.

    >>> is_hidden(Path("locales/.#en.toml")), is_hidden(Path("__pycache__/a.py")), is_hidden(Path("_a.py"))
    (True, True, False)
    """
    return any(part.startswith((".", "__pycache__")) for part in name.parts)


def display_path(folder: Path) -> str:
    """The folder as an editor would type it: seen from where the command was started, if it is below."""
    here, whole = Path.cwd(), folder.resolve()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else folder.as_posix()


def _text(folder: Path, name: Path) -> str:
    where = f"{display_path(folder)}/{name.as_posix()}"
    try:
        return (folder / name).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{where}:1: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise DeclarationError(
            f"{where}:1: cannot be read: {error.strerror}; give the server leave to"
        ) from error

"""Reads the texts of a prompts folder, and reads TOML files into checked models.

Errors have the file, the line and what to do.
"""

import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from assistant.errors import DeclarationError
from assistant.shipped import shipped


class Section(BaseModel):
    """A part of a TOML file. Unknown keys are errors, and it is immutable."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


_Section = TypeVar("_Section", bound=Section)


_COMPARE = "compare with the file that comes with the package"


def read_toml(source: str, model: type[_Section], where: str, cure: str = "") -> _Section:
    """Parse and check a TOML text with ``model``. ``where`` is the file, for error messages; ``cure`` says
    what is allowed there.

    Raises ``DeclarationError`` with the file, the line, the problem and what to do.
    """
    try:
        return model.model_validate(tomllib.loads(source), strict=False)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = found[1] if found else str(source.count("\n") + 1)
        raise DeclarationError(
            f'{where}:{line}: not valid TOML: {error}; write each setting as key = "value"'
        ) from error
    except ValidationError as error:
        problem = error.errors()[0]
        path = [str(part) for part in problem["loc"]]
        known = ", ".join(field.alias or name for name, field in model.model_fields.items())
        cure = cure or (f"the settings here are: {known}" if len(path) == 1 else _COMPARE)
        wrong = f"{'.'.join(path)!r}: {problem['msg'].lower()}{_value_of(problem)}"
        raise DeclarationError(f"{where}:{_line_of(path, source)}: {wrong}; {cure}") from error


def _value_of(problem: ErrorDetails) -> str:
    """The value that did not fit, if the message does not name it."""
    value = problem["input"]
    named = problem["type"] in ("extra_forbidden", "value_error", "missing")
    return "" if named or not isinstance(value, str | int | float) else f", not {value!r}"


def _line_of(path: list[str], source: str) -> int:
    r"""Returns the line that sets the innermost key of ``path``, or 1.

    >>> _line_of(["steps", "1", "tool"], '[[steps]]\ntool = "a"\n[[steps]]\ntool = 7')
    4
    """
    lines = [*enumerate(source.splitlines(), start=1)]
    first = 1
    for name, place in pairwise(path):
        tables = [number for number, line in lines if re.match(rf"\s*\[\[\s*{re.escape(name)}\b", line)]
        if place.isdigit() and int(place) < len(tables):
            first = tables[int(place)]
    for key in reversed(path):
        for number, line in lines[first - 1 :]:
            if re.match(rf"\s*\[{{0,2}}{re.escape(key)}\b", line):
                return number
    return first


_KINDS = frozenset((".j2", ".toml"))

VOICE = "voice.toml"
"""The file that says who the company is. It is the only file without a default."""


def read_prompts(folder: Path) -> dict[str, str]:
    """Returns the prompts of a folder; missing files come from the package.

    So a company's folder contains only the files that it has changed, and a new release can add files. Raises
    ``DeclarationError`` with the file and what to do.
    """
    own = read_folder(folder)
    ours = read_folder(shipped("prompts"))
    del ours[VOICE]
    return dict(sorted({**ours, **own}.items()))


def read_folder(folder: Path) -> dict[str, str]:
    """Returns the texts of all ``*.j2`` and ``*.toml`` files in a folder and its subfolders, by their path in
    the folder.

    Hidden files are left out. Raises ``DeclarationError`` with the file and what to do.
    """
    if not folder.is_dir():
        raise DeclarationError(
            f"{display_path(folder)}: there is no such folder; set ASSISTANT_PROMPTS_DIR to the prompts' folder"
        )
    paths = (path for path in sorted(folder.rglob("*")) if path.suffix in _KINDS)
    # Only regular files: reading a pipe or a device may never end.
    names = (path.relative_to(folder) for path in paths if path.is_file() or path.is_dir())
    return {name.as_posix(): _text(folder, name) for name in names if not is_hidden(name)}


def is_hidden(name: Path) -> bool:
    """Whether a file or one of its folders is hidden; ``name`` is the path inside the prompts folder.

    >>> is_hidden(Path("locales/.#en.toml")), is_hidden(Path("__pycache__/a.py")), is_hidden(Path("_a.py"))
    (True, True, False)
    """
    return any(part.startswith((".", "__pycache__")) for part in name.parts)


def display_path(folder: Path) -> str:
    """Returns the folder's path for messages: relative to the current folder, if it is below it."""
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

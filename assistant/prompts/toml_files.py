"""Reading a TOML file into a checked model, with errors that name the line and the cure."""

import re
import tomllib
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from assistant.errors import DeclarationError


class Section(BaseModel):
    """Part of a TOML file: unknown keys are mistakes, and nothing changes once it is read."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


_Section = TypeVar("_Section", bound=Section)


def read_toml(source: str, model: type[_Section], where: str) -> _Section:
    """Check a TOML text against ``model``. ``where`` is the file, as an editor knows it.

    Raises ``DeclarationError`` naming file, line, what is wrong and the cure.
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
        cure = (
            f"the settings here are: {known}"
            if len(path) == 1
            else "compare with the file that comes with the package"
        )
        raise DeclarationError(
            f"{where}:{_line_of(path, source)}: {'.'.join(path)!r}: {problem['msg'].lower()}; {cure}"
        ) from error


def _line_of(path: list[str], source: str) -> int:
    """The line on which the innermost key of ``path`` is set, or the file's first."""
    for key in reversed(path):
        for number, line in enumerate(source.splitlines(), start=1):
            if re.match(rf"\s*\[?{re.escape(key)}\b", line):
                return number
    return 1

"""Reads ``mcp.toml``, and tells every mistake in it at once."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from assistant.mcp.written import FileWritten, HintWritten, ServerWritten, ToolWritten
from assistant.tooling.declaration_errors import Mistake, declaration_error, line_of, place, toml_lines
from assistant.tooling.http.config import AuthSection

FILE = "mcp.toml"


def read_file(folder: Path) -> FileWritten:
    """What the folder's ``mcp.toml`` says; nothing when there is none.

    Raises:
        DeclarationError: a line for each mistake, as ``file:line: what; cure``.
    """
    file = folder / FILE
    if not file.exists():
        return FileWritten()
    source = _text(file)
    try:
        return FileWritten.model_validate(tomllib.loads(source))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else source.count("\n") + 1
        cure = 'write [servers.NAME], and below it each setting as key = "value"'
        raise declaration_error([Mistake(place(file, line), f"not valid TOML: {error}; {cure}")]) from error
    except RecursionError as error:
        raise declaration_error([Mistake(place(file, 1), "not valid TOML: nested too deeply")]) from error
    except ValidationError as error:
        raise declaration_error([*_mistakes(error, file, source)]) from error


def _text(file: Path) -> str:
    if not (file.is_file() or file.is_dir()):
        raise declaration_error([Mistake(place(file, 1), "not a regular file; put one in its place")])
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 text ({error.reason}); save it as UTF-8"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}; give the server leave to"
    raise declaration_error([Mistake(place(file, 1), problem)])


def _mistakes(error: ValidationError, file: Path, source: str) -> Iterator[Mistake]:
    lines = toml_lines(source)
    for problem in error.errors(include_url=False):
        path = _written_path(problem["loc"])
        yield Mistake(place(file, line_of(path, lines)), f"{'.'.join(path)}: {_worded(problem, path)}")


def _written_path(loc: Sequence[int | str]) -> list[str]:
    """Where a mistake stands, without what only pydantic knows: places in lists, and kinds tried in turn."""
    path: list[str] = []
    for number, part in enumerate(loc):
        if isinstance(part, int) or part == "[key]" or (number > 4 and part in _KINDS):
            continue
        path.append(part)
    return path


_KINDS = frozenset(("bool", "str", "dict[str,str]", "mapping[str,str]"))


def _worded(problem: ErrorDetails, path: Sequence[str]) -> str:
    if problem["type"] == "extra_forbidden":
        return _unknown(path)
    message = problem["msg"].removeprefix("Value error, ")
    if problem["type"] == "value_error":
        return message
    if problem["type"] == "string_pattern_mismatch":
        rule = "letters, digits and underscores" if path[-1] == "rename" else "small letters, digits, - and _"
        return f"{problem['input']!r} should begin with a letter, and be made of {rule}"
    return f"{message[:1].lower()}{message[1:]}, not {problem['input']!r}"


def _unknown(path: Sequence[str]) -> str:
    known = sorted(_section(path).model_fields)
    close = get_close_matches(path[-1], known, n=1)
    cure = f"did you mean {close[0]!r}?" if close else f"the settings here are: {', '.join(known)}"
    return f"there is no such setting; {cure}"


def _section(path: Sequence[str]) -> type[BaseModel]:
    """What is read where a path's last key stands."""
    match path:
        case [_]:
            return FileWritten
        case [_, _, "auth", _]:
            return AuthSection
        case [_, _, _]:
            return ServerWritten
        case [_, _, _, _, _]:
            return ToolWritten
        case _:
            return HintWritten

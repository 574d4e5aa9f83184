"""Reads a cassette; every mistake in it is told at once, with its line and a cure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.replay.cassette.cassette import FORMAT, Cassette
from assistant.replay.document.mistakes import mistakes
from assistant.replay.document.yaml_lines import Lines, read_json


@dataclass(frozen=True, slots=True)
class Loaded:
    """A cassette, and the lines that its parts stand on."""

    cassette: Cassette
    lines: Lines


def load(path: Path) -> Loaded:
    """The cassette in this file.

    Raises:
        DeclarationError: a line for each mistake: ``file:line: field: what, got value; what would work``.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path}: cannot be read: {error}") from error
    return load_text(text, str(path))


def load_text(text: str, where: str) -> Loaded:
    """The cassette that this text is; ``where`` is what mistakes call it.

    Raises:
        DeclarationError: as ``load``.
    """
    content, lines = read_json(text, where)
    if not isinstance(content, dict):
        raise DeclarationError(
            f"{where}:1: a recorded conversation is a mapping that begins with 'format: {FORMAT}', about, now,"
            " turns"
        )
    _check_format(content, lines, where)
    try:
        return Loaded(Cassette.model_validate(content), lines)
    except ValidationError as error:
        raise DeclarationError("\n".join(mistakes(error, lines, where))) from error


def _check_format(content: Mapping[str, Json], lines: Lines, where: str) -> None:
    """Raise ``DeclarationError`` for a file of another form: what its keys mean is not known, so none is read."""
    given = content.get("format")
    if type(given) is int and given == FORMAT:
        return
    _, line = lines.of(("format",))
    cure = f"write 'format: {FORMAT}' as the first key once every key is one of docs/cassettes.md"
    if "format" in content:
        told = f"this release reads format {FORMAT} of recorded conversations, got {given!r}"
    elif "meanwhile" in content:
        told = f"no format number; 'meanwhile: {content['meanwhile']}' is how an older form began"
    else:
        told = "no format number, which every recorded conversation begins with"
    raise DeclarationError(f"{where}:{line}: format: {told}; {cure}")

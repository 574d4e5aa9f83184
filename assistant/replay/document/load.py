"""Reads a cassette; every mistake in it is told at once, with its line and a cure."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assistant.errors import DeclarationError
from assistant.replay.cassette.cassette import Cassette
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
            f"{where}:1: a recorded conversation is a mapping that begins with 'meanwhile: 1', about, now, turns"
        )
    try:
        return Loaded(Cassette.model_validate(content), lines)
    except ValidationError as error:
        raise DeclarationError("\n".join(mistakes(error, lines, where))) from error

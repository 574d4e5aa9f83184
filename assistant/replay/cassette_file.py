"""Finds and loads cassette files. It reports all mistakes in a file together, each with its line and what to
change.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.replay.cassette import FORMAT, Cassette
from assistant.replay.cassette_base import RENAMED
from assistant.replay.yaml_reader import Lines, field_of, known_keys, read_json, word_mistake

SUFFIX = ".conversation.yaml"
"""The ending of a cassette's file name."""


def find(paths: Sequence[Path]) -> list[Path]:
    """Returns the cassettes in these files and folders, each once.

    Folders are searched at any depth, sorted by name.

    A file that is named directly needs no particular ending.

    Raises:
        DeclarationError: a path does not exist, or a folder has no cassettes; one line for each.
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """A cassette, and the line numbers of its parts."""

    cassette: Cassette
    lines: Lines


def load(path: Path) -> Loaded:
    """Returns the cassette in this file.

    Raises:
        DeclarationError: one line for each mistake: ``file:line: field: problem, got value; what would
            work``.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path}: cannot be read: {error}") from error
    return load_text(text, str(path))


def load_text(text: str, where: str) -> Loaded:
    """Returns the cassette in this text; ``where`` is its name in error messages.

    Raises:
        DeclarationError: see :func:`load`.
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
    """Raise ``DeclarationError`` for a file with another format, before any of its keys is read."""
    given = content.get("format")
    if type(given) is int and given == FORMAT:
        return
    _, line = lines.locate(("format",))
    cure = f"write 'format: {FORMAT}' as the first key once every key is one of docs/reference/cassettes.md"
    if "format" in content:
        told = f"this release reads format {FORMAT} of recorded conversations, got {given!r}"
    elif "meanwhile" in content:
        told = f"no format number; 'meanwhile: {content['meanwhile']}' is how an older form began"
    else:
        told = "no format number, which every recorded conversation begins with"
    raise DeclarationError(f"{where}:{line}: format: {told}; {cure}")


def mistakes(error: ValidationError, lines: Lines, where: str) -> list[str]:
    """Returns one line for each mistake, in the order of the file."""
    details = error.errors()
    told = {
        _told(detail, lines, where): lines.locate(_place(detail))[1]
        for detail in details
        if not _follows_from_others(detail, details)
    }
    return sorted(told, key=lambda line: told[line])


def _follows_from_others(detail: ErrorDetails, all_: Sequence[ErrorDetails]) -> bool:
    """Whether a mistake only follows from others, and is not reported.

    A refused key is reported, but not the missing key that it was mistaken for, nor a list that is too short
    because of it.
    """
    place = detail["loc"]
    if detail["type"] == "missing":
        siblings = [one for one in all_ if one["loc"][:-1] == place[:-1]]
        return any(_refused_key(one) is not None or _is_mistyped(one, str(place[-1])) for one in siblings)
    return detail["type"] == "too_short" and any(
        len(one["loc"]) > len(place) and one["loc"][: len(place)] == place for one in all_
    )


def _is_mistyped(detail: ErrorDetails, key: str) -> bool:
    return detail["type"] == "extra_forbidden" and bool(get_close_matches(str(detail["loc"][-1]), [key]))


def _told(detail: ErrorDetails, lines: Lines, where: str) -> str:
    place, line = lines.locate(_place(detail))
    at, field = f"{where}:{line}", _counted(field_of(place, detail)) or "conversation"
    if (key := _refused_key(detail)) is not None:
        return f"{at}: {field}: {refusal(key)}"
    within = ("",) if detail["type"] == "model_type" else ()
    return word_mistake(_in_own_words(detail), at, field, known_keys(Cassette, (*detail["loc"], *within)))


def _counted(field: str) -> str:
    """Returns a field's path, with turns counted from 1.

    >>> _counted("turns.1.expect.hears.0.text"), _counted("turns.0"), _counted("now")
    ('turn 2: expect.hears 1.text', 'turn 1', 'now')
    """
    counted = re.sub(r"\.(\d+)(?=\.|$)", lambda number: f" {int(number[1]) + 1}", field)
    return re.sub(
        r"^turns (\d+)\.?(?=(.?))", lambda turn: f"turn {turn[1]}{': ' if turn[2] else ''}", counted
    )


def _in_own_words(detail: ErrorDetails) -> ErrorDetails:
    match detail["type"]:
        case "extra_forbidden":
            return {**detail, "msg": "this key is not known here"}
        case "missing":
            return {**detail, "msg": "this is missing"}
        case "too_short":
            return {
                **detail,
                "msg": f"too few items; write at least {detail.get('ctx', {}).get('min_length')}",
            }
        case _:
            return detail


def _place(detail: ErrorDetails) -> tuple[str | int, ...]:
    """Returns the path of the mistake. For a missing key, this is the path of the mapping that lacks the key."""
    return detail["loc"][:-1] if detail["type"] == "missing" else detail["loc"]


def _refused_key(detail: ErrorDetails) -> str | None:
    given: object = detail["input"]
    if detail["type"] == "extra_forbidden" and (detail["loc"][-1] in REFUSED or detail["loc"][-1] in RENAMED):
        return str(detail["loc"][-1])
    if detail["type"] == "string_type" and isinstance(given, Mapping):
        return next((key for key in REFUSED if key in given), None)
    return None


@dataclass(frozen=True, slots=True)
class Refused:
    """Keys for features that the assistant does not have yet."""

    keys: tuple[str, ...]
    why: str
    instead: str


_VOICE = ("audio", "heard_ms", "voice", "speech")
TABLE = (
    Refused(
        _VOICE,
        "sound is not kept, only what was said and heard of it",
        'write spoken: true, and heard_up_to: "the last words that were heard"',
    ),
    Refused(
        ("human", "person"),
        "what human agents do is written in meanwhile",
        "write agents: {} at the top, and {agent_accepts: Maja, at_ms: 5000} in the turn's meanwhile",
    ),
    Refused(
        ("late", "told_later"),
        "that a result is late follows from its time",
        "write the tool's after_ms, and limits: {tools_s: 5} for how long a turn waits",
    ),
    Refused(
        ("delayed", "waiting"),
        "the message during a long tool follows from the tool's time",
        "write the tool's after_ms, and expect hears: [{kind: status}] or max_silence_ms",
    ),
    Refused(
        ("summary", "memory", "documents"),
        "a recorded conversation has no document store",
        "write the passages as the result of search_documents, or the turns that it should know of",
    ),
    Refused(
        ("attachments", "media"),
        "files and pictures are not kept in a recorded conversation",
        "write what they say as text",
    ),
)

REFUSED: Mapping[str, Refused] = {key: row for row in TABLE for key in row.keys}


def refusal(key: str) -> str:
    """Returns the reason and the cure for such a key, as one clause.

    >>> refusal("gives")
    "this key was renamed; write 'returns'"

    >>> refusal("media")
    'files and pictures are not kept in a recorded conversation; write what they say as text'
    """
    if (new := RENAMED.get(key)) is not None:
        return f"this key was renamed; write {new!r}"
    row = REFUSED[key]
    return f"{row.why}; {row.instead}"

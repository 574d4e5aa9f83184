"""Finds tasks in files, and every mistake in them at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from assistant.errors import DeclarationError
from assistant.evaluation.task import Task
from assistant.replay.yaml_reader import Lines, Plain, field_of, known_keys, read_yaml, worded
from assistant.shipped import shipped

_DEFAULTS = "defaults"
_TASKS = "tasks"


def tasks_folder() -> Path:
    """The folder ``tasks`` where the program runs; else the demo shop's own."""
    own = Path(_TASKS)
    if own.is_dir():
        return own
    installed = shipped(_TASKS)
    return installed if installed.is_dir() else shipped("tests/tasks")


def load_tasks(wanted: Sequence[str]) -> list[Task]:
    """The tasks that are wanted, in the order of their files.

    Args:
        wanted: files, folders, or ids of tasks in the tasks' folder; none of them: everything there.

    Raises:
        DeclarationError: a line for each mistake, as ``file:line: field: what``.
    """
    places = [Path(one) for one in wanted if Path(one).exists()]
    ids = [one for one in wanted if not Path(one).exists()]
    found = list(_read([*places, *([tasks_folder()] if ids or not places else [])]))
    if not ids:
        return found
    by_id = {task.id: task for task in found}
    if unknown := [one for one in ids if one not in by_id]:
        raise DeclarationError(
            f"no file, folder or task is called {', '.join(map(repr, unknown))};"
            f" tasks are {', '.join(by_id) or 'none'}"
        )
    inside = {task.id for task in _read(places)}
    return [task for task in found if task.id in inside or task.id in ids]


def _read(places: Sequence[Path]) -> Iterator[Task]:
    found: dict[str, str] = {}
    problems: list[str] = []
    tasks: list[Task] = []
    for file in dict.fromkeys(file for place in places for file in _files(place)):
        try:
            for line, task in _tasks_of(file):
                where = f"{file}:{line}"
                if task.id in found:
                    problems.append(f"{where}: id: {task.id!r} stands in {found[task.id]} already")
                found[task.id] = where
                tasks.append(task)
        except DeclarationError as error:
            problems.append(str(error))
    if problems:
        raise DeclarationError("\n".join(problems))
    yield from tasks


def _files(place: Path) -> list[Path]:
    files = sorted(place.glob("*.yaml")) if place.is_dir() else [place]
    if not files:
        raise DeclarationError(f"{place}: there are no tasks in this folder; they stand in files *.yaml")
    return files


def _tasks_of(file: Path) -> Iterator[tuple[int, Task]]:
    try:
        content, lines = read_yaml(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{file}: cannot be read: {error}") from error
    defaults, written = _parts_of(content, lines, str(file))
    problems: list[str] = []
    tasks: list[tuple[int, Task]] = []
    for place, one in enumerate(written):
        if not isinstance(one, dict):
            problems.append(
                f"{file}:{lines.of((_TASKS, place))[1]}: a task is a mapping with id and messages"
            )
            continue
        try:
            tasks.append((lines.of((_TASKS, place))[1], Task.model_validate({**defaults, **one})))
        except ValidationError as error:
            problems += [_told(detail, place, one, lines, str(file)) for detail in error.errors()]
    if problems:
        raise DeclarationError("\n".join(dict.fromkeys(problems)))
    yield from tasks


def _parts_of(content: Plain, lines: Lines, where: str) -> tuple[dict[str, Plain], list[Plain]]:
    """The defaults and the tasks of a file."""
    if not isinstance(content, dict) or not isinstance(content.get(_TASKS), list):
        raise DeclarationError(f"{where}:1: the file needs a list {_TASKS!r}")
    for name in content:
        if name not in (_DEFAULTS, _TASKS):
            line = lines.of((name,))[1]
            raise DeclarationError(
                f"{where}:{line}: {name!r} is not known here; write {_DEFAULTS} or {_TASKS}"
            )
    defaults = content.get(_DEFAULTS) or {}
    if not isinstance(defaults, dict):
        raise DeclarationError(
            f"{where}:{lines.of((_DEFAULTS,))[1]}: {_DEFAULTS} is a mapping of a task's fields"
        )
    return defaults, cast("list[Plain]", content[_TASKS])


def _told(detail: ErrorDetails, place: int, one: dict[str, Plain], lines: Lines, where: str) -> str:
    steps = detail["loc"]
    root = (_TASKS, place) if not steps or steps[0] in one else (_DEFAULTS,)
    if detail["type"] == "missing":
        root = (_TASKS, place)
    found, line = lines.of((*root, *steps))
    field = field_of(found[len(root) :], detail) or "task"
    return worded(detail, f"{where}:{line}", field, known_keys(Task, steps))

"""The tasks of an evaluation, read from files: the customer's messages, and the changes that must follow."""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from assistant.conversation.customer import Level
from assistant.errors import DeclarationError
from assistant.replay.yaml_reader import Lines, Plain, field_of, known_keys, read_yaml, word_mistake
from assistant.shipped import shipped

Text = Annotated[str, Field(min_length=1)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Says(_Written):
    """A message of the customer. It is always sent, or only if a read-back is waiting for an answer
    (``when``), or only if no read-back is waiting.
    """

    say: Text
    when: Literal["always", "asked", "not asked"] = "always"


class Confirms(_Written):
    """The customer presses a button of the read-back. It is skipped if no read-back is waiting."""

    confirm: Literal["yes", "no"]


def _kind_of_message(given: object) -> str:
    return "confirm" if isinstance(given, Confirms) or _has(given, "confirm") else "say"


def _as_said(given: object) -> object:
    return {"say": given} if isinstance(given, str) else given


Message: TypeAlias = Annotated[
    Annotated[Annotated[Says, BeforeValidator(_as_said)], Tag("say")] | Annotated[Confirms, Tag("confirm")],
    Discriminator(_kind_of_message),
]


class SimulatedCustomer(_Written):
    """A customer that a model plays.

    Args:
        persona: who the customer is and how they write: "an impatient man who writes in fragments".
        goal: what the customer wants, and when they give up.
        facts: everything that the customer can tell, by name; some facts may be irrelevant.
        most_messages: the most messages of the customer.
    """

    persona: Text
    goal: Text
    facts: dict[Text, Text] = {}
    most_messages: Annotated[int, Field(ge=1, le=100)] = 8


class PromptedCustomer(_Written):
    """A customer that a model plays with a prompt of a benchmark.

    Args:
        prompt: the whole text that the model gets.
        end_marks: texts with which the model shows that the customer leaves. A message with one of them is
            not sent.
        most_messages: the most messages of the customer.
    """

    prompt: Text
    end_marks: Annotated[tuple[Text, ...], Field(min_length=1)]
    most_messages: Annotated[int, Field(ge=1, le=100)] = 50


def _kind_of_customer(given: object) -> str:
    return "prompted" if isinstance(given, PromptedCustomer) or _has(given, "prompt") else "simulated"


PlayedCustomer: TypeAlias = Annotated[
    Annotated[SimulatedCustomer, Tag("simulated")] | Annotated[PromptedCustomer, Tag("prompted")],
    Discriminator(_kind_of_customer),
]


class Changed(_Written):
    """A row with different values after the trial, in exactly these columns."""

    table: Text
    row: Text
    changed: dict[str, str] = Field(min_length=1)


class Added(_Written):
    """A new row. Columns that are not listed may have any value."""

    table: Text
    added: dict[str, str]


class Removed(_Written):
    """A row that was removed, by its key."""

    table: Text
    removed: Text


def _kind_of_change(given: object) -> str:
    for kind, model in (("added", Added), ("removed", Removed)):
        if isinstance(given, model) or _has(given, kind):
            return kind
    return "changed"


Change: TypeAlias = Annotated[
    Annotated[Changed, Tag("changed")] | Annotated[Added, Tag("added")] | Annotated[Removed, Tag("removed")],
    Discriminator(_kind_of_change),
]


class Preparation(_Written):
    """A tool that runs for the customer before the conversation begins."""

    tool: Text
    arguments: dict[str, str] = {}


def _call(given: object) -> object:
    """Parse the short form of a call: the tool's name, and its arguments as JSON."""
    if not isinstance(given, str):
        return given
    tool, _, arguments = given.partition(" ")
    try:
        return {"tool": tool, "arguments": json.loads(arguments or "{}")}
    except ValueError as error:
        raise ValueError('a call is the name of a tool, and its arguments as JSON: find {"id": 7}') from error


class SolutionCall(_Written):
    """A call of a task's solution, written as ``cancel_order {"order_number": "10455"}``."""

    tool: Text
    arguments: dict[str, JsonValue] = {}


def _readable(words: str) -> str:
    try:
        pattern_of(words)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from error
    return words


def _several(given: object) -> object:
    return [given] if isinstance(given, str) else given


Words = Annotated[Text, AfterValidator(_readable)]
"""A text; upper and lower case are ignored. Between slashes, it is a regular expression."""

Choice = Annotated[tuple[Words, ...], BeforeValidator(_several), Field(min_length=1)]
"""Alternatives, of which one is enough."""


class Task(_Written):
    """One task.

    Either ``messages`` are the customer's messages, or ``simulated`` describes a simulated customer; the
    other is empty. ``now`` is the time of its beginning, in the company's time zone. ``changes`` are all
    allowed differences in tables that are not in ``ignore_tables``. ``state_hash`` replaces them: the hash
    that all records must have after the trial. ``must`` and ``must_not`` are searched for in all messages of
    the assistant; ``facts``, too, in tau2's way: anywhere, and without commas. ``calls`` and ``calls_not``
    are tools that must have run, or must not. ``solution``: calls that solve the task, for ``--model
    solutions``.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    about: str = ""
    now: datetime
    customer: Text = "demo"
    level: Level = "verified"
    locale: Text = "en"
    before: tuple[Preparation, ...] = ()
    simulated: PlayedCustomer | None = None
    messages: Annotated[tuple[Message, ...], Field(min_length=1, validate_default=True)] = ()
    changes: tuple[Change, ...] = ()
    ignore_tables: tuple[str, ...] = ()
    state_hash: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    must: tuple[Choice, ...] = ()
    must_not: tuple[Words, ...] = ()
    facts: tuple[Text, ...] = ()
    calls: tuple[str, ...] = ()
    calls_not: tuple[str, ...] = ()
    solution: tuple[Annotated[SolutionCall, BeforeValidator(_call)], ...] = ()

    @field_validator("messages", mode="wrap")
    @classmethod
    def _one_of_both(
        cls, given: object, check: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> tuple[Message, ...]:
        # A customer with mistakes of its own is reported only for those.
        if "simulated" not in info.data or (info.data["simulated"] is not None and not given):
            return ()
        if info.data["simulated"] is not None:
            raise PydanticCustomError("both", "a customer who is simulated has no messages; keep only one")
        if given == ():
            raise PydanticCustomError(
                "missing", "Field required; or simulated, for a customer whom a model plays"
            )
        return check(given)

    @property
    def most_messages(self) -> int:
        """How many messages the customer writes at most."""
        return len(self.messages) if self.simulated is None else self.simulated.most_messages

    @property
    def digest(self) -> str:
        """A hash of everything in the task that can change a result: 12 hex digits."""
        # Newer fields are left out if a file does not set them, so that stored results stay valid.
        unset = {name for name in ("simulated", "messages", "state_hash", "facts") if not getattr(self, name)}
        content = self.model_dump_json(exclude={"about", "solution", *unset})
        return hashlib.sha256(content.encode()).hexdigest()[:12]


def pattern_of(words: str) -> re.Pattern[str]:
    """Returns a pattern that finds these words in a text.

    >>> bool(pattern_of("2 PM").search("at 2 pm.")), bool(pattern_of("/14[:.]00|2 pm/").search("14.00 Uhr"))
    (True, True)
    >>> bool(pattern_of("2 pm").search("at 12 pm"))
    False
    """
    if len(words) > 2 and words.startswith("/") and words.endswith("/"):
        return re.compile(words[1:-1], re.IGNORECASE)
    # "$30" must not be found in "$300", nor "2 pm" in "12 pm".
    begin, end = (r"(?<!\w)" if words[0].isalnum() else ""), (r"(?!\w)" if words[-1].isalnum() else "")
    return re.compile(f"{begin}{re.escape(words)}{end}", re.IGNORECASE)


def _has(given: object, key: str) -> bool:
    return isinstance(given, dict) and key in given


_DEFAULTS = "defaults"
_TASKS = "tasks"


def tasks_folder() -> Path:
    """Returns the folder ``tasks`` in the current folder, or else the demo shop's own."""
    own = Path(_TASKS)
    if own.is_dir():
        return own
    installed = shipped(_TASKS)
    return installed if installed.is_dir() else shipped("tests/tasks")


def load_tasks(wanted: Sequence[str], suite: Path | None = None) -> list[Task]:
    """Returns the selected tasks, in the order of their files.

    Args:
        wanted: files, folders, or ids of tasks in the tasks' folder. Empty: all tasks of the folder.
        suite: the folder whose subfolder ``tasks`` is the tasks' folder.

    Raises:
        DeclarationError: one line for each mistake: ``file:line: field: problem``.
    """
    places = [Path(one) for one in wanted if Path(one).exists()]
    ids = [one for one in wanted if not Path(one).exists()]
    folder = tasks_folder() if suite is None else suite / _TASKS
    if not folder.is_dir():
        raise DeclarationError(
            f"{folder}: there is no such folder; a suite has its tasks in a folder {_TASKS!r}"
        )
    found = list(_read([*places, *([folder] if ids or not places else [])]))
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
                    problems.append(f"{where}: id: {task.id!r} is already in {found[task.id]}")
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
                f"{file}:{lines.locate((_TASKS, place))[1]}: a task is a mapping with id and messages"
            )
            continue
        try:
            tasks.append((lines.locate((_TASKS, place))[1], Task.model_validate({**defaults, **one})))
        except ValidationError as error:
            problems += [_told(detail, place, one, lines, str(file)) for detail in error.errors()]
    if problems:
        raise DeclarationError("\n".join(dict.fromkeys(problems)))
    yield from tasks


def _parts_of(content: Plain, lines: Lines, where: str) -> tuple[dict[str, Plain], list[Plain]]:
    """Returns the defaults and the tasks of a file."""
    if not isinstance(content, dict) or not isinstance(content.get(_TASKS), list):
        raise DeclarationError(f"{where}:1: the file needs a list {_TASKS!r}")
    for name in content:
        if name not in (_DEFAULTS, _TASKS):
            line = lines.locate((name,))[1]
            raise DeclarationError(
                f"{where}:{line}: {name!r} is not known here; write {_DEFAULTS} or {_TASKS}"
            )
    defaults = content.get(_DEFAULTS) or {}
    if not isinstance(defaults, dict):
        raise DeclarationError(
            f"{where}:{lines.locate((_DEFAULTS,))[1]}: {_DEFAULTS} is a mapping of a task's fields"
        )
    return defaults, cast("list[Plain]", content[_TASKS])


def _told(detail: ErrorDetails, place: int, one: dict[str, Plain], lines: Lines, where: str) -> str:
    steps = detail["loc"]
    root = (_TASKS, place) if not steps or steps[0] in one else (_DEFAULTS,)
    if detail["type"] == "missing":
        root = (_TASKS, place)
    found, line = lines.locate((*root, *steps))
    field = field_of(found[len(root) :], detail) or "task"
    return word_mistake(detail, f"{where}:{line}", field, known_keys(Task, steps))

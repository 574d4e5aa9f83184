"""The program's own logging: one line for each event, to standard error, without personal data and secrets.

Values are masked when a line is written, not before.
"""

import logging
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from traceback import walk_tb
from typing import Literal, TextIO, TypeGuard, cast

import orjson
import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

from assistant.conversation.customer import Customer
from assistant.language.personal_data import mask_secrets
from assistant.telemetry.context import current_work

_LEAST = 3
"""Shorter values would be found in unrelated words."""

_LONGEST = 4_000
"""An answer of a provider may contain the whole request."""


def _without_sample(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    """Leave out what is logged while example conversations are played: no customer had them."""
    if event.get("sample"):
        raise structlog.DropEvent
    return event


def set_up_logging(
    level: str = "INFO",
    *,
    form: Literal["console", "json"] = "console",
    traces_from: Path | None = None,
    counted: Callable[[str], None] | None = None,
) -> None:
    """Send all log lines to standard error: for people, in colour only in a terminal, or as JSON.

    A line about a conversation names its tenant, conversation and turn, also if the code that logs does not. A
    second call replaces what the first one set.

    Args:
        level: lines below this level are left out.
        form: for people (console) or for programs (json: one object in each line).
        traces_from: a folder. A traceback begins at the first line that ran in this folder, because its
            authors do not need the lines before it. None: tracebacks are complete.
        counted: called with the level of each line of this program.
    """

    def traceback_of(exc_info: ExcInfo) -> str:
        # Plain: the rich form prints local variables, which contain customers' words.
        told = traceback.TracebackException(*exc_info)
        if traces_from is not None:
            told.stack = _since(traces_from.resolve(), told.stack)
        return masked_traceback("".join(told.format()).rstrip(), exc_info[1])

    def write_traceback(stream: TextIO, error: ExcInfo) -> None:
        stream.write("\n" + traceback_of(error))

    def count(_: WrappedLogger, method: str, event: EventDict) -> EventDict:
        if counted is not None:
            counted(method)
        return event

    level_number = logging.getLevelNamesMapping()[level]
    finish: list[Processor] = [
        structlog.processors.TimeStamper(fmt="%H:%M:%S"),
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=write_traceback),
    ]
    if form == "json":
        finish = [
            structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
            structlog.processors.ExceptionRenderer(traceback_of),
            structlog.processors.JSONRenderer(_to_json),
        ]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            _without_sample,
            structlog.processors.add_log_level,
            count,
            mask_event,
            name_work,
            *finish,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level_number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    _set_up_libraries(max(level_number, logging.WARNING), form)


def _set_up_libraries(level: int, form: Literal["console", "json"]) -> None:
    """Write what libraries log with ``logging`` in the same form."""
    formatter = JsonFormatter() if form == "json" else MaskedFormatter("%(levelname)s %(name)s: %(message)s")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    logging.basicConfig(level=level, handlers=[handler])
    for known in logging.getLogger().handlers:
        if isinstance(known.formatter, MaskedFormatter):
            known.setFormatter(formatter)


def name_work(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A log processor that adds the tenant, the conversation, the turn and the call that the code works for."""
    work = current_work.get()
    if work is None or event.get("conversation", work.conversation) != work.conversation:
        return event  # a line about another conversation is not about this turn
    named = {"tenant": work.tenant, "conversation": work.conversation, "turn": work.turn, "call": work.call}
    return {**{name: value for name, value in named.items() if value}, **event}


def mask_event(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """A log processor that masks all values of the line. The formatter masks exceptions."""
    return {name: value if name == "exc_info" else _masked_value(value) for name, value in event.items()}


def masked_traceback(text: str, error: BaseException) -> str:
    """A formatted exception without personal data, and without the arguments and the customer of its tool."""
    return mask_secrets(text, set(_known_to(error)))


class MaskedFormatter(logging.Formatter):
    """Formats and masks what libraries log with ``logging``, including tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """The masked line."""
        return mask_secrets(super().format(record))


class JsonFormatter(MaskedFormatter):
    """The same as JSON: one object in each line, with the fields of this program's own lines."""

    def format(self, record: logging.LogRecord) -> str:
        """The masked line."""
        line: EventDict = {
            "event": mask_secrets(record.getMessage()),
            "level": record.levelname.lower(),
            "logger": record.name,
            "time": datetime.fromtimestamp(record.created, UTC).isoformat().replace("+00:00", "Z"),
        }
        if record.exc_info:
            line["exception"] = mask_secrets(self.formatException(record.exc_info))
        return _to_json(dict(name_work(None, "", line)))


def _to_json(line: EventDict, **_: object) -> str:
    first = {name: line[name] for name in ("time", "level", "event") if name in line}
    return orjson.dumps({**first, **line}, default=repr).decode()


def _masked_value(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    return mask_secrets(value if isinstance(value, str) else repr(value))[:_LONGEST]


def _known_to(error: BaseException) -> Iterator[str]:
    for each in _chain(error, set()):
        for frame, _ in walk_tb(each.__traceback__):
            for name, value in frame.f_locals.items():
                if isinstance(value, Customer):
                    yield from _leaves(value.name)
                elif name == "arguments":
                    yield from _leaves(value)


def _chain(error: BaseException, seen: set[int]) -> Iterator[BaseException]:
    """The error, and all errors that caused it."""
    if id(error) in seen:
        return
    seen.add(id(error))
    yield error
    inner = error.exceptions if _is_group(error) else ()
    for other in (error.__cause__, error.__context__, *inner):
        if other is not None:
            yield from _chain(other, seen)


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)


def _leaves(value: object) -> Iterator[str]:
    match value:
        case bool():
            return
        case str() | int() | float():
            if len(str(value)) >= _LEAST:
                yield str(value)
        case Mapping():
            for inner in cast("Mapping[str, object]", value).values():
                yield from _leaves(inner)
        case list() | tuple():
            for inner in cast("Sequence[object]", value):
                yield from _leaves(inner)
        case _:
            return


def _since(folder: Path, stack: traceback.StackSummary) -> traceback.StackSummary:
    """The frames from the first one in the folder on; all frames if none is in the folder."""
    for number, frame in enumerate(stack):
        if Path(frame.filename).is_relative_to(folder):
            return traceback.StackSummary.from_list(stack[number:])
    return stack

"""The program's own logging: one line for each event, to standard error, without personal data and secrets.

Values are masked when a line is written, not before.
"""

import logging
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from traceback import walk_tb
from typing import TextIO, TypeGuard, cast

import structlog
from structlog.typing import EventDict, ExcInfo, WrappedLogger

from assistant.conversation.customer import Customer
from assistant.language.personal_data import mask_secrets

_LEAST = 3
"""Shorter values would be found in words that have nothing to do with them."""

_LONGEST = 4_000
"""An answer of a provider may hold the whole request."""


def set_up_logging(level: str = "INFO", *, traces_from: Path | None = None) -> None:
    """Send all log lines to standard error, in colour only in a terminal.

    Args:
        level: what is less than this is left out.
        traces_from: tracebacks begin at the first line that ran in this folder: what was before it is no
            concern of its team. Left out, they are whole.
    """

    def traceback_of(stream: TextIO, error: ExcInfo) -> None:
        # Plain: the rich form prints local variables, and with them what customers said.
        told = traceback.TracebackException(*error)
        if traces_from is not None:
            told.stack = _since(traces_from.resolve(), told.stack)
        stream.write("\n" + masked_traceback("".join(told.format()).rstrip(), error[1]))

    level_number = logging.getLevelNamesMapping()[level]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            mask_event,
            structlog.processors.TimeStamper(fmt="%H:%M:%S"),
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=traceback_of),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level_number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    others = max(level_number, logging.WARNING)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(MaskedFormatter("%(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=others, handlers=[handler])


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
    """The error, and all that led to it."""
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
    """The frames from the first one in the folder on; all of them when none is."""
    for number, frame in enumerate(stack):
        if Path(frame.filename).is_relative_to(folder):
            return traceback.StackSummary.from_list(stack[number:])
    return stack

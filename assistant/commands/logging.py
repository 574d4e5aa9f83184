"""How this program logs: one line an event, to standard error, without personal data."""

import logging
import sys
import traceback
from pathlib import Path
from typing import TextIO

import structlog
from structlog.typing import ExcInfo

from assistant.commands.masked_log import MaskedFormatter, mask_event, masked_traceback


def set_up_logging(level: str = "INFO", *, traces_from: Path | None = None) -> None:
    """Send what the rooms log to standard error; colours only where somebody is looking.

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


def _since(folder: Path, stack: traceback.StackSummary) -> traceback.StackSummary:
    """The frames from the first one in the folder on; all of them when none is."""
    for number, frame in enumerate(stack):
        if Path(frame.filename).is_relative_to(folder):
            return traceback.StackSummary.from_list(stack[number:])
    return stack

"""Words what came of a call as its outcome, so that the log, the model and the customer can all take it."""

import asyncio
from collections.abc import Sequence

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    Media,
    Outcome,
)
from assistant.conversation.values import Json
from assistant.errors import NO_REASON, AssistantError, CredentialError
from assistant.tooling.result import ToolResult
from assistant.tooling.running.pool import NoThread
from assistant.tooling.written import LOST_NUMBERS, Unkeepable, Written, write_down

log = structlog.get_logger(__name__)

MOST_BYTES = 20_000_000
"""A result that is larger, as JSON and with its media, is not kept: its call has failed."""

LARGE_BYTES = 1_000_000
"""A result that is larger is kept, and our log warns of it: models have to read all of it."""

UNEXPECTED = NO_REASON

_LONGEST_TEXT = 20_000
_GAVE_UP = "something within the tool was cancelled"


def found(call: Call, result: ToolResult, key: str, left_out: Sequence[str] = ()) -> Outcome:
    """The outcome of a call that gave something; ``left_out`` is what could not be kept of its media.

    Raises ``Unkeepable``.
    """
    media = media_of(result)
    written = kept(call, result.value, key, beside=sum(len(one.data) for one in media))
    if is_nothing(written.value) and not media:
        if left_out:
            raise Unkeepable(f"Nothing of the result could be kept: {'; '.join(left_out)}.")
        return CallEmpty(call=call, value=written.value)
    return CallSucceeded(call=call, value=written.value, media=media, left_out=tuple(left_out))


def kept(call: Call, value: object, key: str, *, beside: int = 0) -> Written:
    """The value as the log can keep it, with ``beside`` bytes of media. Raises ``Unkeepable``."""
    written = fitting(value, beside=beside)
    if (size := written.size + beside) > LARGE_BYTES:
        log.warning("a tool's result is large", tool=call.tool, call=key, bytes=size)
    if written.lost_numbers:
        log.warning(LOST_NUMBERS, tool=call.tool, call=key)
    return written


def fitting(value: object, *, beside: int) -> Written:
    """The value, written down. Raises ``Unkeepable``: it has too many bytes, together with those ``beside`` it."""
    written = write_down(value)
    size = written.size + beside
    if size > MOST_BYTES:
        raise Unkeepable(f"The result has {size} bytes; at most {MOST_BYTES} are kept. Return less of it.")
    return written


def failed(call: Call, error: BaseException, key: str, after_s: float) -> Outcome:
    """The outcome of a call that raised this, ``after_s`` seconds after its start."""
    if isinstance(error, asyncio.CancelledError):
        return CallCancelled(call=call, why=_GAVE_UP)
    if isinstance(error, TimeoutError):
        return CallTimedOut(call=call, after_s=after_s)
    if isinstance(error, Unkeepable | NoThread):
        log.error("tool could not be served", tool=call.tool, call=key, why=str(error))
    if isinstance(error, CredentialError):
        return CallDenied(call=call, say=error.say, for_model=error.for_model)
    if isinstance(error, AssistantError):
        return _refused(call, error)
    _tell(call, error, key)
    return CallFailed(
        call=call, say=UNEXPECTED, for_model=_text(f"{type(error).__name__} inside the tool.", UNEXPECTED)
    )


def no_credential(call: Call) -> CallDenied:
    """The outcome of a call that needs the customer's own credential where there is none, or no longer."""
    error = CredentialError(refused=False)
    return CallDenied(call=call, say=error.say, for_model=error.for_model)


def is_nothing(value: Json) -> bool:
    """Whether a tool's value means that there is nothing: None, or an empty text, list or mapping.

    >>> is_nothing([]), is_nothing(None), is_nothing(0), is_nothing(False)
    (True, True, False, False)
    """
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def media_of(result: ToolResult) -> tuple[Media, ...]:
    """A result's media, which a tool may have filled with anything. Raises ``Unkeepable``."""
    media: object = result.media
    if not isinstance(media, tuple | list):
        raise Unkeepable("The result's media are no tuple of Media.")
    for one in media:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(one, Media):
            raise Unkeepable("The result's media are no tuple of Media.")
        write_down([one.mime, one.data, one.name])
        if not isinstance(one.mime, str) or not isinstance(one.data, str):
            raise Unkeepable("The mime and the data of the result's media are no texts.")
    return tuple(media)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _refused(call: Call, error: AssistantError) -> CallFailed:
    say, for_model = UNEXPECTED, UNEXPECTED
    try:
        say = _text(error.say, UNEXPECTED)
        for_model = _text(error.for_model, say)
    except Exception:
        # An error of the team's own kind, which fails while it words itself.
        _tell(call, error, call.id)
    return CallFailed(call=call, say=say, for_model=for_model)


def _text(text: object, otherwise: str) -> str:
    """A text that can be written and is not endless; anything else is replaced."""
    if not isinstance(text, str) or not text:
        return otherwise
    return _written(text[:_LONGEST_TEXT])


def _written(text: str) -> str:
    """The text, with a question mark for every half of a character."""
    return text.encode("utf-8", "replace").decode()


def _tell(call: Call, error: BaseException, key: str) -> None:
    try:
        log.error("tool raised", tool=call.tool, call=key, exc_info=error)
    except Exception:
        # Its own words cannot be written.
        log.error("tool raised", tool=call.tool, call=key, error=_written(type(error).__name__))

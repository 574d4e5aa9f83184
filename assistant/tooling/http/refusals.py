"""What is said when a system does not do what it was asked: to the customer, to the model, and in the log."""

from collections.abc import Sequence
from http import HTTPStatus

import orjson
import structlog

from assistant.conversation.values import Json
from assistant.errors import ToolError
from assistant.tooling.http.answer import Answer
from assistant.tooling.http.service import Service

log = structlog.get_logger(__name__)

_QUOTED = 500
"""So many characters of a system's own words a model is given."""

_DONE_UNSEEN = "it was sent off, but I can't see what came of it"
_UNSURE = "it may or may not have been done. Do not ask for it again before it has been looked up."

_NOT_BEGUN = (HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.SERVICE_UNAVAILABLE)
"""Errors of the system after which nothing was done."""

_MESSAGES = ("message", "detail", "error_description", "error", "title", "errors")


def not_set_up(service: Service, missing: Sequence[str]) -> ToolError:
    """Secrets are named in the file, and nobody has set them."""
    log.error("secrets are not set", service=service.name, missing=list(missing))
    return ToolError(
        f"I can't reach {service.name} just now",
        for_model=f"{service.name} is not set up ({', '.join(missing)} not set); asking again will not help.",
    )


def unreachable(service: Service, error: BaseException) -> ToolError:
    """No connection, or a lookup's answer broke off."""
    log.warning("cannot be reached", service=service.name, error=type(error).__name__)
    return ToolError(
        f"I can't reach {service.name} just now",
        for_model=f"{service.name} cannot be reached ({type(error).__name__}).",
        temporary=True,
    )


def unsure(service: Service, error: BaseException) -> ToolError:
    """A change was sent, and the connection broke before it was answered."""
    log.warning("a change was sent and not answered", service=service.name, error=type(error).__name__)
    return ToolError(
        f"I can't tell whether {service.name} has done it",
        for_model=f"The connection broke after the request was sent: {_UNSURE}",
        # Tried again only by a tool that says of itself that it may be.
        temporary=True,
    )


def too_long(service: Service) -> ToolError:
    """More came than is read."""
    log.warning("answer is too long", service=service.name, most=service.max_bytes)
    return ToolError(
        "there is more than I can look through at once",
        for_model=f"The answer has more than {service.max_bytes} bytes and was not read; ask for less.",
    )


def unreadable(service: Service, what: str) -> ToolError:
    """The answer is none that the file describes. ``what`` follows "the answer"."""
    _log_unread(service, what)
    return ToolError(f"I can't read what {service.name} says just now", for_model=f"The answer {what}.")


def unseen(service: Service, what: str) -> ToolError:
    """A change was made, and the answer that tells so is none that the file describes."""
    _log_unread(service, what)
    told = f"It was answered as done, and the answer {what}. It was done; do not ask for it again."
    return ToolError(_DONE_UNSEEN, for_model=told)


def refused(service: Service, answer: Answer, own_words: str | None, *, of_change: bool) -> ToolError:
    """The system answered with an error. ``own_words`` is the clause that the file has for this status."""
    status = answer.status
    said = _cut(service.credentials.without_secrets(message_in(answer.body)))
    log.warning("request was refused", service=service.name, status=status)
    if of_change and _may_be_done(status):
        clause, told = f"I can't tell whether {service.name} has done it", f"It answered {status}: {_UNSURE}"
    else:
        clause, told = _clause(service.name, status), _answered(status, answer.retry_after)
    return ToolError(
        own_words or clause,
        for_model=f"{told} It says: {said}" if said else told,
        temporary=status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR,
        retry_after_s=answer.retry_after_s,
    )


def message_in(body: bytes) -> str:
    """The words of an error's body, whichever key they stand under.

    >>> message_in(b'{"detail": [{"loc": ["query", "day"], "msg": "not a date"}]}')
    'day: not a date'
    >>> message_in(b'{"error": {"code": 7, "message": "It is closed."}}')
    'It is closed.'
    >>> message_in(b'<html>'), message_in(b'no such order')
    ('', 'no such order')
    """
    try:
        return _words(orjson.loads(body))
    except orjson.JSONDecodeError:
        text = body.decode("utf-8", "replace").strip()
        return "" if text.startswith("<") else text


def _cut(words: str) -> str:
    return words if len(words) <= _QUOTED else f"{words[:_QUOTED]}…"


def _may_be_done(status: int) -> bool:
    """Whether a change may have been made although its answer is an error."""
    broke = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _NOT_BEGUN
    return broke or status == HTTPStatus.REQUEST_TIMEOUT


def _log_unread(service: Service, what: str) -> None:
    # What it has instead may be about customers: that is for the model alone.
    log.warning("answer cannot be read", service=service.name, answer=what.partition(";")[0])


def _words(value: Json) -> str:
    if isinstance(value, list):
        return "; ".join(filter(None, map(_words, value)))
    if not isinstance(value, dict):
        return value.strip() if isinstance(value, str) else ""
    if isinstance(value.get("msg"), str):
        return f"{_place(value.get('loc'))}{value['msg']}"
    return next((words for key in _MESSAGES if (words := _words(value.get(key)))), "")


def _place(where: Json) -> str:
    """The field that a complaint is about, from its way there."""
    names = [str(part) for part in where[1:]] if isinstance(where, list) else []
    return f"{'.'.join(names)}: " if names else ""


def _clause(name: str, status: int) -> str:
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return f"I have no access to {name} just now"
        case HTTPStatus.NOT_FOUND | HTTPStatus.GONE:
            return "I can't find that"
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            return f"{name} is too busy just now"
        case _ if status < HTTPStatus.BAD_REQUEST or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return f"{name} has a problem just now"
        case _:
            return f"{name} did not accept that"


def _answered(status: int, retry_after: str) -> str:
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return f"Access was refused ({status}); asking again will not help."
        case HTTPStatus.TOO_MANY_REQUESTS | HTTPStatus.SERVICE_UNAVAILABLE:
            wait = f" It asks to wait: {retry_after}." if retry_after else ""
            return f"It is too busy ({status}).{wait}"
        case _:
            return f"It answered {status}."

"""Sends a request, and turns its response into a tool's value or an error.

A write is never sent twice. Each error has different texts for the customer, the model and the log.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import aiohttp
import orjson
import structlog
from aiohttp import ClientConnectorError, ClientError, ClientOSError, ServerDisconnectedError
from yarl import URL

from assistant.conversation.values import Json
from assistant.errors import ToolError
from assistant.prompts.locale import language
from assistant.resilience import retry_after_s
from assistant.telemetry.context import traceparent
from assistant.tools.http.request import Request, merged_headers
from assistant.tools.http.service import Service, query_of
from assistant.tools.options import by_locale

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A response. ``kind`` is the media type in lower case, without parameters.

    ``retry_after`` is the system's text, and ``retry_after_s`` its value in seconds if it can be parsed.
    """

    status: int
    kind: str
    body: bytes = field(repr=False)
    retry_after: str = ""
    retry_after_s: float | None = None


_MOST_NAMES = 12
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponsePath:
    """``path`` leads to the result, ``("data", "items", "0")``. ``fields`` maps our names to the system's."""

    path: tuple[str, ...] = ()
    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def out_of(self, answer: Json) -> Json:
        """Returns the result; for a list, the fields of each item. A missing field becomes null.

        >>> pick = ResponsePath(path=("items",), fields={"number": ("no",), "total": ("price", "amount")})
        >>> pick.out_of({"items": [{"no": 7, "price": {"amount": "1.50"}, "etag": "x"}, {"no": 8}]})
        [{'number': 7, 'total': '1.50'}, {'number': 8, 'total': None}]

        Raises:
            LookupError: the path does not exist. The error says what is there instead.
        """
        found = answer
        for name in self.path:
            found = _step(found, name, ".".join(self.path))
        if not self.fields:
            return found
        if isinstance(found, list):
            return [self._fields_of(one) for one in found]
        return self._fields_of(found)

    def _fields_of(self, value: Json) -> Json:
        if not isinstance(value, Mapping):
            return value
        return {ours: _follow(value, theirs) for ours, theirs in self.fields.items()}


def way(written: str) -> tuple[str, ...]:
    """Returns the steps of a path.

    >>> way("data.items.0"), way("")
    (('data', 'items', '0'), ())
    """
    return tuple(filter(None, written.split(".")))


def _step(value: Json, name: str, path: str) -> Json:
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        raise LookupError(f"has no {name!r} on the way to {path!r}; it has: {_listed(value)}")
    if isinstance(value, list) and name.isdecimal():
        if int(name) < len(value):
            return value[int(name)]
        # The first item of an empty list is an empty result, not a mistake.
        return None
    raise LookupError(f"has no {name!r} on the way to {path!r}; there is no object")


def _listed(names: Iterable[str]) -> str:
    """Returns some of the names as text, because an answer may have thousands."""
    some = list(islice(names, _MOST_NAMES + 1))
    rest = "..." if len(some) > _MOST_NAMES else ""
    return (
        ", ".join([*(name[:_LONGEST_NAME] for name in some[:_MOST_NAMES]), *filter(None, [rest])])
        or "nothing"
    )


def _follow(value: Json, path: tuple[str, ...]) -> Json:
    try:
        for name in path:
            value = _step(value, name, "")
    except LookupError:
        return None
    return value


log = structlog.get_logger(__name__)

_QUOTED = 500
"""The most characters of a system's message that a model gets."""

_DONE_UNSEEN = "it was sent off, but I can't see what came of it"
_UNSURE = "it may or may not have been done. Do not ask for it again before it has been looked up."

_NOT_BEGUN = (HTTPStatus.NOT_IMPLEMENTED, HTTPStatus.SERVICE_UNAVAILABLE)
"""Errors of the system that mean that nothing was done."""

_MESSAGES = ("message", "detail", "error_description", "error", "title", "errors")


def not_set_up(service: Service, missing: Sequence[str]) -> ToolError:
    """Returns the error for secrets that the file names and that are not set."""
    log.error("secrets are not set", service=service.name, missing=list(missing))
    return ToolError(
        f"I can't reach {service.name} just now",
        for_model=f"{service.name} is not set up ({', '.join(missing)} not set); asking again will not help.",
    )


def unreachable(service: Service, error: BaseException) -> ToolError:
    """Returns the error for a failed connection, or for a lookup whose answer was interrupted."""
    log.warning("cannot be reached", service=service.name, error=type(error).__name__)
    return ToolError(
        f"I can't reach {service.name} just now",
        for_model=f"{service.name} cannot be reached ({type(error).__name__}).",
        temporary=True,
    )


def unsure(service: Service, error: BaseException) -> ToolError:
    """Returns the error for a change whose connection broke after it was sent and before it was answered."""
    log.warning("a change was sent and not answered", service=service.name, error=type(error).__name__)
    return ToolError(
        f"I can't tell whether {service.name} has done it",
        for_model=f"The connection broke after the request was sent: {_UNSURE}",
        # A retry follows only if the tool declares that a repetition is safe.
        temporary=True,
    )


def too_long(service: Service) -> ToolError:
    """Returns the error for an answer that is longer than ``max_bytes``."""
    log.warning("answer is too long", service=service.name, most=service.max_bytes)
    return ToolError(
        "there is more than I can look through at once",
        for_model=f"The answer has more than {service.max_bytes} bytes and was not read; ask for less.",
    )


def unreadable(service: Service, what: str) -> ToolError:
    """Returns the error for an answer that does not match the file. ``what`` continues "the answer"."""
    _log_unread(service, what)
    return ToolError(f"I can't read what {service.name} says just now", for_model=f"The answer {what}.")


def unseen(service: Service, what: str) -> ToolError:
    """Returns the error for a change that was made, but whose answer does not match the file."""
    _log_unread(service, what)
    told = f"It was answered as done, and the answer {what}. It was done; do not ask for it again."
    return ToolError(_DONE_UNSEEN, for_model=told)


def refused(service: Service, answer: Response, own_words: str | None, *, of_change: bool) -> ToolError:
    """Returns the system's error as a ``ToolError``. ``own_words`` is the file's clause for this status."""
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
    """Returns the message in an error's body, under any of the usual keys.

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
    """Whether a change may have been made although the answer is an error."""
    broke = status >= HTTPStatus.INTERNAL_SERVER_ERROR and status not in _NOT_BEGUN
    return broke or status == HTTPStatus.REQUEST_TIMEOUT


def _log_unread(service: Service, what: str) -> None:
    # The other content may be about customers, so only the model gets it.
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
    """Returns the field of a validation error, from its location."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReader:
    """How a tool reads answers.

    ``empty_on`` are the statuses that mean "nothing was found". ``errors`` has clauses for customers by
    status, in one or several languages. ``without_content`` is the value of a successful answer without
    content. ``of_change`` is True if the answers belong to a side effect.
    """

    pick: ResponsePath = field(default_factory=ResponsePath)
    empty_on: tuple[int, ...] = ()
    errors: Mapping[int, str | Mapping[str, str]] = field(default_factory=dict[int, str | Mapping[str, str]])
    without_content: Json = None
    of_change: bool = False

    def value(self, answer: Response, service: Service, locale: str) -> Json:
        """Returns the tool's value. Raises ``ToolError`` if the answer is an error or cannot be read."""
        if answer.status in self.empty_on:
            return None
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            own_words = _words_in(locale, self.errors.get(answer.status))
            raise refused(service, answer, own_words, of_change=self.of_change)
        if not answer.body.strip():
            return self.without_content
        try:
            return self.pick.out_of(_content(answer))
        except (ValueError, LookupError) as error:
            raise (unseen if self.of_change else unreadable)(service, str(error.args[0])) from None


def _content(answer: Response) -> Json:
    if answer.kind in ("text/plain", "text/csv"):
        try:
            return answer.body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError("is called text and is no utf-8") from error
    if answer.kind == "application/json" or answer.kind.endswith("+json"):
        try:
            return orjson.loads(answer.body.removeprefix(BOM_UTF8))
        except orjson.JSONDecodeError as error:
            raise ValueError("is called JSON and is none") from error
    raise ValueError(f"is {answer.kind}, which is neither JSON nor plain text")


def _words_in(locale: str, written: str | Mapping[str, str] | None) -> str | None:
    """Returns the clause in this language, or else in English, or None if there is neither."""
    if written is None:
        return None
    words = by_locale(written)
    return words.get(locale) or words.get(language(locale)) or words.get("en")


class Unanswered(ClientError):
    """A change was sent, and its connection broke before the answer."""


async def sent_once(request: "ClientRequest", handler: "ClientHandlerType") -> "ClientResponse":
    """Send the request. Raises ``Unanswered`` in the case in which aiohttp would retry: PUT and DELETE on a
    reused connection.
    """
    try:
        return await handler(request)
    except ClientConnectorError:
        raise
    except (ClientOSError, ServerDisconnectedError) as error:
        raise Unanswered(type(error).__name__) from error


_SAFE = ("GET", "HEAD")
_MOST_REDIRECTS = 3
_LONGEST_WAIT = 40  # characters of a number of seconds or a date
_REDIRECTS = (301, 302, 303, 307, 308)


async def send(request: Request, service: Service) -> Response:
    """Send the request with the secrets of the service. Redirects are followed only for lookups, on the same
    host.

    Raises:
        ToolError: there is no readable answer: a secret is not set, there is no connection, or the answer is
            too long.
    """
    if service.credentials.missing:
        raise not_set_up(service, service.credentials.missing)
    url = service.base.origin + service.base.path + _with_secrets(request.target, service)
    try:
        return await _answer(request, url, service)
    except (aiohttp.ClientConnectorError, aiohttp.InvalidURL) as error:
        raise unreachable(service, error) from None
    except (aiohttp.ClientError, OSError) as error:
        # The request was sent, and its result is unknown.
        raise (unsure if request.changes else unreachable)(service, error) from None


async def _answer(request: Request, url: str, service: Service) -> Response:
    session = await service.connections.session()
    traced = {"traceparent": parent} if (parent := traceparent()) is not None else {}
    headers = merged_headers(traced, request.headers, service.credentials.of("header"))
    middlewares = (sent_once,) if request.changes else ()
    for _ in range(_MOST_REDIRECTS + 1):
        async with session.request(
            request.method,
            URL(url, encoded=True),
            headers=headers,
            data=request.body,
            allow_redirects=False,
            middlewares=middlewares,
        ) as response:
            onward = _onward(request, response, url)
            if onward is None:
                return await _read(response, service, request)
            url = onward
    raise unreachable(service, RecursionError("redirects without end"))


def _onward(request: Request, response: aiohttp.ClientResponse, url: str) -> str | None:
    """Returns the address to which a lookup is redirected on the same host, or None if this is the final
    answer.
    """
    there = response.headers.get("Location", "")
    if response.status not in _REDIRECTS or request.method not in _SAFE or not there:
        return None
    try:
        onward = urljoin(url, there)
    except ValueError:
        return None
    is_plain = onward.isascii() and not set(onward) & set(" \\")
    return onward if is_plain and _origin(onward) == _origin(url) else None


async def _read(response: aiohttp.ClientResponse, service: Service, request: Request) -> Response:
    body = bytearray()
    async for piece in response.content.iter_any():
        body += piece
        if len(body) > service.max_bytes:
            if request.changes and response.ok:
                raise unseen(service, f"has more than {service.max_bytes} bytes")
            raise too_long(service)
    return Response(
        status=response.status,
        kind=response.content_type.lower(),
        body=bytes(body),
        retry_after=response.headers.get("Retry-After", "")[:_LONGEST_WAIT],
        retry_after_s=retry_after_s(response.headers, _their_time(response)),
    )


def _their_time(response: aiohttp.ClientResponse) -> datetime | None:
    """Returns the time of the system's own clock, with which dates in its answers are compared."""
    try:
        return parsedate_to_datetime(response.headers.get("Date", ""))
    except ValueError:
        return None


def _with_secrets(target: str, service: Service) -> str:
    secret = query_of(list(service.credentials.of("query").items()))
    return target + (secret.replace("?", "&", 1) if "?" in target else secret)


def _origin(url: str) -> tuple[str, str]:
    """Returns the origin, including a user before the host, because an address with a user is another origin."""
    address = urlsplit(url)
    return address.scheme, address.netloc.lower()

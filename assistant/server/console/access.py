"""Who may use a route of the console: session, origin, permission; and the record of each use.

A route is made with :class:`ConsoleRoute`, and has one of these dependencies:

* :class:`Access` for signed-in people. It writes a record before the route does anything; the route's end writes
  what came of it, before the answer is sent.
* :func:`own_page` for sign-in itself, which comes from the console's own page and from no session.

The identity provider's way in and out has neither, because a browser comes there from another site: see
:mod:`assistant.server.console.oidc_routes`.
"""

import hmac
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import structlog
from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute

from assistant.errors import AssistantError, LogError
from assistant.server.console.console_context import Console
from assistant.server.origins import origin_allowed
from assistant.server.proxies import client_address
from assistant.staff.accounts import Account, RefusalCode, StaffRefused
from assistant.staff.audit import AuditRecord, Outcome
from assistant.staff.roles import SHOWS_CUSTOMERS, Permission
from assistant.staff.staff import SignedIn

COOKIE = "meanwhile_console"
TOKEN_HEADER = "X-Console-Token"  # noqa: S105 - a name

PREFIX_KEY = "meanwhile.prefix"
"""In a request's scope: the part of its path that was removed, such as "/t/acme"."""

_MOST_BYTES = 64 * 1024
_CHANGES = ("POST", "PATCH", "PUT", "DELETE")

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class ConsoleRefused(AssistantError):
    """A request of the console was refused; ``code`` is for its page, ``str()`` for the person."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.status, self.code = status, code
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        super().__init__(message)


class Entry:
    """The record of one request, which the route may add to."""

    def __init__(self, console: Console, record: AuditRecord) -> None:
        self._console, self._record = console, record

    @property
    def number(self) -> int:
        """The number of the record."""
        return self._record.number

    def note(self, *, kind: str = "", object_id: str = "", customer: str = "", detail: str = "") -> None:
        """Add what is known only now: written at the end, whatever comes of the request."""
        given = {"kind": kind, "object": object_id, "customer": customer, "detail": detail[:500]}
        self._record = replace(self._record, **{name: value for name, value in given.items() if value})

    async def finish(self, outcome: Outcome) -> None:
        """Write what came of it. If that fails, the record stays as begun."""
        try:
            await self._console.audit.finish_record(replace(self._record, outcome=outcome))
        except LogError as error:
            log.warning(
                "the outcome of an action is not recorded", action=self._record.action, why=str(error)
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The person whose request it is. ``entry`` is its record; None if this route's use is not recorded."""

    who: SignedIn
    token: str
    entry: Entry | None

    @property
    def account(self) -> Account:
        """The person's account as it is now."""
        return self.who.account

    def note(self, *, kind: str = "", object_id: str = "", customer: str = "", detail: str = "") -> None:
        """Add to the record what is known only now."""
        if self.entry is not None:
            self.entry.note(kind=kind, object_id=object_id, customer=customer, detail=detail)

    def need(self, permission: Permission) -> None:
        """Raise ``ConsoleRefused`` unless the person has this permission, too."""
        if permission not in self.account.may:
            raise ConsoleRefused(
                403, "not_allowed", f"your roles do not include {permission}; an admin can change them"
            )


async def begin_entry(
    console: Console,
    request: Request,
    account: Account | None,
    action: str,
    *,
    kind: str = "",
    object_id: str = "",
) -> Entry:
    """Record a request before anything is done. Raises ``LogError``: then nothing may be done."""
    record = AuditRecord(
        tenant=console.staff.tenant,
        at_ms=console.clock.now_ms(),
        account=account.id if account is not None else "",
        login=account.login if account is not None else "",
        action=action,
        kind=kind,
        object=object_id[:200],
        address=client_address(request) or "",
    )
    entry = Entry(console, replace(record, number=await console.audit.add_record(record)))
    request.state.entry = entry
    return entry


class Access:
    """The dependency of a route for signed-in people.

    Args:
        console: the console.
        permission: what the person must be allowed; None: each person who is signed in may use it.
        action: how the use is recorded; "" if it is not. A route that shows customers' data has one, and so has
            one that changes something.
        kind: what is acted on, such as "account".
        named_by: the part of the path that names it.
    """

    def __init__(
        self,
        console: Console,
        permission: Permission | None,
        action: str = "",
        *,
        kind: str = "",
        named_by: str = "",
    ) -> None:
        if permission in SHOWS_CUSTOMERS and not action:
            raise ValueError(f"a route with {permission!r} shows customers' data, so it needs an action")
        self._console, self.permission, self.action = console, permission, action
        self._kind, self._named_by = kind, named_by

    async def __call__(self, request: Request) -> Person:
        """The person. Raises ``ConsoleRefused``, or ``LogError`` if the use cannot be recorded."""
        own_page(request)
        who, token = await signed_in_by(self._console, request)
        if who is None:
            raise ConsoleRefused(401, "signed_out", "you are not signed in, or your session has ended")
        if request.method in _CHANGES and not hmac.compare_digest(
            request.headers.get(TOKEN_HEADER, "").encode(), csrf_of(token).encode()
        ):
            raise ConsoleRefused(
                403, "csrf", f"the header {TOKEN_HEADER} is missing or of another session; reload the page"
            )
        allowed = self.permission is None or self.permission in who.account.may
        entry = None
        if self.action or not allowed:
            entry = await begin_entry(
                self._console,
                request,
                who.account,
                self.action or f"{self.permission}",
                kind=self._kind,
                object_id=str(request.path_params.get(self._named_by, "")),
            )
        if not allowed:
            raise ConsoleRefused(
                403, "not_allowed", f"your roles do not include {self.permission}; an admin can change them"
            )
        return Person(who=who, token=token, entry=entry)


async def signed_in_by(console: Console, request: Request) -> tuple[SignedIn | None, str]:
    """The person whose session the browser has, if it has one, and the session's token."""
    token = request.cookies.get(COOKIE, "")
    return (await console.staff.signed_in(token) if token else None), token


def own_page(request: Request) -> None:
    """Refuse a change that does not come from the console's own page. Raises ``ConsoleRefused``.

    Browsers send the origin with each such request, and no page of another site can change it.
    """
    if request.method not in _CHANGES:
        return
    origin = request.headers.get("origin")
    if origin is None or not origin_allowed(origin, request.headers.get("host", ""), ()):
        log.warning("a change from another origin was refused", origin=origin, path=request.url.path)
        raise ConsoleRefused(
            403,
            "origin",
            f"this request comes from {origin!r}, not from the console's own page; if a proxy is in between, it"
            " must pass the host name on, see ASSISTANT_TRUSTED_PROXIES",
        )


def csrf_of(token: str) -> str:
    """What a page must send with each change: made of the session's token, which no other page can read.

    >>> csrf_of("a") == csrf_of("b"), len(csrf_of("a"))
    (False, 64)
    """
    return hmac.digest(token.encode(), b"console csrf", sha256).hex()


def set_cookie(request: Request, response: Response, token: str, longest_s: int) -> None:
    """Give the session's token to the browser; scripts cannot read it."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=longest_s,
        path=_cookie_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def delete_cookie(request: Request, response: Response) -> None:
    """Remove the session's token from the browser."""
    response.delete_cookie(
        COOKIE,
        path=_cookie_path(request),
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def home_of(request: Request) -> str:
    """The console's address as the browser knows it, without a slash at the end."""
    host = request.headers.get("host", "")
    return f"{request.url.scheme}://{host}{_cookie_path(request)}"


def _cookie_path(request: Request) -> str:
    return f"{request.scope.get(PREFIX_KEY, '')}/console"


class ConsoleRoute(APIRoute):
    """A route whose every failure is an answer that the page can show, and whose record is finished first."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The function that answers a request."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                _check_size(request)
                response = await handle(request)
                status = response.status_code
            except (AssistantError, RequestValidationError, HTTPException) as error:
                refusal = _refusal(error)
                response, status = self.shown(request, error, refusal), refusal.status_code
            except Exception:
                await _finish(request, "failed")
                raise
            await _finish(request, "ok" if status < 400 else "refused" if status < 500 else "failed")
            response.headers.update(_HEADERS)
            return response

        return answer

    def shown(self, request: Request, error: Exception, refusal: JSONResponse) -> Response:
        """How a refusal is answered."""
        del request, error
        return refusal


_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}

_STATUS: dict[RefusalCode, int] = {
    "wrong_password": 401,
    "link_invalid": 401,
    "unknown_account": 404,
    "login_taken": 409,
    "last_admin": 409,
    "account_disabled": 409,
    "login_invalid": 422,
    "password_weak": 422,
    "password_current": 403,
    "identity_incomplete": 403,
    "email_unverified": 403,
    "domain": 403,
    "not_invited": 403,
    "other_identity": 403,
    "no_role": 403,
}


async def _finish(request: Request, outcome: Outcome) -> None:
    entry = getattr(request.state, "entry", None)
    if isinstance(entry, Entry):
        await entry.finish(outcome)


def _check_size(request: Request) -> None:
    """Refuse a body that is too large before it is read. Raises ``ConsoleRefused``."""
    length = request.headers.get("content-length", "0")
    if "transfer-encoding" in request.headers or not length.isdigit() or int(length) > _MOST_BYTES:
        raise ConsoleRefused(413, "too_large", f"a request of the console has at most {_MOST_BYTES} bytes")


def _refusal(error: AssistantError | RequestValidationError | HTTPException) -> JSONResponse:
    match error:
        case ConsoleRefused():
            return _problem(error.status, error.code, str(error), error.headers)
        case StaffRefused():
            return _problem(_STATUS[error.code], error.code, str(error))
        case RequestValidationError():
            problem = error.errors()[0]
            where = ".".join(str(part) for part in problem["loc"][1:]) or "body"
            return _problem(422, "invalid", f"{where}: {problem['msg']}")  # without the value
        case HTTPException():
            return _problem(error.status_code, "invalid", str(error.detail))
        case _:
            log.warning("a request of the console could not be followed", why=str(error))
            return _problem(503, "busy", str(error), {"Retry-After": "5"})


def _problem(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    readable = message.encode("utf-8", "replace").decode()  # half a character cannot be sent
    return JSONResponse({"error": {"code": code, "message": readable}}, status, headers)

"""The routes under ``/v1/uploads``: the widget brings a customer's file, asks for its state, and deletes it."""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from assistant.errors import IdentityError
from assistant.memory.library import LibraryDocument
from assistant.server.auth import Visit
from assistant.server.files.uploads import RequestRefused, Uploads, respond
from assistant.server.frames.frame import JsonFrame
from assistant.server.limits import TokenBuckets, client_address, visitor_key
from assistant.server.operators.access import bearer
from assistant.server.origins import origin_allowed
from assistant.server.server_context import ServerContext

PATH = "/v1/uploads"
_DAY_S = "86400"


class _Entrance:
    """Lets customers in: from which pages, by which token, how often.

    A token comes in a header that no other site's page can send in a customer's name, never in an address.
    """

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        limits, clock = context.limits, context.clock
        self._visitors = TokenBuckets(limits.uploads_per_minute, clock)
        self._addresses = TokenBuckets(limits.uploads_per_minute * limits.visitors_per_address, clock)

    async def answer(self, request: Request, work: Callable[[], Awaitable[Response]]) -> Response:
        """The answer to a page that may ask; a browser hands it on only with these headers."""
        origin = request.headers.get("origin")
        if not origin_allowed(origin, request.headers.get("host", ""), self._context.origins):
            return await respond(_refused_origin(origin))
        let_in = {"Access-Control-Allow-Origin": origin} if origin is not None else {}
        return await respond(work(), {"Vary": "Origin", "Cache-Control": "no-store", **let_in})

    def uploads(self) -> Uploads:
        """What customers' files go into. Raises ``RequestRefused`` where none are taken."""
        if self._context.uploads is None:
            raise RequestRefused(
                404, "off", "uploads are off here; the operator turns them on with ASSISTANT_UPLOADS=true"
            )
        return self._context.uploads

    def visit(self, request: Request) -> Visit:
        """Whose token this is. Raises ``RequestRefused``."""
        try:
            return self._context.tokens.read(bearer(request.headers.get("authorization")))
        except IdentityError as error:
            problem = f"{error}; send 'Authorization: Bearer' and the newest welcome.token"
            raise RequestRefused(401, "token_invalid", problem, **{"WWW-Authenticate": "Bearer"}) from error

    def count(self, request: Request, visit: Visit) -> None:
        """Take one of what this visitor and their address have left. Raises ``RequestRefused``."""
        whence = client_address(request.client.host if request.client else None)
        if not (
            self._visitors.allow(visitor_key(visit)) and (whence is None or self._addresses.allow(whence))
        ):
            problem = f"more than {self._context.limits.uploads_per_minute} files in a minute; wait one"
            raise RequestRefused(429, "rate_limited", problem, **{"Retry-After": "60"})


def upload_routes(context: ServerContext) -> APIRouter:
    """The routes under ``/v1/uploads``. Each wants ``Authorization: Bearer <welcome.token>``."""
    router = APIRouter(prefix=PATH)
    entrance = _Entrance(context)
    one = "/{ref:path}"

    @router.post("")
    async def upload(request: Request, name: str = "") -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            uploads, visit = entrance.uploads(), entrance.visit(request)
            entrance.count(request, visit)
            kept, size = await uploads.keep_upload(request, visit.key, name)
            return JSONResponse({**_shown(kept), "bytes": size}, 201)

        return await entrance.answer(request, work)

    @router.get(one)
    async def status(request: Request, ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            uploads, visit = entrance.uploads(), entrance.visit(request)
            return JSONResponse(_shown(await uploads.find(visit.key, ref)))

        return await entrance.answer(request, work)

    @router.delete(one)
    async def delete(request: Request, ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            uploads, visit = entrance.uploads(), entrance.visit(request)
            await uploads.delete(visit.key, ref)
            return Response(status_code=204)

        return await entrance.answer(request, work)

    @router.options("")
    @router.options(one)
    async def options(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await entrance.answer(request, _may_ask)

    return router


def _shown(file: LibraryDocument) -> JsonFrame:
    """What a customer is told of a file of theirs."""
    return {
        "ref": file.ref,
        "name": file.title,
        "state": file.state,
        "problem": file.problem or None,
        "expires_at": file.expires_ms,
    }


async def _may_ask() -> Response:
    """What a browser asks first, before a page of another origin sends a file."""
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "POST, GET, DELETE",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
            "Access-Control-Max-Age": _DAY_S,
        },
    )


async def _refused_origin(origin: str | None) -> Response:
    problem = f"pages of {origin} may not upload to this server; its operator lists them in ASSISTANT_ORIGINS"
    raise RequestRefused(403, "origin", problem)

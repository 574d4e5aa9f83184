"""Why a file is not taken, or not found: for a program by a code, for people in a sentence."""

from collections.abc import Awaitable, Mapping

import structlog
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, Response

from assistant.errors import StoreError

_CLIENT_GONE = 499
"""Nobody reads this answer; it has a number of its own so that it is not taken for a fault of ours."""


log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Refusal(Exception):
    """A request that is not followed.

    Args:
        status: of HTTP.
        code: for the program that asked.
        message: what is wrong, which value, and what would have worked.
    """

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.status, self.code, self.headers = status, code, headers
        super().__init__(message)


async def answered(work: Awaitable[Response], headers: Mapping[str, str] | None = None) -> Response:
    """The answer, or the refusal as one; ``headers`` are put on either."""
    try:
        response = await work
    except Refusal as refusal:
        told = {"code": refusal.code, "message": str(refusal)}
        response = JSONResponse(told, refusal.status, refusal.headers)
    except StoreError as error:
        log.warning("documents cannot be reached", error=str(error))
        told = {"code": "busy", "message": "documents cannot be reached just now; try again in a moment"}
        response = JSONResponse(told, 503, {"Retry-After": "5"})
    except ClientDisconnect:
        response = Response(status_code=_CLIENT_GONE)
    response.headers.update(headers or {})
    return response

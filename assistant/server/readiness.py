"""``/readyz``: whether this server can answer customers now, for load balancers and supervisors."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf

import structlog
from fastapi import APIRouter
from fastapi.responses import JSONResponse

from assistant.errors import LogError
from assistant.ports import Clock

log = structlog.get_logger(__name__)

AGAIN_AFTER_S = 1.0
"""Questions within so long get the last answer: each look writes to the log."""

PATIENCE_S = 5.0
"""A log that needs longer to store nothing cannot be written."""


@dataclass(slots=True)
class Readiness:
    """Remembers for a moment whether the log can be written.

    Args:
        check_log: raises ``LogError`` if it cannot.
    """

    check_log: Callable[[], Awaitable[None]]
    clock: Clock
    _looked_at: float = -inf
    _problem: str | None = None
    _looking: asyncio.Lock | None = None

    async def problem(self) -> str | None:
        """Why this server is not ready; None if it is."""
        self._looking = self._looking or asyncio.Lock()
        async with self._looking:
            if self.clock.monotonic() >= self._looked_at + AGAIN_AFTER_S:
                problem = await self._look()
                self._looked_at = self.clock.monotonic()
                if problem is not None and self._problem is None:
                    log.error("not ready", why=problem)
                elif problem is None and self._problem is not None:
                    log.info("ready again")
                self._problem = problem
            return self._problem

    async def _look(self) -> str | None:
        try:
            async with self.clock.timeout(PATIENCE_S):
                await self.check_log()
        except TimeoutError:
            return f"the log did not answer within {PATIENCE_S:.0f} seconds"
        except LogError as error:
            return str(error)
        return None


def readiness_routes(readiness: Readiness, long_calls_wait: Callable[[], bool]) -> APIRouter:
    """The route. That long calls wait for Temporal is told, and a server is ready all the same."""
    routes = APIRouter()

    @routes.get("/readyz")
    async def readyz() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        problem = await readiness.problem()
        if problem is None:
            waiting = {"long_calls": "waiting"} if long_calls_wait() else {}
            return JSONResponse({"status": "ready", **waiting})
        return JSONResponse({"status": "unavailable", "reason": problem}, 503, {"Retry-After": "5"})

    return routes

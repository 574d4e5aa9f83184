"""``/readyz``: whether this server can answer customers now, for load balancers, supervisors and people."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import structlog
from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from assistant.findings import Finding, Fine, Look, Wrong, lines, looked_at
from assistant.ports import Clock

log = structlog.get_logger(__name__)

AGAIN_AFTER_S = 1.0
"""Seconds in which a request gets the last answer again, because each check writes to the log."""

PATIENCE_S = 5.0
"""Seconds after which a check has failed: if the log needs longer to store nothing, it cannot be written."""


@dataclass(slots=True)
class Readiness:
    """Checks each part of the server, and keeps the result for a moment.

    Args:
        looks: the checks, each with the name of its subject. If one finds a problem, the server is not ready.
        clock: measures how long an answer is kept, and how long a check may take.
    """

    looks: Sequence[tuple[str, Look]]
    clock: Clock
    _looked_at: float = -inf
    _found: Sequence[Finding] = ()
    _was_ready: bool = False
    _looking: asyncio.Lock | None = None

    async def findings(self) -> Sequence[Finding]:
        """The findings of the checks, in order."""
        self._looking = self._looking or asyncio.Lock()
        async with self._looking:
            if self.clock.monotonic() >= self._looked_at + AGAIN_AFTER_S:
                found = [
                    finding
                    for findings in await asyncio.gather(*(self._look(*one) for one in self.looks))
                    for finding in findings
                ]
                self._looked_at = self.clock.monotonic()
                self._mention(reason(self._found), reason(found))
                self._found = found
            return self._found

    async def _look(self, what: str, look: Look) -> list[Finding]:
        try:
            async with self.clock.timeout(PATIENCE_S):
                return await looked_at(what, look)
        except TimeoutError:
            return [
                Wrong(what, f"no answer within {PATIENCE_S:.0f} seconds", "look at the disk or the database")
            ]

    def _mention(self, before: str, now: str) -> None:
        if now and not before:
            # Just after the start, models are still loading: this is no failure.
            (log.error if self._was_ready else log.info)("not ready", why=now)
        elif before and not now:
            log.info("ready again" if self._was_ready else "ready")
        self._was_ready = self._was_ready or not now


def reason(found: Sequence[Finding]) -> str:
    """Why a server is not ready; "" if it is.

    >>> reason([Fine("log", "can be written"), Wrong("disk", "2 MB left")])
    'disk: 2 MB left'
    """
    return "; ".join(f"{one.what}: {one.says}" for one in found if isinstance(one, Wrong))


def readiness_routes(readiness: Readiness) -> APIRouter:
    """The route: 200 or 503, as JSON, or as text for clients that accept text or HTML, such as browsers."""
    routes = APIRouter()

    @routes.get("/readyz")
    async def readyz(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        found = await readiness.findings()
        why = reason(found)
        status, headers = (503, {"Retry-After": "5"}) if why else (200, {})
        asked = request.headers.get("accept", "")
        if "text/plain" in asked or "text/html" in asked:
            rows = [line for finding in found for line in lines(finding, None)]
            text = "\n".join(["not ready" if why else "ready", "", *rows, ""])
            return PlainTextResponse(text, status, headers)
        told = {"status": "unavailable", "reason": why} if why else {"status": "ready"}
        return JSONResponse({**told, "checks": [_wire(one) for one in found]}, status, headers)

    return routes


def _wire(finding: Finding) -> dict[str, str | bool]:
    ok = not isinstance(finding, Wrong)
    told: dict[str, str | bool] = {"name": finding.what, "ok": ok, "says": finding.says}
    return told if isinstance(finding, Fine) or not finding.cure else {**told, "cure": finding.cure}

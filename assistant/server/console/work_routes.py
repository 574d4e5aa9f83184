"""Whether a person is available, and who of their colleagues is."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response

from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Console
from assistant.server.console.session_routes import Body
from assistant.staff.profiles import WorkProfile


class Presence(Body):
    """Switches oneself to away, or back to available."""

    away: bool


def work_routes(console: Console) -> APIRouter:
    """The routes of one's own presence."""
    router = APIRouter(prefix="/console/api/presence", route_class=ConsoleRoute)

    @router.post("")
    async def switch(  # pyright: ignore[reportUnusedFunction]
        body: Presence, person: Annotated[Person, Depends(Access(console, "inbox.read", "presence.change"))]
    ) -> Response:
        if console.workforce is None:
            raise ConsoleRefused(404, "unknown", "this server has no inbox")
        person.note(detail="away" if body.away else "available")
        profile = await console.workforce.change(person.account, away=body.away)
        return JSONResponse(profile_json(profile, console.workforce.clock.now_ms()))

    return router


def profile_json(profile: WorkProfile, now_ms: int) -> dict[str, Json]:
    """How a person works, as pages see it."""
    return {
        "teams": list(profile.teams),
        "skills": list(profile.skills),
        "capacity": profile.capacity,
        "away": profile.away,
        "availability": profile.availability(now_ms),
    }

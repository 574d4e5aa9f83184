"""Pausing and resuming the assistant, a channel, a tool or a version; and choosing the launch mode."""

from collections.abc import Collection
from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Console, PauseControls
from assistant.server.console.session_routes import Body, Text
from assistant.staff.launch import USUAL, LaunchRefused, launch_text, read_launch
from assistant.staff.pauses import Pause, Paused, PausedKind, PauseRefused, check_name

SHOWN_VERSIONS = 20


class Resume(Body):
    """Resumes something; ``name`` is "" for the whole assistant."""

    kind: PausedKind
    name: Annotated[Text, Field(max_length=200)] = ""


class PauseSomething(Resume):
    """Pauses something. Colleagues see the reason; customers and models do not."""

    why: Annotated[Text, Field(max_length=300)] = ""


class ChooseLaunch(Body):
    """Chooses how the assistant answers, and whom: see :class:`assistant.staff.launch.Launch`."""

    mode: Annotated[Text, Field(max_length=20)]
    percent: int = 100
    levels: Annotated[list[Text], Field(max_length=10, default_factory=list)]
    locales: Annotated[list[Text], Field(max_length=50, default_factory=list)]
    wait_s: int = USUAL.wait_s
    why: Annotated[Text, Field(max_length=300)] = ""


def pause_routes(console: Console, controls: PauseControls) -> APIRouter:
    """The routes of pauses."""
    router = APIRouter(prefix="/console/api/pauses", route_class=ConsoleRoute)

    def pausing(action: str = "") -> Access:
        return Access(console, "assistant.pause", action)

    @router.get("")
    async def pauses(person: Annotated[Person, Depends(pausing())]) -> Response:  # pyright: ignore[reportUnusedFunction] (as below)
        return await _answer(controls, person)

    @router.post("")
    async def pause(  # pyright: ignore[reportUnusedFunction]
        body: PauseSomething, person: Annotated[Person, Depends(pausing("assistant.pause"))]
    ) -> Response:
        person.note(kind=body.kind, object_id=body.name, detail=body.why)
        try:
            check_name(body.kind, body.name, await _known(body.kind, controls))
        except PauseRefused as error:
            raise ConsoleRefused(404, "unknown_name", str(error)) from error
        account = person.account
        await controls.pauses.pause(body.kind, body.name, account=account.id, by=account.name, why=body.why)
        return await _answer(controls, person)

    @router.post("/resume")
    async def resume(  # pyright: ignore[reportUnusedFunction]
        body: Resume, person: Annotated[Person, Depends(pausing("assistant.resume"))]
    ) -> Response:
        person.note(kind=body.kind, object_id=body.name)
        await controls.pauses.resume(body.kind, body.name)
        return await _answer(controls, person)

    @router.post("/launch")
    async def choose_launch(  # pyright: ignore[reportUnusedFunction]
        body: ChooseLaunch, person: Annotated[Person, Depends(pausing("assistant.launch"))]
    ) -> Response:
        try:
            launch = read_launch(body.mode, body.percent, body.levels, body.locales, body.wait_s)
        except LaunchRefused as error:
            raise ConsoleRefused(422, "no_launch", str(error)) from error
        person.note(kind="launch", detail=launch_text(launch) + (f" ({body.why})" if body.why else ""))
        if launch != USUAL and not controls.people:
            raise ConsoleRefused(
                409, "no_people", "no agents can be reached, so no one would answer customers"
            )
        account = person.account
        await controls.pauses.choose_launch(launch, account=account.id, by=account.name, why=body.why)
        return await _answer(controls, person)

    return router


async def _known(kind: PausedKind, controls: PauseControls) -> Collection[str]:
    match kind:
        case "assistant":
            return [""]
        case "channel":
            return controls.channels
        case "tool":
            return [spec.name for spec in controls.tools()]
        case "version":
            return [bundle for bundle, _ in await controls.versions(1000)]


async def _answer(controls: PauseControls, person: Person) -> Response:
    """Everything that can be paused, and what is."""
    newest, locale = controls.newest(), person.account.language or "en"
    versions: list[Json] = [
        {"id": bundle, "first_used_at": first_ms, "newest": bundle == newest}
        for bundle, first_ms in await controls.versions(SHOWN_VERSIONS)
    ]
    now = await controls.pauses.now()
    return JSONResponse(
        {
            "paused": [pause_json(one) for one in now.parts],
            "launch": _launch_json(now),
            "channels": [*controls.channels],
            "tools": [_tool_json(spec, locale) for spec in controls.tools()],
            "versions": versions,
            "people": controls.people,
        }
    )


def pause_json(pause: Pause) -> dict[str, Json]:
    """A pause as the page sees it."""
    return {
        "kind": pause.kind,
        "name": pause.name,
        "by": pause.by,
        "since": pause.since_ms,
        "why": pause.why or None,
    }


def _launch_json(now: Paused) -> dict[str, Json]:
    """The launch mode as the page sees it; "chosen" is null in the usual mode."""
    launch, chosen = now.launch, now.launch_choice
    return {
        "mode": launch.mode,
        "percent": launch.percent,
        "levels": [*launch.levels],
        "locales": [*launch.locales],
        "wait_s": launch.wait_s,
        "chosen": None if chosen is None else pause_json(chosen),
    }


def _tool_json(spec: ToolSpec, locale: str) -> dict[str, Json]:
    hint = spec.hint(locale)
    return {
        "name": spec.name,
        "does": hint.doing if hint is not None else "",
        "writes": spec.effect == "write",
    }

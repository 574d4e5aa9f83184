"""The accounts of a company, for those who may manage them."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRoute, Person, home_of
from assistant.server.console.console_context import Console, ConsoleLanguage
from assistant.server.console.session_routes import Body, Login, Name, Text, account_json
from assistant.server.console.work_routes import profile_json
from assistant.staff.accounts import Account, StaffRefused
from assistant.staff.profiles import WorkProfile
from assistant.staff.roles import ROLES, Role
from assistant.staff.staff import LINK_S

Roles = Annotated[list[Role], Field(max_length=len(ROLES))]


Names = Annotated[
    list[
        Annotated[
            Text, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f,]*[^\s\x00-\x1f,][^\x00-\x1f,]*$")
        ]
    ],
    Field(max_length=50),
]


class AddPerson(Body):
    """Adds an account. The person signs in with a link first, and sets a password."""

    login: Login
    name: Name | None = None
    roles: Roles
    language: ConsoleLanguage | Literal[""] = ""


class ChangePerson(Body):
    """Changes an account."""

    name: Name | None = None
    roles: Roles | None = None
    disabled: bool | None = None
    teams: Names | None = None
    skills: Names | None = None
    capacity: Annotated[int, Field(ge=0, le=100)] | None = None


def people_routes(console: Console) -> APIRouter:
    """The routes of people."""
    router = APIRouter(prefix="/console/api/people", route_class=ConsoleRoute)
    staff = console.staff

    def managing(action: str = "") -> Access:
        return Access(console, "people.manage", action, kind="account", named_by="account_id")

    @router.get("", dependencies=[Depends(managing())])
    async def people() -> Response:  # pyright: ignore[reportUnusedFunction] (as below)
        profiles = await console.workforce.profiles() if console.workforce is not None else {}
        found: list[Json] = []
        for one in await staff.people():
            known = profiles.get(one.id) or WorkProfile(tenant=staff.tenant, account=one.id)
            found.append({**person_json(one), **profile_json(known, console.clock.now_ms())})
        return JSONResponse({"people": found})

    @router.post("")
    async def add(body: AddPerson, person: Annotated[Person, Depends(managing("people.add"))]) -> Response:  # pyright: ignore[reportUnusedFunction]
        person.note(detail=f"{body.login}: {', '.join(body.roles)}")
        added = await staff.add_person(body.login, body.name or "", body.roles, language=body.language)
        person.note(object_id=added.id)
        return JSONResponse(person_json(added), 201)

    @router.patch("/{account_id}")
    async def change(  # pyright: ignore[reportUnusedFunction]
        account_id: str, body: ChangePerson, person: Annotated[Person, Depends(managing("people.change"))]
    ) -> Response:
        given = body.model_dump(exclude_none=True)
        person.note(detail="; ".join(f"{name}: {_shown(value)}" for name, value in given.items()))
        changed = await staff.change_person(
            account_id, name=body.name, roles=body.roles, disabled=body.disabled
        )
        if console.workforce is None:
            return JSONResponse(person_json(changed))
        profile = await console.workforce.change(
            changed,
            teams=None if body.teams is None else tuple(body.teams),
            skills=None if body.skills is None else tuple(body.skills),
            capacity=body.capacity,
        )
        return JSONResponse({**person_json(changed), **profile_json(profile, console.clock.now_ms())})

    @router.post("/{account_id}/link")
    async def link(  # pyright: ignore[reportUnusedFunction]
        request: Request, account_id: str, person: Annotated[Person, Depends(managing("people.link"))]
    ) -> Response:
        del person
        account = next((one for one in await staff.people() if one.id == account_id), None)
        if account is None:
            raise StaffRefused("unknown_account", f"there is no account with the id {account_id[:50]!r}")
        token = await staff.make_link(account)
        expires_at = console.clock.now_ms() + LINK_S * 1000
        return JSONResponse({"url": f"{home_of(request)}/link#{token}", "expires_at": expires_at})

    return router


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def person_json(account: Account) -> dict[str, Json]:
    """An account as admins see it."""
    return {
        **account_json(account),
        "disabled": account.disabled,
        "has_password": bool(account.password),
        "last_seen_at": account.seen_ms or None,
    }

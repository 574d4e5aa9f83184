"""Signing in and out, and one's own account."""

from typing import Annotated, get_args

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from assistant.conversation.values import Json
from assistant.server.console.access import (
    Access,
    ConsoleRefused,
    ConsoleRoute,
    Person,
    begin_entry,
    csrf_of,
    delete_cookie,
    own_page,
    set_cookie,
    signed_in_by,
)
from assistant.server.console.console_context import Console, ConsoleLanguage
from assistant.server.console.oidc_routes import end_of, start_address
from assistant.server.proxies import client_address
from assistant.staff.accounts import Account, StaffRefused
from assistant.staff.passwords import LONGEST
from assistant.staff.staff import NewSession

_WAIT_S = "60"


def _whole(text: str) -> str:
    """Refuse half a character, which JSON may contain and no storage keeps."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("has half a character in it") from None
    return text


Text = Annotated[str, AfterValidator(_whole)]
Name = Annotated[Text, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
Login = Annotated[Text, Field(min_length=1, max_length=200)]
Password = Annotated[Text, Field(min_length=1, max_length=LONGEST)]


class Body(BaseModel):
    """The body of a request; a field that is not known is a mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SignIn(Body):
    """Signs a person in with a password."""

    login: Login
    password: Password


class UseLink(Body):
    """Signs a person in with a one-time link."""

    token: Annotated[Text, Field(min_length=1, max_length=200)]


class ChangeAccount(Body):
    """Changes one's own account."""

    name: Name | None = None
    language: ConsoleLanguage | None = None
    password: Password | None = None
    current_password: Annotated[Text, Field(max_length=LONGEST)] = ""


def session_routes(console: Console) -> APIRouter:
    """The routes of sessions."""
    router = APIRouter(prefix="/console/api", route_class=ConsoleRoute)

    @router.get("/sign-in")
    def sign_in_ways(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction] (as below)
        company = console.company_sign_in
        oidc = {"name": company.provider.client.label, "href": start_address(request)} if company else None
        return JSONResponse(
            {
                "password": console.passwords,
                "oidc": oidc,
                "company": console.company(),
                "accent": console.accent,
                "locales": get_args(ConsoleLanguage),
            }
        )

    @router.get("/session")
    async def session(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        # Not an error if there is none: browsers show errors in red, and each first visit would have one.
        who, token = await signed_in_by(console, request)
        if who is None:
            return JSONResponse({"account": None})
        return JSONResponse(await session_json(console, who.account, token))

    @router.post("/session", dependencies=[Depends(own_page)])
    async def sign_in(request: Request, body: SignIn) -> Response:  # pyright: ignore[reportUnusedFunction]
        _check_passwords(console)
        await _limit(console, request, body.login)
        known = await console.staff.find_person(body.login)
        # An unknown login is recorded, too, so that both take equally long. What was typed may be a password.
        await begin_entry(console, request, known, "session.begin")
        return await _begun(console, request, await console.staff.sign_in(body.login, body.password))

    @router.post("/session/link", dependencies=[Depends(own_page)])
    async def use_link(request: Request, body: UseLink) -> Response:  # pyright: ignore[reportUnusedFunction]
        # No login is guessed here, so that only the address is limited: a link has 256 random bits.
        await _limit(console, request, f"links from {client_address(request)}")
        try:
            begun = await console.staff.use_link(body.token)
        except StaffRefused:
            await begin_entry(console, request, None, "session.begin_by_link")
            raise
        await begin_entry(console, request, begun.signed_in.account, "session.begin_by_link")
        return await _begun(console, request, begun)

    @router.delete("/session")
    async def sign_out(  # pyright: ignore[reportUnusedFunction]
        request: Request, person: Annotated[Person, Depends(Access(console, None, "session.end"))]
    ) -> Response:
        await console.staff.sign_out(person.who)
        company = console.company_sign_in if person.who.session.by == "oidc" else None
        response = JSONResponse({"elsewhere": await end_of(company, request) if company else None})
        delete_cookie(request, response)
        return response

    @router.patch("/account")
    async def change_account(  # pyright: ignore[reportUnusedFunction]
        request: Request,
        body: ChangeAccount,
        person: Annotated[Person, Depends(Access(console, None, "account.change"))],
    ) -> Response:
        account = person.account
        person.note(
            object_id=account.id, detail=", ".join(sorted(body.model_fields_set - {"current_password"}))
        )
        if body.password is not None:
            _check_passwords(console)
            await _limit(console, request, account.login)
            account = await console.staff.change_own_password(
                person.who, body.password, body.current_password
            )
        if body.name is not None or body.language is not None:
            account = await console.staff.change_person(account.id, name=body.name, language=body.language)
        return JSONResponse(await session_json(console, account, person.token))

    return router


def _check_passwords(console: Console) -> None:
    """Raise ``ConsoleRefused`` if people do not sign in with passwords."""
    if not console.passwords:
        raise ConsoleRefused(
            403, "passwords_off", "passwords are switched off (ASSISTANT_CONSOLE_PASSWORDS=false)"
        )


async def _limit(console: Console, request: Request, login: str) -> None:
    """Count an attempt for its login and its address. Raises ``ConsoleRefused`` if there were too many."""
    address = client_address(request) or "this machine"
    if not await console.sign_ins.allow(console.staff.tenant, login.strip().casefold(), address):
        raise ConsoleRefused(
            429, "too_many", "too many attempts to sign in; wait a minute and try again", Retry_After=_WAIT_S
        )


async def _begun(console: Console, request: Request, begun: NewSession) -> JSONResponse:
    response = JSONResponse(await session_json(console, begun.signed_in.account, begun.token))
    set_cookie(request, response, begun.token, console.staff.longest_s)
    return response


async def session_json(console: Console, account: Account, token: str) -> dict[str, Json]:
    """A session as the page sees it."""
    return {
        "account": account_json(account),
        "may": [*account.may],
        "csrf": csrf_of(token),
        "company": console.company(),
        "accent": console.accent,
        "sample": await console.has_sample(),
        "passwords": console.passwords,
    }


def account_json(account: Account) -> dict[str, Json]:
    """An account as pages see it."""
    return {
        "id": account.id,
        "login": account.login,
        "name": account.name,
        "roles": sorted(account.roles),
        "language": account.language,
    }

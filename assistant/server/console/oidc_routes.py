"""Signing in with the company's identity provider: there and back.

A person's browser comes to these routes by links and redirects. So a problem is not an answer in JSON: the person
gets back to the sign-in page, whose address says what was wrong.
"""

from typing import Annotated
from urllib.parse import urlencode

import structlog
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response

from assistant.conversation.values import Json
from assistant.server.console.access import (
    PREFIX_KEY,
    ConsoleRefused,
    ConsoleRoute,
    begin_entry,
    home_of,
    set_cookie,
)
from assistant.server.console.console_context import CompanySignIn, Console
from assistant.server.console.sign_in_cookie import VALID_S, PendingSignIn, SignInCookies, own_address
from assistant.server.proxies import client_address
from assistant.staff.accounts import Account, StaffRefused
from assistant.staff.identity import ProvidedIdentity, enter, known_account
from assistant.staff.openid import IdentityRefused, ProviderError
from assistant.staff.sessions import token_hash

START, END = "/console/oidc/start", "/console/oidc/end"
ACTION = "session.begin_by_provider"

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

_SEE_OTHER = 303
_Text = Annotated[str, Query(max_length=4_000)]


class SignInRoute(ConsoleRoute):
    """A route whose refusals are shown by the sign-in page: ``#refused=CODE`` is in the address."""

    def shown(self, request: Request, error: Exception, refusal: JSONResponse) -> Response:
        """Send the browser to the sign-in page."""
        del refusal
        code = getattr(error, "code", "failed")
        log.warning("a sign-in with the identity provider was refused", code=code, why=str(error))
        next_address = getattr(request.state, "next_address", "") or own_address(request, "")
        return RedirectResponse(f"{next_address}#refused={code}", _SEE_OTHER)


def oidc_routes(console: Console, company: CompanySignIn) -> APIRouter:
    """The routes of the identity provider. Raises ``ConsoleRefused`` and ``StaffRefused`` in them."""
    router = APIRouter(prefix="/console/oidc", route_class=SignInRoute)
    provider, cookies = company.provider, SignInCookies(company.keys, console.clock, company.ids)

    @router.get("/start")
    async def start(request: Request, next: Annotated[str, Query()] = "") -> Response:  # noqa: A002  # pyright: ignore[reportUnusedFunction] (as below)
        request.state.next_address = own_address(request, next)
        redirect_uri = f"{home_of(request)}/oidc/callback"
        pending = cookies.new(provider.client.issuer, redirect_uri, request.state.next_address)
        await _limit(console, request, pending.state)
        try:
            address = await provider.authorization_address(pending.request)
        except ProviderError as error:
            raise ConsoleRefused(502, "provider_down", str(error)) from error
        response = RedirectResponse(address, _SEE_OTHER)
        cookies.give(request, response, pending)
        return response

    @router.get("/callback")
    async def callback(  # pyright: ignore[reportUnusedFunction]
        request: Request, state: _Text = "", code: _Text = "", iss: _Text | None = None, error: _Text = ""
    ) -> Response:
        await _limit(console, request, state)
        pending = cookies.read(request, state)
        if pending is not None:
            request.state.next_address = pending.next
        try:
            pending = await _first(pending)
            identity = await _identity(pending, code, iss, error)
            account = await known_account(console.staff, identity)
        except (ConsoleRefused, StaffRefused) as refused:
            entry = await begin_entry(console, request, None, ACTION)
            entry.note(detail=refused.code)
            raise
        response = await _entered(request, identity, account, pending)
        cookies.delete(request, response, state)
        return response

    @router.get("/end")
    async def end(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        """Sign the person out at the provider, too. Our own session has ended before."""
        try:
            there = (await provider.metadata()).end_session_endpoint
        except ProviderError as error:
            raise ConsoleRefused(502, "provider_down", str(error)) from error
        if there is None:
            raise ConsoleRefused(404, "provider_down", "the identity provider has no page for signing out")
        asked = {"client_id": provider.client.client_id, "post_logout_redirect_uri": home_of(request)}
        return RedirectResponse(f"{there}{'&' if '?' in there else '?'}{urlencode(asked)}", _SEE_OTHER)

    async def _first(pending: PendingSignIn | None) -> PendingSignIn:
        """The sign-in of this browser. Raises ``ConsoleRefused`` if there is none, or it has ended before."""
        if pending is not None and pending.issuer == provider.client.issuer:
            now_ms = console.clock.now_ms()
            once = f"sign-in:{token_hash(pending.state)}"
            until_ms = now_ms + 2 * VALID_S * 1000
            if await company.used.use(console.staff.tenant, once, until_ms=until_ms, now_ms=now_ms):
                return pending
        raise ConsoleRefused(
            400, "sign_in_lost", "this sign-in began in another browser, was used before, or is too old"
        )

    async def _identity(pending: PendingSignIn, code: str, iss: str | None, error: str) -> ProvidedIdentity:
        """Raises ``ConsoleRefused`` and ``StaffRefused``."""
        if error or not code:
            denied = error == "access_denied"
            raise ConsoleRefused(
                403,
                "provider_denied" if denied else "provider_failed",
                f"the identity provider says {error[:100]!r}",
            )
        try:
            return provider.rules.identity(await provider.redeem(code, iss, pending.request))
        except ProviderError as problem:
            raise ConsoleRefused(502, "provider_failed", str(problem)) from problem
        except IdentityRefused as problem:
            raise ConsoleRefused(403, "identity_refused", str(problem)) from problem

    async def _entered(
        request: Request, identity: ProvidedIdentity, account: Account | None, pending: PendingSignIn
    ) -> Response:
        entry = await begin_entry(console, request, account, ACTION)
        try:
            begun = await enter(console.staff, identity, new_accounts=provider.rules.new_accounts)
        except StaffRefused as refused:
            entry.note(detail=f"{refused.code} {identity.login}")
            raise
        entered = begun.signed_in.account
        if account is None:
            entry.note(kind="account", object_id=entered.id, detail=f"new_account {entered.login}")
        elif account.roles != entered.roles:
            entry.note(kind="account", object_id=entered.id, detail=roles_note(entered))
        response = RedirectResponse(pending.next, _SEE_OTHER)
        set_cookie(request, response, begun.token, console.staff.longest_s)
        return response

    return router


async def _limit(console: Console, request: Request, state: str) -> None:
    """Count an attempt for its address. Raises ``ConsoleRefused`` if there were too many."""
    address = client_address(request) or "this machine"
    if not await console.sign_ins.allow(console.staff.tenant, f"provider {state}", address):
        raise ConsoleRefused(429, "too_many", "too many attempts to sign in; wait a minute and try again")


def roles_note(account: Account) -> str:
    """The account's roles, for a record."""
    return f"roles: {', '.join(sorted(account.roles))}"


async def end_of(company: CompanySignIn, request: Request) -> dict[str, Json] | None:
    """Where a person can sign out at the provider, too; None if it has no such page, or does not answer."""
    try:
        there = (await company.provider.metadata()).end_session_endpoint
    except ProviderError:
        return None
    href = f"{request.scope.get(PREFIX_KEY, '')}{END}"
    return {"name": company.provider.client.label, "href": href} if there is not None else None


def start_address(request: Request) -> str:
    """Where the button of the sign-in page leads."""
    return f"{request.scope.get(PREFIX_KEY, '')}{START}"

"""Builds what staff use: their accounts, and the console."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from assistant.conversation.customer import SAMPLE_CUSTOMER
from assistant.errors import DeclarationError
from assistant.ports import Clock, Ids
from assistant.secret_files import secret_values
from assistant.server.console.console_context import (
    Approvals,
    CompanySignIn,
    Console,
    Conversations,
    Inspector,
    PauseControls,
)
from assistant.server.console.inbox import ConversationTopic, Inbox
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.staff.identity import IdentityRules
from assistant.staff.identity_provider import IdentityProvider, checked_address
from assistant.staff.openid import ProviderClient, ProviderError
from assistant.staff.passwords import Passwords
from assistant.staff.staff import Staff
from assistant.staff.workforce import Workforce
from assistant.store.storage import Storage


def staff_of(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> Staff:
    """The accounts of the tenant."""
    return Staff(
        tenant=settings.tenant,
        store=storage.staff,
        passwords=Passwords(),
        clock=clock,
        ids=ids,
        idle_hours=settings.console_idle_hours,
        session_days=settings.console_session_days,
    )


def console_of(
    settings: Settings,
    storage: Storage,
    clock: Clock,
    ids: Ids,
    company: Callable[[], str],
    controls: PauseControls,
    *,
    inspector: Inspector,
    sessions: SessionRegistry,
    handoffs: HandoffRegistry | None,
) -> Console | None:
    """The console of the tenant; None if it is switched off. Raises ``DeclarationError``."""
    if not settings.console:
        return None
    staff, inbox = staff_of(settings, storage, clock, ids), None
    workforce = Workforce(staff, storage.profiles, clock)
    if handoffs is not None:
        inbox = Inbox(
            tenant=settings.tenant,
            stored=storage.conversations,
            sessions=sessions,
            handoffs=handoffs,
            clock=clock,
            epoch=ids.new(),
            workforce=workforce,
            assigns=settings.assign_automatically,
        )
    console = Console(
        staff=staff,
        audit=storage.audit,
        conversations=Conversations(
            index=storage.index,
            read=storage.log.read,
            idle_ms=settings.conversation_idle_min * 60_000,
            inspector=inspector,
        ),
        clock=clock,
        company=company,
        shared=storage.rates,
        controls=controls,
        find_sample=partial(_has_sample, storage, settings.tenant),
        accent=settings.console_accent,
        passwords=settings.console_passwords,
        company_sign_in=_company_sign_in(settings, storage, clock, ids),
        inbox=inbox,
        replies=storage.replies,
        workforce=workforce,
        approvals=Approvals(tenant=settings.tenant, sessions=sessions, clock=clock),
    )
    if inbox is not None:
        console.topics |= {"inbox": inbox, "conversation": ConversationTopic(inbox)}
    return console


async def _has_sample(storage: Storage, tenant: str) -> bool:
    return bool(await storage.log.conversations(tenant, SAMPLE_CUSTOMER))


def _company_sign_in(settings: Settings, storage: Storage, clock: Clock, ids: Ids) -> CompanySignIn | None:
    provider = identity_provider_of(settings, clock)
    if provider is None:
        return None
    return CompanySignIn(provider=provider, keys=storage.keyring, ids=ids, used=storage.used_tokens)


def identity_provider_of(settings: Settings, clock: Clock) -> IdentityProvider | None:
    """The identity provider of the settings; None if there is none. Raises ``DeclarationError``."""
    issuer, client_id, secret = settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret
    if issuer is None:
        if client_id is not None or secret is not None:
            raise DeclarationError(
                "ASSISTANT_OIDC_CLIENT_ID or ASSISTANT_OIDC_CLIENT_SECRET is set without ASSISTANT_OIDC_ISSUER; set"
                " it to your identity provider's address, such as 'https://id.example.com/realms/staff'"
            )
        if not settings.console_passwords:
            raise DeclarationError(
                "ASSISTANT_CONSOLE_PASSWORDS=false leaves no way to sign in; set ASSISTANT_OIDC_ISSUER, too"
            )
        return None
    if client_id is None:
        raise DeclarationError(
            "ASSISTANT_OIDC_ISSUER needs ASSISTANT_OIDC_CLIENT_ID: register the console with your identity provider"
        )
    try:
        checked_address(issuer, "ASSISTANT_OIDC_ISSUER")
    except ProviderError as error:
        raise DeclarationError(str(error)) from error
    if wrong := [one for one in settings.oidc_domains if "@" in one]:
        raise DeclarationError(
            f"ASSISTANT_OIDC_DOMAINS has {wrong[0]!r}; write the domain alone, such as 'example.com'"
        )
    client = ProviderClient(
        issuer=issuer,
        client_id=client_id,
        secret=next(iter(secret_values(secret)), ""),
        scopes=settings.oidc_scopes,
        label=settings.oidc_label or urlsplit(issuer).hostname or issuer,
    )
    rules = IdentityRules(
        login_claim=settings.oidc_login_claim,
        email_verified=settings.oidc_email_verified,
        domains=settings.oidc_domains,
        new_accounts=settings.oidc_new_accounts,
        roles_claim=settings.oidc_roles_claim,
        roles=settings.oidc_roles,
    )
    return IdentityProvider(client, rules, clock)


LINK_PATH = "/console/link#"


async def operators_link(
    settings: Settings, storage: Storage, clock: Clock, ids: Ids, *, asked: bool
) -> str | None:
    """The path of a link that opens the console for who runs the server, valid once and for fifteen minutes.

    None if the console is off, or if there are accounts and no link was ``asked`` for.
    """
    staff = staff_of(settings, storage, clock, ids)
    if not settings.console or (await staff.people() and not asked):
        return None
    return f"{LINK_PATH}{await staff.make_operators_link()}"

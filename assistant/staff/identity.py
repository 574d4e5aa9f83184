"""Who a person is in the words of the company's identity provider, and which account that is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from assistant.conversation.values import Json
from assistant.staff.accounts import Account, StaffRefused, normal_login
from assistant.staff.roles import ROLES, Role
from assistant.staff.staff import NewSession, Staff

Claims: TypeAlias = Mapping[str, Json]

_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedIdentity:
    """A person whom the provider has checked.

    ``issuer`` and ``subject`` together never change. ``login`` may. ``roles`` is None if admins give roles in the
    console.
    """

    issuer: str
    subject: str
    login: str
    name: str
    roles: frozenset[Role] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRules:
    """What the claims of the provider mean, and whom the console lets in.

    Args:
        login_claim: the claim that is the login, such as "email".
        email_verified: an e-mail address counts only if the provider says that it is verified.
        domains: the domains of e-mail addresses that may sign in; empty for all.
        new_accounts: an account is made at the first sign-in.
        roles_claim: the claim that has the person's groups or roles at the provider.
        roles: the roles for each value of that claim; empty if admins give roles.
    """

    login_claim: str = "email"
    email_verified: bool = True
    domains: Sequence[str] = ()
    new_accounts: bool = True
    roles_claim: str = "groups"
    roles: Mapping[str, Sequence[Role]]

    def has_all(self, claims: Claims) -> bool:
        """Whether these claims contain everything that the rules use."""
        needed = [self.login_claim, *([self.roles_claim] if self.roles else [])]
        return all(claim_in(claims, name) is not None for name in needed)

    def identity(self, claims: Claims) -> ProvidedIdentity:
        """The person of claims that were checked. Raises ``StaffRefused`` if this person may not enter."""
        login = self._login(claims)
        named = claims.get("name")
        return ProvidedIdentity(
            issuer=str(claims["iss"]),
            subject=str(claims["sub"]),
            login=login,
            name=_printable(named)[:_LONGEST_NAME] if isinstance(named, str) else "",
            roles=self._roles(claims) if self.roles else None,
        )

    def _login(self, claims: Claims) -> str:
        written = claim_in(claims, self.login_claim)
        if not isinstance(written, str) or not written.strip():
            raise StaffRefused(
                "identity_incomplete",
                f"the identity provider sends no {self.login_claim!r}; see ASSISTANT_OIDC_LOGIN_CLAIM and"
                " ASSISTANT_OIDC_SCOPES",
            )
        login = normal_login(written)
        is_address = self.login_claim == "email" or bool(self.domains)
        if not is_address:
            return login
        if self.login_claim == "email" and self.email_verified and claims.get("email_verified") is not True:
            raise StaffRefused(
                "email_unverified",
                f"the identity provider does not say that the address {login[:100]} is verified; see"
                " ASSISTANT_OIDC_EMAIL_VERIFIED",
            )
        domain = login.rpartition("@")[2] if login.count("@") == 1 else ""
        if self.domains and domain not in {one.casefold() for one in self.domains}:
            raise StaffRefused("domain", f"addresses such as {login[:100]} may not sign in here")
        return login

    def _roles(self, claims: Claims) -> frozenset[Role]:
        given = _values(claim_in(claims, self.roles_claim))
        return frozenset(role for role in ROLES if any(role in self.roles.get(one, ()) for one in given))


def claim_in(claims: Claims, name: str) -> Json:
    """The claim with this name, or inside other claims with dots between their names; None if there is none.

    >>> claim_in({"https://acme.example/roles": "x"}, "https://acme.example/roles")
    'x'
    >>> claim_in({"realm_access": {"roles": ["agent"]}}, "realm_access.roles")
    ['agent']
    """
    if name in claims:
        return claims[name]
    found: Json = cast("Json", claims)
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _values(claim: Json) -> list[str]:
    """The values of a claim that is a text, a list of texts, or an object whose keys are the values."""
    if isinstance(claim, str):
        return [claim]
    return [one for one in claim if isinstance(one, str)] if isinstance(claim, list | dict) else []


def _printable(text: str) -> str:
    return "".join(letter for letter in text if letter.isprintable()).strip()


async def known_account(staff: Staff, identity: ProvidedIdentity) -> Account | None:
    """The account that this person had at earlier sign-ins, or that was made for their login."""
    return await staff.find_identity(identity.issuer, identity.subject) or await staff.find_person(
        identity.login
    )


async def enter(staff: Staff, identity: ProvidedIdentity, *, new_accounts: bool) -> NewSession:
    """Begin a session for a person whom the provider has checked. Raises ``StaffRefused``.

    The account belongs to the issuer and the subject from the first sign-in on. A later person with the same
    login, such as a new employee with an old address, does not get it.
    """
    account = await known_account(staff, identity)
    if account is None:
        account = await _new_account(staff, identity, new_accounts=new_accounts)
    if account.disabled:
        raise StaffRefused("account_disabled", f"the account {account.login} is disabled")
    if not await staff.bind_identity(identity.issuer, identity.subject, account):
        raise StaffRefused(
            "other_identity",
            f"the account {account.login} belongs to another person of the identity provider; if it is the same"
            f" person, run `assistant users unlink {account.login}`",
        )
    if identity.roles is not None and identity.roles != account.roles:
        account = await staff.change_person(account.id, roles=identity.roles)
    if identity.roles is not None and not identity.roles:
        raise StaffRefused("no_role", "none of your groups has a role in this console")
    return await staff.begin_session(account, "oidc")


async def _new_account(staff: Staff, identity: ProvidedIdentity, *, new_accounts: bool) -> Account:
    if not new_accounts:
        raise StaffRefused("not_invited", f"there is no account for {identity.login}; an admin can add one")
    if identity.roles is not None and not identity.roles:
        raise StaffRefused("no_role", "none of your groups has a role in this console")
    try:
        return await staff.add_person(identity.login, identity.name, identity.roles or ())
    except StaffRefused:
        # The same person signs in twice at the same time.
        found = await staff.find_person(identity.login)
        if found is None:
            raise
        return found

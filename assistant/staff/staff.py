"""Signs people in and out, and changes their accounts, for one tenant."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from assistant.ports import Clock, Ids
from assistant.staff.accounts import Account, StaffRefused, normal_login
from assistant.staff.passwords import Passwords
from assistant.staff.roles import Role
from assistant.staff.sessions import OneTimeLink, SignedInBy, StaffSession, token_hash
from assistant.staff.store import StaffStore

OPERATOR_LOGIN = "admin"
"""The login of the account that the link printed by a server opens."""

FIRST_LINK_S = 15 * 60
LINK_S = 24 * 3600
"""How long a link for a person is valid."""

_TOUCH_MS = 60_000
_NEW_PASSWORD_MS = 3600 * 1000
"""How long after a link was used a password may be set without the current one."""

_HOUR_MS = 3600 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A person who is signed in."""

    account: Account
    session: StaffSession


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """A session that has just begun. ``token`` is shown to the person's browser only."""

    signed_in: SignedIn
    token: str


class Staff:
    """The people of one tenant.

    Args:
        tenant: whose people they are.
        store: where accounts are stored.
        passwords: hashes passwords.
        clock: what times are measured by.
        ids: makes ids and tokens.
        idle_hours: a session ends when it is not used for this time.
        session_days: a session ends after this time in any case.
    """

    def __init__(
        self,
        *,
        tenant: str,
        store: StaffStore,
        passwords: Passwords,
        clock: Clock,
        ids: Ids,
        idle_hours: float,
        session_days: float,
    ) -> None:
        self.tenant = tenant
        self._store, self._passwords, self._clock, self._ids = store, passwords, clock, ids
        self._idle_ms = round(idle_hours * _HOUR_MS)
        self._longest_ms = round(session_days * 24 * _HOUR_MS)

    @property
    def longest_s(self) -> int:
        """After this time a session has ended in any case, in seconds."""
        return self._longest_ms // 1000

    async def sign_in(self, login: str, password: str) -> NewSession:
        """Begin a session with a password.

        Raises ``StaffRefused``: with the same text and after the same time for an unknown login, a wrong password
        and a disabled account.
        """
        found = await self.find_person(login)
        account = None if found is None or found.disabled else found
        stored = account.password if account is not None else ""
        right = await self._passwords.matches(stored, password)
        if account is None or not right:
            raise StaffRefused(
                "wrong_password", "the login or the password is wrong; an admin can send you a link"
            )
        if self._passwords.is_outdated(stored):
            hashed = await self._passwords.hash_again(password)
            account = await self._store.change_account(
                self.tenant, account.id, lambda one: replace(one, password=hashed)
            )
        return await self.begin_session(account, "password")

    async def use_link(self, token: str) -> NewSession:
        """Begin a session with a one-time link. Raises ``StaffRefused`` if it was used before or has expired."""
        link = await self._store.use_link(self.tenant, token_hash(token), self._clock.now_ms())
        account = await self._account_of(link) if link is not None else None
        if account is None or account.disabled:
            raise StaffRefused(
                "link_invalid",
                "this link was used before, has expired, or was replaced by a newer one; ask for another",
            )
        return await self.begin_session(account, "link")

    async def begin_session(self, account: Account, by: SignedInBy) -> NewSession:
        """Begin a session for a person whose identity was checked."""
        token, now_ms = self._ids.secret(), self._clock.now_ms()
        session = StaffSession(
            tenant=self.tenant,
            token_hash=token_hash(token),
            account=account.id,
            by=by,
            begun_ms=now_ms,
            used_ms=now_ms,
        )
        await self._store.begin_session(
            session, unused_since_ms=now_ms - self._idle_ms, begun_before_ms=now_ms - self._longest_ms
        )
        return NewSession(signed_in=SignedIn(account=account, session=session), token=token)

    async def signed_in(self, token: str, *, used: bool = True) -> SignedIn | None:
        """The person whose session has this token, as their account is now; None if the session has ended.

        ``used``: the person is doing something. A page that only stays open does not keep its session.
        """
        hashed, now_ms = token_hash(token), self._clock.now_ms()
        found = await self._store.read_session(self.tenant, hashed)
        if found is None:
            return None
        session, account = found
        ended = now_ms >= min(session.used_ms + self._idle_ms, session.begun_ms + self._longest_ms)
        if ended or account.disabled:
            return None
        if used and now_ms >= session.used_ms + _TOUCH_MS:
            await self._store.touch_session(self.tenant, hashed, now_ms)
        return SignedIn(account=account, session=session)

    async def sign_out(self, who: SignedIn) -> None:
        """End a session."""
        await self._store.end_session(self.tenant, who.session.token_hash)

    async def people(self) -> list[Account]:
        """All accounts, by login."""
        return await self._store.list_accounts(self.tenant)

    async def find_person(self, login: str) -> Account | None:
        """The account with this login, also if it is disabled; None if there is none."""
        try:
            return await self._store.find_account(self.tenant, normal_login(login))
        except StaffRefused:
            return None

    async def find_identity(self, issuer: str, subject: str) -> Account | None:
        """The account of this person of an identity provider, also if it is disabled."""
        return await self._store.find_identity(self.tenant, issuer, subject)

    async def bind_identity(self, issuer: str, subject: str, account: Account) -> bool:
        """Give an account to a person of an identity provider; False if it is another person's."""
        return await self._store.bind_identity(self.tenant, issuer, subject, account.id)

    async def unlink(self, account: Account) -> int:
        """Let another person of the identity provider have this account; returns how many had it."""
        return await self._store.unbind_identities(self.tenant, account.id)

    async def person(self, login: str) -> Account:
        """The account with this login. Raises ``StaffRefused`` if there is none."""
        account = await self.find_person(login)
        if account is None:
            raise StaffRefused("unknown_account", f"there is no account with the login {login[:50]!r}")
        return account

    async def add_person(
        self, login: str, name: str, roles: Collection[Role], *, password: str = "", language: str = ""
    ) -> Account:
        """Add an account; without a password the person signs in with a link first. Raises ``StaffRefused``."""
        login = normal_login(login)
        account = Account(
            tenant=self.tenant,
            id=self._ids.new(),
            login=login,
            name=name.strip() or login,
            roles=frozenset(roles),
            created_ms=self._clock.now_ms(),
            password=await self._passwords.hash_new(password, login, name) if password else "",
            language=language,
        )
        if not await self._store.add_account(account):
            raise StaffRefused("login_taken", f"there is an account with the login {login} already")
        return account

    async def change_person(
        self,
        account_id: str,
        *,
        name: str | None = None,
        roles: Collection[Role] | None = None,
        disabled: bool | None = None,
        language: str | None = None,
    ) -> Account:
        """Change what is given. A disabled account is signed out everywhere at once. Raises ``StaffRefused``."""

        def change(account: Account) -> Account:
            return replace(
                account,
                name=account.name if name is None else name.strip() or account.login,
                roles=account.roles if roles is None else frozenset(roles),
                disabled=account.disabled if disabled is None else disabled,
                language=account.language if language is None else language,
            )

        return await self._store.change_account(self.tenant, account_id, change)

    async def set_password(self, account: Account, password: str, *, keep_session: str = "") -> Account:
        """Set a password; the account's sessions end, but for the one with this hash. Raises ``StaffRefused``."""
        hashed = await self._passwords.hash_new(password, account.login, account.name)
        return await self._store.change_account(
            self.tenant, account.id, lambda one: replace(one, password=hashed), keep_session
        )

    def may_set_password(self, who: SignedIn) -> bool:
        """Whether this session may set a password without the current one: soon after a one-time link."""
        return who.session.by == "link" and self._clock.now_ms() < who.session.begun_ms + _NEW_PASSWORD_MS

    async def change_own_password(self, who: SignedIn, password: str, current: str) -> Account:
        """Set one's own password. Raises ``StaffRefused`` if the current one is needed and wrong."""
        if not self.may_set_password(who) and not await self._passwords.matches(
            who.account.password, current
        ):
            raise StaffRefused(
                "password_current", "the current password is wrong; if you have none, ask an admin for a link"
            )
        return await self.set_password(who.account, password, keep_session=who.session.token_hash)

    async def make_link(self, account: Account) -> str:
        """The token of a new link for a person, which replaces their earlier one. Raises ``StaffRefused``."""
        if account.disabled:
            raise StaffRefused(
                "account_disabled", f"the account {account.login} is disabled; enable it first"
            )
        return await self._link(account.id, LINK_S)

    async def make_operators_link(self) -> str:
        """The token of a link that opens the console for who runs the server; see ``OPERATOR_LOGIN``."""
        return await self._link("", FIRST_LINK_S)

    async def _link(self, account: str, valid_s: int) -> str:
        token, now_ms = self._ids.secret(), self._clock.now_ms()
        link = OneTimeLink(
            tenant=self.tenant,
            token_hash=token_hash(token),
            account=account,
            expires_ms=now_ms + valid_s * 1000,
        )
        await self._store.add_link(link, now_ms)
        return token

    async def _account_of(self, link: OneTimeLink) -> Account | None:
        if link.account:
            return next((one for one in await self.people() if one.id == link.account), None)
        known = await self._store.find_account(self.tenant, OPERATOR_LOGIN)
        return known or await self.add_person(OPERATOR_LOGIN, "Admin", ["admin"])

"""The account of a person, and the rules for changing it."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.errors import AssistantError
from assistant.staff.roles import Permission, Role, permissions_of

_LOGIN = re.compile(r"[^\s\x00-\x1f\x7f<>]{1,200}")

RefusalCode: TypeAlias = Literal[
    "wrong_password",
    "link_invalid",
    "unknown_account",
    "login_taken",
    "login_invalid",
    "password_weak",
    "password_current",
    "last_admin",
    "account_disabled",
    "identity_incomplete",
    "email_unverified",
    "domain",
    "not_invited",
    "other_identity",
    "no_role",
]


class StaffRefused(AssistantError):
    """A sign-in or a change of an account was refused; ``code`` is for programs, ``str()`` for people."""

    def __init__(self, code: RefusalCode, message: str) -> None:
        self.code: RefusalCode = code
        super().__init__(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person of one tenant.

    ``login`` is what the person types, an e-mail address or a name, as :func:`normal_login` writes it. ``name`` is
    shown. ``password`` is a hash; "" if the person has none and signs in by links or through the company's
    identity provider. ``language`` is the console's, "" until the person chooses one: then it is the browser's.
    ``seen_ms`` is the last request, to a minute; 0: never. Accounts are disabled, not deleted,
    because records of what they did name them.
    """

    tenant: str
    id: str
    login: str
    name: str
    roles: frozenset[Role]
    created_ms: int
    password: str = field(default="", repr=False)
    disabled: bool = False
    language: str = ""
    seen_ms: int = 0

    @property
    def may(self) -> list[Permission]:
        """What this person may do; nothing if the account is disabled."""
        return [] if self.disabled else permissions_of(self.roles)


def normal_login(written: str) -> str:
    """The form in which logins are stored and compared. Raises ``StaffRefused`` if the text cannot be
    a login.

    >>> normal_login(" Ana@Shop.Example "), normal_login("KIM")
    ('ana@shop.example', 'kim')
    """
    login = unicodedata.normalize("NFKC", written).strip().casefold()
    if not _LOGIN.fullmatch(login):
        raise StaffRefused(
            "login_invalid",
            f"{written[:50]!r} cannot be a login; use an e-mail address or a name without spaces, such as"
            " 'kim@example.com'",
        )
    return login


AccountChange: TypeAlias = Callable[[Account], Account]
"""Returns the account as it should be. It is called while no one else changes accounts of the tenant."""


def changed_account(
    accounts: Sequence[Account], account_id: str, change: AccountChange
) -> tuple[Account, Account]:
    """An account before and after a change.

    Args:
        accounts: all accounts of the tenant.
        account_id: which of them is changed.
        change: the change.

    Raises:
        StaffRefused: there is no such account, or no one could manage accounts after the change.
    """
    before = next((one for one in accounts if one.id == account_id), None)
    if before is None:
        raise StaffRefused("unknown_account", f"there is no account with the id {account_id[:50]!r}")
    after = change(before)
    others = [one for one in accounts if one.id != account_id]
    if _manages(before) and not any(map(_manages, [after, *others])):
        raise StaffRefused(
            "last_admin",
            f"{before.login} is the last account that may manage people; make another account an admin first",
        )
    return before, after


def ends_sessions(before: Account, after: Account) -> bool:
    """Whether a change signs the person out everywhere and makes their links useless."""
    # Enabling, too: a session may have begun at the moment at which the account was disabled.
    return (after.disabled, after.password) != (before.disabled, before.password)


def _manages(account: Account) -> bool:
    return "people.manage" in account.may

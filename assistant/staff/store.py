"""The ports of the storage: accounts with their sessions and links, records of what people did, pauses,
canned replies, and profiles.

Methods raise ``LogError`` if the storage does not answer. Writes are durable when they return.
"""

from typing import Protocol

from assistant.staff.accounts import Account, AccountChange
from assistant.staff.audit import AuditRecord
from assistant.staff.canned_replies import CannedReply
from assistant.staff.pauses import Pause, StoredKind
from assistant.staff.profiles import WorkProfile
from assistant.staff.sessions import OneTimeLink, StaffSession


class StaffStore(Protocol):
    """The accounts of staff. All servers of an installation share it."""

    async def add_account(self, account: Account) -> bool:
        """Store a new account. Returns False, and stores nothing, if the tenant has one with this login."""
        ...

    async def find_account(self, tenant: str, login: str) -> Account | None:
        """The tenant's account with this login, in its normal form."""
        ...

    async def list_accounts(self, tenant: str) -> list[Account]:
        """All accounts of the tenant, by login."""
        ...

    async def change_account(
        self, tenant: str, account_id: str, change: AccountChange, keep_session: str = ""
    ) -> Account:
        """Change an account by the rules of :func:`assistant.staff.accounts.changed_account`.

        If the change ends sessions, all of the account end, except the one with the hash ``keep_session``. Its
        links end, too. Raises ``StaffRefused``.
        """
        ...

    async def find_identity(self, tenant: str, issuer: str, subject: str) -> Account | None:
        """The account of this person of an identity provider."""
        ...

    async def bind_identity(self, tenant: str, issuer: str, subject: str, account_id: str) -> bool:
        """Give an account to a person of an identity provider.

        Returns False, and changes nothing, if the person has another account, or the account is another person's
        of the same issuer.
        """
        ...

    async def unbind_identities(self, tenant: str, account_id: str) -> int:
        """Take an account from the persons of identity providers; returns their number."""
        ...

    async def begin_session(
        self, session: StaffSession, *, unused_since_ms: int, begun_before_ms: int
    ) -> None:
        """Store a session, and delete the tenant's sessions that were last used, or begun, before."""
        ...

    async def read_session(self, tenant: str, token_hash: str) -> tuple[StaffSession, Account] | None:
        """A session and its account as it is now."""
        ...

    async def touch_session(self, tenant: str, token_hash: str, used_ms: int) -> None:
        """Note that a session was used, and its account seen."""
        ...

    async def end_session(self, tenant: str, token_hash: str) -> None:
        """Delete a session."""
        ...

    async def add_link(self, link: OneTimeLink, now_ms: int) -> None:
        """Store a link in place of the account's earlier one, and delete the tenant's expired links."""
        ...

    async def use_link(self, tenant: str, token_hash: str, now_ms: int) -> OneTimeLink | None:
        """Delete a link and return it: to the first who asks, before it expires."""
        ...


class AuditStore(Protocol):
    """The records of what people did and saw."""

    async def add_record(self, record: AuditRecord) -> int:
        """Store a record; returns its number."""
        ...

    async def finish_record(self, record: AuditRecord) -> None:
        """Write what came of a record that has begun: its outcome, object, customer and detail."""
        ...

    async def list_records(
        self, tenant: str, *, before: int | None, limit: int, account: str = "", action: str = ""
    ) -> list[AuditRecord]:
        """Records with a number below ``before``, newest first: all, or those of an account or an action."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Remove a customer's id, and what was seen of them, from the records; returns the number of records."""
        ...

    async def drop_records(self, tenant: str, before_ms: int) -> int:
        """Delete the tenant's records of before this time; returns their number."""
        ...


class PauseStore(Protocol):
    """What staff have paused. All servers of an installation share it."""

    async def add_pause(self, pause: Pause) -> bool:
        """Store a pause. Returns False, and stores nothing, if the same thing is paused already."""
        ...

    async def end_pause(self, tenant: str, kind: StoredKind, name: str) -> bool:
        """Delete a pause; returns whether there was one."""
        ...

    async def list_pauses(self, tenant: str) -> list[Pause]:
        """The tenant's pauses, oldest first."""
        ...


class CannedReplyStore(Protocol):
    """The canned replies of agents. All servers of an installation share it."""

    async def put_reply(self, reply: CannedReply) -> bool:
        """Store a reply in place of the one with this id. Returns False, and stores nothing, if there would be more
        than ``MOST_REPLIES``.
        """
        ...

    async def delete_reply(self, tenant: str, reply_id: str) -> bool:
        """Delete a reply; returns whether there was one."""
        ...

    async def list_replies(self, tenant: str) -> list[CannedReply]:
        """The tenant's replies, by title."""
        ...


class ProfileStore(Protocol):
    """How people work. All servers of an installation share it."""

    async def save_profile(self, profile: WorkProfile) -> None:
        """Store all of a profile but ``here_ms``, which only :meth:`note_presence` changes."""
        ...

    async def note_presence(self, tenant: str, account: str, at_ms: int) -> None:
        """Note that a page of this person is open. An earlier time than the known one changes nothing."""
        ...

    async def list_profiles(self, tenant: str) -> list[WorkProfile]:
        """The tenant's profiles, by account. A person without one has the usual values."""
        ...

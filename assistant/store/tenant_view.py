"""One tenant's view of the installation's storage: another tenant's data cannot be reached through it.

Each port's method has the tenant as an argument; this checks it once more. A key or a name of another tenant is
refused before it reaches the database, and operations on all tenants are limited to this one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.documents import Document, DocumentKind, QueuedDocument
from assistant.conversation.entries import Logged
from assistant.conversation.snapshots import Aging
from assistant.conversation.usage import Spent, SpentToday
from assistant.errors import OtherTenant
from assistant.inspector.conversation_index import (
    ConversationIndex,
    FoundConversation,
    IndexedConversation,
    Position,
    Search,
)
from assistant.jobs import FailedJob, Job, JobKind, Jobs, QueueLength
from assistant.staff.accounts import Account, AccountChange
from assistant.staff.audit import AuditRecord
from assistant.staff.canned_replies import CannedReply
from assistant.staff.pauses import Pause, StoredKind
from assistant.staff.profiles import WorkProfile
from assistant.staff.sessions import OneTimeLink, StaffSession
from assistant.staff.store import AuditStore, CannedReplyStore, PauseStore, ProfileStore, StaffStore
from assistant.storage_ports import (
    ConversationList,
    DeliveryAttempt,
    DeliveryPosition,
    DeliveryStore,
    ListedOnly,
    Log,
    Numbering,
    SpendingStore,
    StoredConversation,
    WriteQueue,
)
from assistant.store.keyring import InstallationSecret
from assistant.store.storage import (
    BundleStore,
    CustomerCredentials,
    ErasureRecords,
    LoggedConversation,
    Recording,
    SharedEdits,
    SharedRates,
    Storage,
    StoredBundle,
    StoredConversations,
    UsedTokenStore,
)


def view_of(storage: Storage, tenant: str) -> Storage:
    """The storage as this tenant sees it. Its owner closes the whole storage; closing the view does nothing.

    Each tenant has its own secret, so tokens and addresses of one tenant are not valid for another.
    """
    return replace(
        storage,
        log=_TenantLog(tenant, storage.log),
        conversations=_TenantList(tenant, storage.conversations),
        writes=_TenantQueue(tenant, storage.writes),
        bundles=_TenantBundles(tenant, storage.bundles),
        deliveries=_TenantDeliveries(tenant, storage.deliveries),
        credentials=_TenantCredentials(tenant, storage.credentials),
        used_tokens=_TenantUsedTokens(tenant, storage.used_tokens),
        records=_TenantRecords(tenant, storage.records),
        spending=_TenantSpending(tenant, storage.spending),
        jobs=_TenantJobs(tenant, storage.jobs),
        staff=_TenantStaff(tenant, storage.staff),
        audit=_TenantAudit(tenant, storage.audit),
        index=_TenantIndex(tenant, storage.index),
        pauses=_TenantPauses(tenant, storage.pauses),
        replies=_TenantReplies(tenant, storage.replies),
        profiles=_TenantProfiles(tenant, storage.profiles),
        keyring=storage.keyring.of_tenant(tenant),
        # one server holds the conversations of all tenants, so the cluster belongs to the installation
        leases=None,
        rates=_TenantRates(tenant, storage.rates) if storage.rates is not None else None,
        edits=_TenantEdits(tenant, storage.edits) if storage.edits is not None else None,
    )


@dataclass(frozen=True, slots=True)
class _View:
    tenant: str

    def _own(self, key: ConversationKey) -> ConversationKey:
        self._own_tenant(key.tenant)
        return key

    def _own_tenant(self, tenant: str | None) -> str:
        if tenant not in (self.tenant, None):
            raise OtherTenant(self.tenant)
        return self.tenant


@dataclass(frozen=True, slots=True)
class TenantConversations(_View):
    """One tenant's conversations, for reading."""

    whole: StoredConversations

    @property
    def where(self) -> str:
        """Where the conversations are stored, for messages."""
        return self.whole.where

    @property
    def keeps_documents(self) -> bool:
        """Whether documents can be stored there."""
        return self.whole.keeps_documents

    async def listed(self) -> list[LoggedConversation]:
        """The tenant's conversations; the one with the newest entry comes last."""
        return [one for one in await self.whole.listed() if one.key.tenant == self.tenant]

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order."""
        return await self.whole.read(self._own(key), after)

    async def bundle(self, tenant: str, name: str) -> StoredBundle | None:
        """The tenant's stored bundle; None if it was not stored."""
        return await self.whole.bundle(self._own_tenant(tenant), name)

    async def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is stored, as a document or in the queue."""
        return await self.whole.keeps_file(self._own_tenant(tenant), ref)

    async def erased_at(self, commitment: bytes) -> int | None:
        """When the entries of this receipt were erased, in Unix ms."""
        return await self.whole.erased_at(commitment)

    async def secrets(self) -> InstallationSecret | None:
        """The tenant's secrets; None if the installation has none yet."""
        whole = await self.whole.secrets()
        return None if whole is None else whole.of_tenant(self.tenant)


@dataclass(frozen=True, slots=True)
class _TenantLog(_View):
    whole: Log

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        await self.whole.append(self._own(key), entries)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        return await self.whole.read(self._own(key), after)

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        return await self.whole.conversations(self._own_tenant(tenant), customer)

    async def unfinished(self) -> list[ConversationKey]:
        return [key for key in await self.whole.unfinished() if key.tenant == self.tenant]

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        return await self.whole.visitors(self._own_tenant(tenant), customer)

    async def numbering(self, key: ConversationKey) -> Numbering:
        return await self.whole.numbering(self._own(key))

    async def erase(self, tenant: str, customer: str) -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer)

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        return await self.whole.forget(before_ms, keep, self._own_tenant(tenant))

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        return await self.whole.thin_out(what, before_ms, self._own_tenant(tenant))

    async def check_writable(self) -> None:
        await self.whole.check_writable()

    async def close(self) -> None:
        """Does nothing: the whole log stays open."""


@dataclass(frozen=True, slots=True)
class _TenantQueue(_View):
    """Documents of one tenant, for commands. In a server, one indexer works on the whole queue."""

    whole: WriteQueue

    async def add(self, document: Document, now_ms: int) -> None:
        self._own_tenant(document.tenant)
        await self.whole.add(document, now_ms)

    async def waiting(self, tenant: str | None = None, customer: str | None = None) -> list[QueuedDocument]:
        return await self.whole.waiting(self._own_tenant(tenant), customer)

    async def get(self, tenant: str, customer: str, ref: str) -> Document | None:
        return await self.whole.get(self._own_tenant(tenant), customer, ref)

    async def delete(self, tenant: str, ref: str) -> bool:
        return await self.whole.delete(self._own_tenant(tenant), ref)

    async def erase(self, tenant: str, customer: str) -> list[str]:
        return await self.whole.erase(self._own_tenant(tenant), customer)

    async def next(self, kinds: Sequence[DocumentKind], now_ms: int) -> QueuedDocument | None:
        due = (one for one in await self.waiting() if one.due_ms is not None and one.due_ms <= now_ms)
        return next((one for one in due if one.listed.kind in kinds), None)

    async def read(self, number: int) -> Document | None:
        document = await self.whole.read(number)
        return document if document is not None and document.tenant == self.tenant else None

    async def put_off(self, number: int, problem: str, due_ms: int | None) -> None:
        if await self.read(number) is not None:
            await self.whole.put_off(number, problem, due_ms)

    async def remove(self, number: int) -> None:
        if await self.read(number) is not None:
            await self.whole.remove(number)

    async def expire(self, now_ms: int) -> int:
        return await self.whole.expire(now_ms)  # expired documents are deleted for each tenant

    async def close(self) -> None:
        """Does nothing: the whole queue stays open."""


@dataclass(frozen=True, slots=True)
class _TenantList(_View):
    whole: ConversationList

    async def find(self, tenant: str, conversation: str) -> ConversationKey | None:
        return await self.whole.find(self._own_tenant(tenant), conversation)

    async def newest(
        self,
        tenant: str,
        kinds: Collection[str],
        limit: int,
        *,
        before: tuple[int, str] | None = None,
        only: ListedOnly = "all",
        customer: str | None = None,
    ) -> list[StoredConversation]:
        return await self.whole.newest(
            self._own_tenant(tenant), kinds, limit, before=before, only=only, customer=customer
        )

    async def count(self, tenant: str, only: ListedOnly = "all") -> int:
        return await self.whole.count(self._own_tenant(tenant), only)


@dataclass(frozen=True, slots=True)
class _TenantBundles(_View):
    whole: BundleStore

    async def keep(self, tenant: str, kept: StoredBundle) -> None:
        await self.whole.keep(self._own_tenant(tenant), kept)

    async def read(self, tenant: str, bundle: str) -> StoredBundle | None:
        return await self.whole.read(self._own_tenant(tenant), bundle)

    async def newest(self, tenant: str, limit: int) -> list[tuple[str, int]]:
        return await self.whole.newest(self._own_tenant(tenant), limit)


@dataclass(frozen=True, slots=True)
class _TenantDeliveries(_View):
    whole: DeliveryStore

    async def begin(self, receivers: Sequence[str], key: ConversationKey, seq: int) -> None:
        await self.whole.begin(receivers, self._own(key), seq)

    async def delivered(self, receiver: str, key: ConversationKey) -> DeliveryPosition | None:
        return await self.whole.delivered(receiver, self._own(key))

    async def note(self, receiver: str, key: ConversationKey, position: DeliveryPosition) -> None:
        await self.whole.note(receiver, self._own(key), position)

    async def rest(self, receiver: str, key: ConversationKey, now_ms: int) -> None:
        await self.whole.rest(receiver, self._own(key), now_ms)

    async def forget(self, receiver: str, key: ConversationKey) -> None:
        await self.whole.forget(receiver, self._own(key))

    async def drop_rested(self, before_ms: int) -> None:
        await self.whole.drop_rested(before_ms)  # rested positions are dropped for each tenant

    async def erase(self, tenant: str, customer: str) -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer)

    async def all(self, receiver: str) -> list[ConversationKey]:
        return [key for key in await self.whole.all(receiver) if key.tenant == self.tenant]

    async def add_attempt(self, attempt: DeliveryAttempt) -> None:
        self._own(attempt.key)
        await self.whole.add_attempt(attempt)

    async def attempts(self, tenant: str, limit: int) -> list[DeliveryAttempt]:
        return await self.whole.attempts(self._own_tenant(tenant), limit)


@dataclass(frozen=True, slots=True)
class _TenantCredentials(_View):
    whole: CustomerCredentials

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        await self.whole.keep(self._own(key), credential)

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        return await self.whole.kept(self._own(key))

    async def reseal(self) -> int:
        return await self.whole.reseal()

    async def erase(self, tenant: str, customer: str) -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer)


@dataclass(frozen=True, slots=True)
class _TenantUsedTokens(_View):
    whole: UsedTokenStore

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        return await self.whole.use(self._own_tenant(tenant), token_id, until_ms=until_ms, now_ms=now_ms)


@dataclass(frozen=True, slots=True)
class _TenantSpending(_View):
    whole: SpendingStore

    async def spent(self, tenant: str, customer: str, day: date) -> SpentToday:
        return await self.whole.spent(self._own_tenant(tenant), customer, day)

    async def add(self, tenant: str, customer: str, day: date, more: Spent) -> SpentToday:
        return await self.whole.add(self._own_tenant(tenant), customer, day, more)

    async def erase(self, tenant: str, customer: str) -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer)


@dataclass(frozen=True, slots=True)
class _TenantStaff(_View):
    whole: StaffStore

    async def add_account(self, account: Account) -> bool:
        self._own_tenant(account.tenant)
        return await self.whole.add_account(account)

    async def find_account(self, tenant: str, login: str) -> Account | None:
        return await self.whole.find_account(self._own_tenant(tenant), login)

    async def list_accounts(self, tenant: str) -> list[Account]:
        return await self.whole.list_accounts(self._own_tenant(tenant))

    async def change_account(
        self, tenant: str, account_id: str, change: AccountChange, keep_session: str = ""
    ) -> Account:
        return await self.whole.change_account(self._own_tenant(tenant), account_id, change, keep_session)

    async def find_identity(self, tenant: str, issuer: str, subject: str) -> Account | None:
        return await self.whole.find_identity(self._own_tenant(tenant), issuer, subject)

    async def bind_identity(self, tenant: str, issuer: str, subject: str, account_id: str) -> bool:
        return await self.whole.bind_identity(self._own_tenant(tenant), issuer, subject, account_id)

    async def unbind_identities(self, tenant: str, account_id: str) -> int:
        return await self.whole.unbind_identities(self._own_tenant(tenant), account_id)

    async def begin_session(
        self, session: StaffSession, *, unused_since_ms: int, begun_before_ms: int
    ) -> None:
        self._own_tenant(session.tenant)
        await self.whole.begin_session(
            session, unused_since_ms=unused_since_ms, begun_before_ms=begun_before_ms
        )

    async def read_session(self, tenant: str, token_hash: str) -> tuple[StaffSession, Account] | None:
        return await self.whole.read_session(self._own_tenant(tenant), token_hash)

    async def touch_session(self, tenant: str, token_hash: str, used_ms: int) -> None:
        await self.whole.touch_session(self._own_tenant(tenant), token_hash, used_ms)

    async def end_session(self, tenant: str, token_hash: str) -> None:
        await self.whole.end_session(self._own_tenant(tenant), token_hash)

    async def add_link(self, link: OneTimeLink, now_ms: int) -> None:
        self._own_tenant(link.tenant)
        await self.whole.add_link(link, now_ms)

    async def use_link(self, tenant: str, token_hash: str, now_ms: int) -> OneTimeLink | None:
        return await self.whole.use_link(self._own_tenant(tenant), token_hash, now_ms)


@dataclass(frozen=True, slots=True)
class _TenantAudit(_View):
    whole: AuditStore

    async def add_record(self, record: AuditRecord) -> int:
        self._own_tenant(record.tenant)
        return await self.whole.add_record(record)

    async def finish_record(self, record: AuditRecord) -> None:
        self._own_tenant(record.tenant)
        await self.whole.finish_record(record)

    async def list_records(
        self, tenant: str, *, before: int | None, limit: int, account: str = "", action: str = ""
    ) -> list[AuditRecord]:
        return await self.whole.list_records(
            self._own_tenant(tenant), before=before, limit=limit, account=account, action=action
        )

    async def erase(self, tenant: str, customer: str) -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer)

    async def drop_records(self, tenant: str, before_ms: int) -> int:
        return await self.whole.drop_records(self._own_tenant(tenant), before_ms)


@dataclass(frozen=True, slots=True)
class _TenantIndex(_View):
    whole: ConversationIndex

    async def locate(self, tenant: str, conversation: str) -> ConversationKey | None:
        return await self.whole.locate(self._own_tenant(tenant), conversation)

    async def find(
        self, tenant: str, search: Search, *, after: Position | None = None, limit: int = 50
    ) -> list[FoundConversation]:
        return await self.whole.find(self._own_tenant(tenant), search, after=after, limit=limit)

    async def outdated(self, tenant: str, form: str, limit: int) -> list[ConversationKey]:
        return await self.whole.outdated(self._own_tenant(tenant), form, limit)

    async def put(self, rows: Sequence[IndexedConversation]) -> None:
        for row in rows:
            self._own(row.key)
        await self.whole.put(rows)


@dataclass(frozen=True, slots=True)
class _TenantPauses(_View):
    whole: PauseStore

    async def add_pause(self, pause: Pause) -> bool:
        self._own_tenant(pause.tenant)
        return await self.whole.add_pause(pause)

    async def end_pause(self, tenant: str, kind: StoredKind, name: str) -> bool:
        return await self.whole.end_pause(self._own_tenant(tenant), kind, name)

    async def list_pauses(self, tenant: str) -> list[Pause]:
        return await self.whole.list_pauses(self._own_tenant(tenant))


@dataclass(frozen=True, slots=True)
class _TenantReplies(_View):
    whole: CannedReplyStore

    async def put_reply(self, reply: CannedReply) -> bool:
        self._own_tenant(reply.tenant)
        return await self.whole.put_reply(reply)

    async def delete_reply(self, tenant: str, reply_id: str) -> bool:
        return await self.whole.delete_reply(self._own_tenant(tenant), reply_id)

    async def list_replies(self, tenant: str) -> list[CannedReply]:
        return await self.whole.list_replies(self._own_tenant(tenant))


@dataclass(frozen=True, slots=True)
class _TenantProfiles(_View):
    whole: ProfileStore

    async def save_profile(self, profile: WorkProfile) -> None:
        self._own_tenant(profile.tenant)
        await self.whole.save_profile(profile)

    async def note_presence(self, tenant: str, account: str, at_ms: int) -> None:
        await self.whole.note_presence(self._own_tenant(tenant), account, at_ms)

    async def list_profiles(self, tenant: str) -> list[WorkProfile]:
        return await self.whole.list_profiles(self._own_tenant(tenant))


@dataclass(frozen=True, slots=True)
class _TenantRates(_View):
    whole: SharedRates

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        return await self.whole.allow(self._own_tenant(tenant), per_minute)


@dataclass(frozen=True, slots=True)
class _TenantEdits(_View):
    whole: SharedEdits

    async def publish(self, tenant: str, before: Collection[str], bundle: str) -> None:
        await self.whole.publish(self._own_tenant(tenant), before, bundle)

    async def newest(self, tenant: str, bundle: str) -> str:
        return await self.whole.newest(self._own_tenant(tenant), bundle)


@dataclass(frozen=True, slots=True)
class _TenantJobs(_View):
    """A tenant's jobs. The installation runs the jobs of all tenants."""

    whole: Jobs

    async def later(self, job: Job, after_s: float = 0.0) -> None:
        self._own_tenant(job.tenant)
        await self.whole.later(job, after_s)

    async def run(self, kinds: Sequence[JobKind]) -> None:
        del kinds
        raise OtherTenant(self.tenant)

    async def failed(self) -> list[FailedJob]:
        return [one for one in await self.whole.failed() if one.job.tenant == self.tenant]

    async def lengths(self) -> list[QueueLength]:
        raise OtherTenant(self.tenant)

    async def retry_failed(self) -> int:
        raise OtherTenant(self.tenant)

    async def erase(self, tenant: str, customer: str, kind: str = "") -> int:
        return await self.whole.erase(self._own_tenant(tenant), customer, kind)


@dataclass(frozen=True, slots=True)
class _TenantRecords(_View):
    whole: ErasureRecords

    async def note_recording(self, key: ConversationKey, recording: Recording) -> None:
        await self.whole.note_recording(self._own(key), recording)

    async def recordings(self, tenant: str, customer: str) -> list[Recording]:
        return await self.whole.recordings(self._own_tenant(tenant), customer)

    async def orphaned_recordings(self, tenant: str | None = None) -> list[Recording]:
        return await self.whole.orphaned_recordings(self._own_tenant(tenant))

    async def forget_recording(self, recording: Recording, tenant: str | None = None) -> None:
        await self.whole.forget_recording(recording, self._own_tenant(tenant))

    async def keep_commitments(self, commitments: Sequence[bytes], erased_ms: int) -> None:
        await self.whole.keep_commitments(commitments, erased_ms)

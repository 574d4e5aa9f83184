"""The stored data of an installation, and the ports of its parts: one SQLite folder, or one PostgreSQL database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.entries import Logged
from assistant.conversation.sharing import Leases
from assistant.errors import DeclarationError
from assistant.inspector.conversation_index import ConversationIndex
from assistant.jobs import Jobs
from assistant.staff.store import AuditStore, CannedReplyStore, PauseStore, ProfileStore, StaffStore
from assistant.storage_ports import ConversationList, DeliveryStore, Log, SpendingStore, WriteQueue
from assistant.store.keyring import InstallationSecret, Keyring


class StorageInUse(DeclarationError):
    """Another process uses the storage, which only one process may use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredBundle:
    """The contents of one bundle.

    ``prompts`` are the files' texts by their path in the folder. Of the ``tools`` only a hash is stored, to
    compare them with the current ones. ``kept_ms`` is when the bundle was first used, in Unix time.
    """

    bundle: str
    kept_ms: int
    tools: str
    prompts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LoggedConversation:
    """A conversation, and the time of its last entry, in Unix ms."""

    key: ConversationKey
    last_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaState:
    """A storage's schema number, the newest one of this release, and the names of the missing steps, in order.

    ``where`` is the file's name, or the database's address without the password.
    """

    where: str
    has: int
    newest: int
    pending: tuple[str, ...]


class BundleStore(Protocol):
    """The prompts of each bundle, while conversations may continue with it."""

    async def keep(self, tenant: str, kept: StoredBundle) -> None:
        """Store a tenant's bundle durably; nothing changes if it is already stored. Raises ``LogError``."""
        ...

    async def read(self, tenant: str, bundle: str) -> StoredBundle | None:
        """The tenant's bundle with this name; None if it was never stored here. Raises ``LogError``."""
        ...

    async def newest(self, tenant: str, limit: int) -> list[tuple[str, int]]:
        """The tenant's bundles that were first used last, newest first: the name of each, and when that was, in
        Unix ms. Raises ``LogError``.
        """
        ...


class SharedEdits(Protocol):
    """The newest bundle on all servers. Methods raise ``LogError``."""

    async def publish(self, tenant: str, before: Collection[str], bundle: str) -> None:
        """Record that ``bundle`` comes after each of the bundles ``before``, and after all that came after them."""
        ...

    async def newest(self, tenant: str, bundle: str) -> str:
        """The last bundle in the sequence after this one; itself if there is none."""
        ...


class CustomerCredentials(Protocol):
    """One credential for each conversation until it expires, encrypted. Methods raise ``LogError``."""

    async def keep(self, key: ConversationKey, credential: CustomerCredential) -> None:
        """Store the credential durably, in place of the conversation's earlier credential."""
        ...

    async def kept(self, key: ConversationKey) -> CustomerCredential | None:
        """The conversation's credential; None if there is none, or if it has expired or cannot be read."""
        ...

    async def reseal(self) -> int:
        """Encrypt all credentials again with the current secret; returns their number."""
        ...

    async def erase(self, tenant: str, customer: str) -> int:
        """Delete all credentials of a customer permanently; returns their number."""
        ...


class UsedTokenStore(Protocol):
    """The sign-in tokens that were already used, until they would be too old anyway."""

    async def use(self, tenant: str, token_id: str, *, until_ms: int, now_ms: int) -> bool:
        """Mark a tenant's token as used until ``until_ms``; returns whether this is the first time.

        It is durable when this returns. Raises ``LogError`` if it cannot be stored: then accept no token.
        """
        ...


class SharedRates(Protocol):
    """The recent requests of each client to all servers together."""

    async def allow(self, tenant: str, per_minute: Mapping[str, int]) -> bool:
        """Count one more request under each of these names, unless one of them has reached its limit for the
        minute.

        Returns whether it was counted. Raises ``LogError``.
        """
        ...


@dataclass(frozen=True, slots=True, order=True)
class Recording:
    """A file to which a conversation was recorded.

    ``place`` is the name of the data folder of the machine that has the file: see :attr:`Storage.place`.
    """

    path: Path
    place: str = ""


class ErasureRecords(Protocol):
    """The records for erasure: where recordings are, commitments of receipts. Methods raise ``LogError``.

    ``Log.erase`` removes the records of the customer's recordings with the conversations.
    """

    async def note_recording(self, key: ConversationKey, recording: Recording) -> None:
        """Record that this file contains a recording of the conversation; it replaces the earlier record of the
        file.
        """
        ...

    async def recordings(self, tenant: str, customer: str) -> list[Recording]:
        """The files with recordings of this customer's conversations, sorted."""
        ...

    async def orphaned_recordings(self, tenant: str | None = None) -> list[Recording]:
        """Recordings of deleted conversations, sorted: of this tenant, or of all if None."""
        ...

    async def forget_recording(self, recording: Recording, tenant: str | None = None) -> None:
        """Remove the record of a recording: of this tenant, or of any if None."""
        ...

    async def keep_commitments(self, commitments: Sequence[bytes], erased_ms: int) -> None:
        """Store commitments durably; one that is already stored stays unchanged."""
        ...


class StoredConversations(Protocol):
    """All conversations of all tenants and customers, for operators' commands. Nothing is changed.

    Methods raise ``LogError``, and ``DeclarationError`` if the storage cannot be used.
    """

    @property
    def where(self) -> str:
        """Where the conversations are stored, for messages."""
        ...

    @property
    def keeps_documents(self) -> bool:
        """Whether documents can be stored there; the storage of an older release has no place for them."""
        ...

    async def listed(self) -> list[LoggedConversation]:
        """All conversations; the one with the newest entry comes last."""
        ...

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """The entries with a number above ``after``, in order."""
        ...

    async def bundle(self, tenant: str, name: str) -> StoredBundle | None:
        """A tenant's stored bundle; None if it was not stored."""
        ...

    async def keeps_file(self, tenant: str, ref: str) -> bool:
        """Whether the text of a customer's file is stored here: as a document, or waiting to become one."""
        ...

    async def erased_at(self, commitment: bytes) -> int | None:
        """When the entries of this receipt were erased, in Unix ms; None if they were not erased here."""
        ...

    async def secrets(self) -> InstallationSecret | None:
        """The installation's secrets; None if it has none yet."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """All state of a running installation.

    ``keyring`` has the secrets that sign tokens; the first is made at the first start. ``restored_ms`` is when a
    backup was last restored, in Unix time; 0: never. Documents have a place of their own
    (:mod:`assistant.assembly.library`).

    ``leases`` assign each conversation to one of several servers, ``rates`` count clients' requests to all
    servers, ``edits`` record which bundle is the newest; None: this process is the only one. Servers that share
    a database have their own data folders with files: ``place`` is the name of this process's folder; "" if all
    data is in one folder.
    """

    log: Log
    conversations: ConversationList
    writes: WriteQueue
    bundles: BundleStore
    deliveries: DeliveryStore
    credentials: CustomerCredentials
    used_tokens: UsedTokenStore
    records: ErasureRecords
    spending: SpendingStore
    jobs: Jobs
    staff: StaffStore
    audit: AuditStore
    index: ConversationIndex
    pauses: PauseStore
    replies: CannedReplyStore
    profiles: ProfileStore
    keyring: Keyring
    restored_ms: int = 0
    leases: Leases | None = None
    rates: SharedRates | None = None
    edits: SharedEdits | None = None
    place: str = ""

    @property
    def secret(self) -> str:
        """The newest secret."""
        return self.keyring.record.current

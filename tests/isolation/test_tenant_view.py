"""Through one tenant's view of the storage, nothing of another tenant is read or changed.

Ports and their methods are found by introspection: one that is added to ``Storage`` needs a case here. Each case is
tried on SQLite files and on a PostgreSQL database, with pictures in the log and apart from it.
"""

import asyncio
import inspect
from base64 import b64encode
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.documents import Document
from assistant.conversation.entries import (
    CallEnded,
    CustomerMessage,
    Logged,
    LongCallProgressed,
    ModelChunks,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.usage import Spent
from assistant.errors import LogError, OtherTenant
from assistant.ids import SystemIds
from assistant.inspector.conversation_index import IndexedConversation, Search
from assistant.jobs import Job, JobKind, Jobs
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff.accounts import Account
from assistant.staff.audit import AuditRecord
from assistant.staff.canned_replies import CannedReply
from assistant.staff.pauses import Pause
from assistant.staff.profiles import WorkProfile
from assistant.staff.sessions import OneTimeLink, StaffSession
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition
from assistant.store.media_store import MediaLog, MediaStore
from assistant.store.postgres.storage import open_postgres_conversations, open_postgres_storage
from assistant.store.sqlite.log_reader import open_log
from assistant.store.sqlite.storage import LOG_FILE, open_sqlite_storage
from assistant.store.storage import Recording, Storage, StoredBundle, StoredConversations
from assistant.store.tenant_view import TenantConversations, view_of
from assistant.testing.chat import deps_for
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.support.object_store import BUCKET, object_store
from tests.support.rows import check_rows

ANAS = ConversationKey(tenant="bank", customer="ana", conversation="c-1")
SAID = Logged(
    1, 1_000, "", CustomerMessage(message_id="m1", client_message_id="m1", text="orchid-4711", locale="en")
)
PHOTO = Media(mime="image/png", data=b64encode(b"orchid-4711" * 1_000).decode(), name="photo.png")
SHOWN = Logged(
    2, 2_000, "", CallEnded(outcome=CallSucceeded(call=Call(id="c1", tool="t"), value=1, media=(PHOTO,)))
)
OLD = replace(ANAS, conversation="c-2")
_BEGUN = TurnStarted(turn_id="t1", message_id="m1", cause="message", bundle="b1")
_ENDED = TurnEnded(turn_id="t1", how="answered")
_REPLY = ModelChunks(
    round=1, role="decider", chunks=((3, TextDelta("orchid-4711 " * 100)), (4, StreamEnded("stop", 90, 12)))
)
ENDED = [
    replace(SAID, turn_id="t1", entry=entry, seq=seq)
    for seq, entry in enumerate((SAID.entry, _BEGUN, _REPLY, _ENDED), 1)
]
BUNDLE = StoredBundle(bundle="b1", kept_ms=1, tools="t", prompts={})
ROW = IndexedConversation(
    key=ANAS, seq=2, erasures=0, form="1", opened_ms=1_000, last_ms=2_000, busy=False, outcome="answered",
    cost_usd=None, marks=(), words="orchid-4711", who="ana", about={},
)  # fmt: skip
CREDENTIAL = CustomerCredential(token="a-long-credential", expires_ms=2**53)
ANOTHER_CREDENTIAL = CustomerCredential(token="another-credential", expires_ms=2**53)
FILE = Document(
    ref="document:anas", tenant="bank", customer="ana", kind="upload", title="note", text="orchid-4711"
)
RECORDING = Recording(Path("/recordings/anas.yaml"))
ORPHAN = Recording(Path("/recordings/of-a-deleted-conversation.yaml"))
TRIED = DeliveryAttempt(
    receiver="crm", key=ANAS, event_id="c/1", event="turn.ended", at_ms=1, status=200, took_ms=3
)
JOB = Job(kind="export", tenant="bank", customer="ana")
DAY = date(2026, 11, 27)
KIM = Account(tenant="bank", id="k1", login="kim", name="Kim", roles=frozenset({"agent"}), created_ms=1)
SESSION = StaffSession(
    tenant="bank", token_hash="t1", account="k1", by="password", begun_ms=2**40, used_ms=2**40
)
LINK = OneTimeLink(tenant="bank", token_hash="l1", account="k1", expires_ms=2**53)
PAUSE = Pause(tenant="bank", kind="tool", name="cancel", account="k1", by="Kim", since_ms=5, why="wrong")
PROFILE = WorkProfile(tenant="bank", account="k1", teams=("loans",))
REPLY = CannedReply(
    tenant="bank", id="r1", title="Hello", text="Hello {name}", locale="", by="Kim", changed_ms=1
)
RECORD = AuditRecord(
    tenant="bank", at_ms=1, account="k1", login="kim", action="conversations.read", customer="ana"
)


def _renamed(account: Account) -> Account:
    return replace(account, name="X")


Ask = Callable[[Any], Awaitable[object]]
Open = Callable[[], AbstractAsyncContextManager[Storage]]
Read = Callable[[], AbstractAsyncContextManager[StoredConversations]]

# fmt: off
NAMES_ANOTHER: Mapping[str, Ask] = {
    "log.append": lambda log: log.append(ANAS, [replace(SAID, seq=3)]),
    "log.read": lambda log: log.read(ANAS),
    "log.conversations": lambda log: log.conversations("bank", "ana"),
    "log.visitors": lambda log: log.visitors("bank", "ana"),
    "log.numbering": lambda log: log.numbering(ANAS),
    "log.erase": lambda log: log.erase("bank", "ana"),
    "conversations.find": lambda conversations: conversations.find("bank", "c-1"),
    "conversations.newest": lambda conversations: conversations.newest("bank", ["handoff"], 9),
    "conversations.count": lambda conversations: conversations.count("bank"),
    "writes.add": lambda writes: writes.add(replace(FILE, text="another"), 1),
    "writes.get": lambda writes: writes.get("bank", "ana", FILE.ref),
    "writes.delete": lambda writes: writes.delete("bank", FILE.ref),
    "writes.erase": lambda writes: writes.erase("bank", "ana"),
    "bundles.keep": lambda bundles: bundles.keep("bank", replace(BUNDLE, bundle="b2")),
    "bundles.read": lambda bundles: bundles.read("bank", "b1"),
    "bundles.newest": lambda bundles: bundles.newest("bank", 9),
    "deliveries.begin": lambda deliveries: deliveries.begin(["crm"], ANAS, 9),
    "deliveries.delivered": lambda deliveries: deliveries.delivered("crm", ANAS),
    "deliveries.note": lambda deliveries: deliveries.note("crm", ANAS, DeliveryPosition(9)),
    "deliveries.rest": lambda deliveries: deliveries.rest("crm", ANAS, 9),
    "deliveries.forget": lambda deliveries: deliveries.forget("crm", ANAS),
    "deliveries.add_attempt": lambda deliveries: deliveries.add_attempt(replace(TRIED, at_ms=2)),
    "deliveries.attempts": lambda deliveries: deliveries.attempts("bank", 9),
    "deliveries.erase": lambda deliveries: deliveries.erase("bank", "ana"),
    "credentials.keep": lambda credentials: credentials.keep(ANAS, ANOTHER_CREDENTIAL),
    "credentials.kept": lambda credentials: credentials.kept(ANAS),
    "credentials.erase": lambda credentials: credentials.erase("bank", "ana"),
    "used_tokens.use": lambda used: used.use("bank", "n1", until_ms=9, now_ms=1),
    "records.note_recording": lambda records: records.note_recording(ANAS, RECORDING),
    "records.recordings": lambda records: records.recordings("bank", "ana"),
    "spending.spent": lambda spending: spending.spent("bank", "ana", DAY),
    "spending.add": lambda spending: spending.add("bank", "ana", DAY, Spent(tokens=5)),
    "spending.erase": lambda spending: spending.erase("bank", "ana"),
    "jobs.later": lambda jobs: jobs.later(JOB),
    "jobs.erase": lambda jobs: jobs.erase("bank", "ana"),
    "jobs.run": lambda jobs: jobs.run([KIND]),
    "jobs.retry_failed": lambda jobs: jobs.retry_failed(),
    "jobs.lengths": lambda jobs: jobs.lengths(),
    "staff.add_account": lambda staff: staff.add_account(replace(KIM, id="k2", login="lee")),
    "staff.find_account": lambda staff: staff.find_account("bank", "kim"),
    "staff.list_accounts": lambda staff: staff.list_accounts("bank"),
    "staff.change_account": lambda staff: staff.change_account("bank", "k1", _renamed),
    "staff.find_identity": lambda staff: staff.find_identity("bank", "https://id", "u1"),
    "staff.bind_identity": lambda staff: staff.bind_identity("bank", "https://id", "u2", "k1"),
    "staff.unbind_identities": lambda staff: staff.unbind_identities("bank", "k1"),
    "staff.begin_session": lambda staff: staff.begin_session(
        replace(SESSION, token_hash="t2"), unused_since_ms=9, begun_before_ms=9
    ),
    "staff.read_session": lambda staff: staff.read_session("bank", "t1"),
    "staff.touch_session": lambda staff: staff.touch_session("bank", "t1", 9),
    "staff.end_session": lambda staff: staff.end_session("bank", "t1"),
    "staff.add_link": lambda staff: staff.add_link(replace(LINK, token_hash="l2"), 1),
    "staff.use_link": lambda staff: staff.use_link("bank", "l1", 1),
    "audit.add_record": lambda audit: audit.add_record(replace(RECORD, action="people.add")),
    "audit.finish_record": lambda audit: audit.finish_record(replace(RECORD, number=1, outcome="failed")),
    "audit.list_records": lambda audit: audit.list_records("bank", before=None, limit=9),
    "audit.erase": lambda audit: audit.erase("bank", "ana"),
    "audit.drop_records": lambda audit: audit.drop_records("bank", 2**53),
    "index.locate": lambda index: index.locate("bank", "c-1"),
    "index.find": lambda index: index.find("bank", Search()),
    "index.outdated": lambda index: index.outdated("bank", "1", 9),
    "index.put": lambda index: index.put([ROW]),
    "pauses.add_pause": lambda pauses: pauses.add_pause(replace(PAUSE, name="refund")),
    "pauses.end_pause": lambda pauses: pauses.end_pause("bank", "tool", "cancel"),
    "pauses.list_pauses": lambda pauses: pauses.list_pauses("bank"),
    "profiles.save_profile": lambda profiles: profiles.save_profile(replace(PROFILE, away=True)),
    "profiles.note_presence": lambda profiles: profiles.note_presence("bank", "k1", 9),
    "profiles.list_profiles": lambda profiles: profiles.list_profiles("bank"),
    "replies.put_reply": lambda replies: replies.put_reply(replace(REPLY, title="Other")),
    "replies.delete_reply": lambda replies: replies.delete_reply("bank", "r1"),
    "replies.list_replies": lambda replies: replies.list_replies("bank"),
    "rates.allow": lambda rates: rates.allow("bank", {"visitor": 10}),
    "edits.publish": lambda edits: edits.publish("bank", ["b1"], "b9"),
    "edits.newest": lambda edits: edits.newest("bank", "b1"),
}
"""By port and method: asks for something of the bank's, and is refused."""

NAMES_NO_ONE: Mapping[str, Ask] = {
    "log.unfinished": lambda log: log.unfinished(),
    "log.forget": lambda log: log.forget(2**53),
    "log.thin_out": lambda log: log.thin_out("chunks", 2**53),
    "writes.next": lambda writes: writes.next(["upload"], 2**52),
    "writes.waiting": lambda writes: writes.waiting(),
    "writes.read": lambda writes: writes.read(1),
    "writes.put_off": lambda writes: writes.put_off(1, "broken", None),
    "writes.remove": lambda writes: writes.remove(1),
    "deliveries.all": lambda deliveries: deliveries.all("crm"),
    "records.orphaned_recordings": lambda records: records.orphaned_recordings(),
    "records.forget_recording": lambda records: records.forget_recording(RECORDING),
    "jobs.failed": lambda jobs: jobs.failed(),
}
"""Asks for whatever there is, or for something by its number or path: all there is belongs to the bank."""

NOTHING_TO_ASK = {
    "credentials.reseal": "encrypts all anew, and shows nothing",
    "keyring.of_tenant": "test_tenants_have_secrets_of_their_own", "keyring.refresh": "reads the same secret again",
    "log.check_writable": "names no one", "log.close": "does nothing",
    "writes.expire": "goes by each document's own time", "writes.close": "does nothing",
    "deliveries.drop_rested": "goes by each position's own time",
    "records.keep_commitments": "salted hashes, which name no one",
}
# fmt: on


async def _fail(job: Job) -> None:
    raise LogError(f"no {job.kind} today")


KIND = JobKind(name=JOB.kind, run=_fail, lane="quick", tries=1)


async def _give_up(jobs: Jobs) -> None:
    """Queue the job, and run it until it is given up."""
    await jobs.later(JOB)
    running = asyncio.create_task(jobs.run([KIND]))
    async with asyncio.timeout(30):
        while not await jobs.failed():  # noqa: ASYNC110 (no event tells of it)
            await asyncio.sleep(0.02)
    running.cancel()
    await asyncio.wait({running})


@pytest.fixture(scope="module")
def files() -> Generator[Mapping[str, str]]:
    """A store of files with a bucket."""
    with object_store() as found:
        yield found


@pytest.fixture(params=["sqlite", "postgres", "sqlite with a store of files"])
def opens(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a storage, of each kind in turn."""
    clock, ids = VirtualClock(), SystemIds()
    if request.param == "postgres":
        database: str = request.getfixturevalue("database")
        return partial(open_postgres_storage, database, clock, ids, lease_s=10.0)
    opens = partial(open_sqlite_storage, tmp_path, clock, ids)
    if request.param == "sqlite":
        return opens
    found: Mapping[str, str] = request.getfixturevalue("files")
    for name, value in found.items():
        monkeypatch.setenv(name, value)

    @asynccontextmanager
    async def with_files() -> AsyncGenerator[Storage]:
        async with opens() as storage:
            yield replace(storage, log=MediaLog(storage.log, MediaStore(f"s3://{BUCKET}/isolation")))

    return with_files


@pytest.fixture
def reads(request: pytest.FixtureRequest, opens: Open, tmp_path: Path) -> Read:
    """Opens the same storage as commands do."""
    del opens
    if "postgres" in request.node.name:
        database: str = request.getfixturevalue("database_address")
        return partial(open_postgres_conversations, database)
    return partial(open_log, tmp_path / LOG_FILE)


@pytest.fixture
async def storage(opens: Open) -> AsyncGenerator[Storage]:
    """A storage with data of the bank's customer in each port."""
    async with opens() as storage:
        await storage.log.append(ANAS, [SAID, SHOWN])
        await storage.log.append(OLD, ENDED)
        await storage.writes.add(FILE, 0)
        await storage.bundles.keep("bank", BUNDLE)
        await storage.deliveries.begin(["crm"], ANAS, 1)
        await storage.deliveries.add_attempt(TRIED)
        await storage.credentials.keep(ANAS, CREDENTIAL)
        await storage.records.note_recording(ANAS, RECORDING)
        await storage.records.note_recording(replace(ANAS, conversation="c-gone"), ORPHAN)
        await storage.spending.add("bank", "ana", DAY, Spent(tokens=100))
        await storage.staff.add_account(KIM)
        await storage.staff.bind_identity("bank", "https://id", "u1", "k1")
        await storage.staff.begin_session(SESSION, unused_since_ms=0, begun_before_ms=0)
        await storage.staff.add_link(LINK, 1)
        await storage.audit.add_record(RECORD)
        await storage.pauses.add_pause(PAUSE)
        await storage.replies.put_reply(REPLY)
        await storage.profiles.save_profile(PROFILE)
        await storage.index.put([ROW])
        await _give_up(storage.jobs)
        if storage.edits is not None:
            await storage.edits.publish("bank", ["b1"], "b2")
        yield storage


async def _contents(storage: Storage) -> list[object]:
    kept = await storage.credentials.kept(ANAS)
    return [
        await storage.log.read(ANAS),
        await storage.log.read(OLD),
        await storage.log.unfinished(),
        await storage.writes.waiting(),
        await storage.bundles.read("bank", "b1"),
        await storage.bundles.read("bank", "b2"),
        await storage.deliveries.delivered("crm", ANAS),
        await storage.deliveries.attempts("bank", 9),
        kept.token if kept is not None else None,
        await storage.records.recordings("bank", "ana"),
        await storage.spending.spent("bank", "ana", DAY),
        await storage.jobs.failed(),
        await storage.staff.list_accounts("bank"),
        await storage.staff.find_identity("bank", "https://id", "u1"),
        await storage.staff.read_session("bank", "t1"),
        await storage.staff.use_link("bank", "l1", 1),
        await storage.staff.add_link(LINK, 1),
        await storage.audit.list_records("bank", before=None, limit=9),
        await storage.pauses.list_pauses("bank"),
        await storage.replies.list_replies("bank"),
        await storage.profiles.list_profiles("bank"),
        await storage.index.find("bank", Search()),
        await storage.edits.newest("bank", "b1") if storage.edits is not None else None,
    ]


def _ports() -> dict[str, Any]:
    """The type of each port of a storage."""
    return {
        name: next(each for each in (*get_args(kind), kind) if isinstance(each, type))
        for name, kind in get_type_hints(Storage).items()
        if kind not in (str, int)
    }


def _methods(port: Any) -> dict[str, list[str]]:
    """The names of the parameters of each method."""
    found = inspect.getmembers(port, inspect.isfunction)
    return {name: [*inspect.signature(method).parameters] for name, method in found if name[0] != "_"}


async def test_each_method_of_each_port_has_a_case(storage: Storage) -> None:
    view = view_of(storage, "shop")
    found = {port: _methods(kind) for port, kind in _ports().items()}
    assert view.leases is None  # the installation's
    del found["leases"]

    assert {f"{port}.{name}" for port, methods in found.items() for name in methods} == {
        *NAMES_ANOTHER, *NAMES_NO_ONE, *NOTHING_TO_ASK
    }  # fmt: skip
    for port, methods in found.items():
        if getattr(storage, port) is not None:
            assert type(getattr(view, port)) is not type(getattr(storage, port)), f"{port} is not limited"
            assert _methods(type(getattr(view, port))) == methods


def _has(storage: Storage, case: str) -> bool:
    """Whether this kind has the port: a data folder belongs to one process, which has no need of some."""
    return getattr(storage, case.partition(".")[0]) is not None


async def _asked(storage: Storage, case: str, ask: Ask) -> object:
    return await ask(getattr(view_of(storage, "shop"), case.partition(".")[0]))


# All cases share one storage: what is refused, or finds nothing, leaves it as it was.
@check_rows("case", NAMES_ANOTHER)
async def test_an_operation_that_names_another_tenant_is_refused(storage: Storage, case: str) -> None:
    if not _has(storage, case):
        return
    before = await _contents(storage)

    with pytest.raises(OtherTenant):
        await _asked(storage, case, NAMES_ANOTHER[case])

    assert await _contents(storage) == before


@check_rows("case", NAMES_NO_ONE)
async def test_an_operation_without_a_tenant_finds_nothing_of_another(storage: Storage, case: str) -> None:
    if not _has(storage, case):
        return
    before = await _contents(storage)

    assert not await _asked(storage, case, NAMES_NO_ONE[case])

    assert await _contents(storage) == before


async def test_a_tenant_finds_its_own(storage: Storage) -> None:
    view = view_of(storage, "bank")

    assert await view.log.read(ANAS) == [SAID, SHOWN]
    assert await view.log.unfinished() == [ANAS]
    assert [one.listed.ref for one in await view.writes.waiting()] == [FILE.ref]
    assert [one.job for one in await view.jobs.failed()] == [JOB]
    assert await view.deliveries.all("crm") == [ANAS]


async def test_tenants_have_separate_request_counts(storage: Storage) -> None:
    if storage.rates is None:
        pytest.skip("a server that is alone counts by itself")
    shop, bank = view_of(storage, "shop").rates, view_of(storage, "bank").rates
    assert shop is not None
    assert bank is not None

    asked = [await shop.allow("shop", {"visitor 1": 1}) for _ in range(2)]

    assert asked == [True, False]
    assert await bank.allow("bank", {"visitor 1": 1})


async def test_tenants_have_separate_edits(storage: Storage) -> None:
    if storage.edits is None:
        pytest.skip("a server that is alone has the newest edit")
    shop = view_of(storage, "shop").edits
    assert shop is not None

    await shop.publish("shop", ["b1"], "b7")  # both began with the same prompts

    assert await shop.newest("shop", "b1") == "b7"
    assert await storage.edits.newest("bank", "b1") == "b2"


async def test_no_long_call_of_another_tenant_is_recorded(storage: Storage) -> None:
    deps = deps_for(ScriptedModel(clock=VirtualClock()), [], shipped_book(), VirtualClock())
    sessions = SessionRegistry(FixedConfig(deps), view_of(storage, "shop").log, epoch="e1")
    before = await _contents(storage)

    with pytest.raises(OtherTenant):
        await sessions.record_long_call(
            ANAS, "t1", LongCallProgressed(call_id="c1", done=1, total=2, unit="")
        )

    assert await _contents(storage) == before
    await sessions.close()


READING: Mapping[str, Ask | str] = {
    "listed": lambda stored: stored.listed(),
    "read": lambda stored: stored.read(ANAS),
    "bundle": lambda stored: stored.bundle("bank", "b1"),
    "keeps_file": lambda stored: stored.keeps_file("bank", FILE.ref),
    "erased_at": "salted hashes, which name no one",
    "secrets": "test_tenants_have_secrets_of_their_own",
}
"""What commands can ask of all conversations, for the bank's data."""


@check_rows("case", [case for case, ask in READING.items() if not isinstance(ask, str)])
async def test_a_command_reads_nothing_of_another_tenant(storage: Storage, case: str, reads: Read) -> None:
    del storage  # whose data lie there
    ask = READING[case]
    assert not isinstance(ask, str)
    async with reads() as stored:
        assert await ask(stored)
        try:
            found = await ask(TenantConversations("shop", stored))
        except OtherTenant:
            found = None

    assert not found


def test_each_query_of_a_command_has_a_case() -> None:
    assert _methods(TenantConversations) == _methods(StoredConversations)
    assert {*_methods(StoredConversations)} == {*READING}


async def test_tenants_have_secrets_of_their_own(storage: Storage, reads: Read) -> None:
    secrets = {storage.secret, view_of(storage, "shop").secret, view_of(storage, "bank").secret}

    assert len(secrets) == 3
    async with reads() as stored:
        assert await TenantConversations("shop", stored).secrets() == view_of(storage, "shop").keyring.record

"""An installation moves from its data folder to a database, and nothing is lost or changed."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from assistant.conversation.customer import ConversationKey, CustomerCredential
from assistant.conversation.documents import Document
from assistant.conversation.usage import Spent
from assistant.errors import DeclarationError, StoreError
from assistant.ids import SystemIds
from assistant.jobs import Job, JobKind
from assistant.memory.library import Library
from assistant.privacy.customer_data import CustomerData
from assistant.staff.accounts import Account
from assistant.staff.audit import AuditRecord
from assistant.staff.canned_replies import CannedReply
from assistant.staff.pauses import Pause
from assistant.staff.profiles import WorkProfile
from assistant.storage_ports import DocumentStore
from assistant.store.copying.copy import CopyReport, copy_installation
from assistant.store.documents.pgvector import PgvectorDocuments
from assistant.store.documents.sqlite import SqliteDocuments
from assistant.store.postgres.storage import open_postgres_conversations, open_postgres_storage
from assistant.store.sqlite.data_folder import lock_data_folder
from assistant.store.sqlite.log_reader import open_log
from assistant.store.sqlite.storage import LOG_FILE, open_sqlite_storage
from assistant.store.storage import Recording, Storage, StorageInUse, StoredBundle, StoredConversations
from assistant.testing.virtual_time import VirtualClock
from tests.privacy.planted import Words, conversation
from tests.support.library import WIDTH, FakeEmbedder
from tests.support.postgres import run

CUSTOMERS = ("ana", "ben", "Ännchen")
BUNDLE = StoredBundle(bundle="b1", kept_ms=7, tools="hash", prompts={"decider.j2": "Hello \0 \N{SNOWMAN}"})


@dataclass(frozen=True, slots=True)
class Served:
    """An installation as a server has it."""

    storage: Storage
    library: Library
    customers: CustomerData
    conversations: StoredConversations


@asynccontextmanager
async def served(
    storage: Storage, documents: DocumentStore, conversations: StoredConversations, clock: VirtualClock
) -> AsyncGenerator[Served]:
    library = Library(
        documents,
        storage.writes,
        FakeEmbedder(),
        storage.log,
        clock,
        keep_results_days=90,
        keep_uploads_days=90,
    )
    customers = CustomerData(storage=storage, library=library, clock=clock, folder=Path("nowhere"))
    try:
        yield Served(storage, library, customers, conversations)
    finally:
        await library.close()
        await documents.close()


@asynccontextmanager
async def in_folder(folder: Path, clock: VirtualClock) -> AsyncGenerator[Served]:
    async with open_sqlite_storage(folder, clock, SystemIds()) as storage:
        documents = SqliteDocuments(folder / LOG_FILE, embedder="fake", width=WIDTH)
        async with open_log(folder / LOG_FILE) as read, served(storage, documents, read, clock) as found:
            yield found


@asynccontextmanager
async def in_database(database: str, clock: VirtualClock) -> AsyncGenerator[Served]:
    async with AsyncExitStack() as in_the_end:
        enter = in_the_end.enter_async_context
        storage = await enter(open_postgres_storage(database, clock, SystemIds(), create=False))
        documents = PgvectorDocuments(database, embedder="fake", width=WIDTH)
        read = await enter(open_postgres_conversations(database))
        yield await enter(served(storage, documents, read, clock))


async def moves_in(shop: Served, customer: str, clock: VirtualClock) -> None:
    """A customer leaves something in every table."""
    word = Words(customer)
    key = ConversationKey(tenant="shop", customer=customer, conversation=f"c-{customer}")
    await shop.storage.log.append(key, conversation(word, known_as=f"known-{customer}"))
    for state in ("written", "failed", "waiting"):
        await shop.library.keep(upload(customer, state))
        if state == "written":
            shop.library.start()
            await shop.library.written()
            await shop.library.close()
        if state == "failed":
            waiting = await shop.storage.writes.waiting("shop", customer)
            await shop.storage.writes.put_off(waiting[-1].number, "it was no text", None)
    await shop.storage.deliveries.begin(["handoff", "webhook"], key, 3)
    await shop.storage.records.note_recording(key, Recording(Path(f"/recordings/{customer}.yaml")))
    await shop.storage.records.keep_commitments([customer.encode().ljust(32, b"\0")], 5)
    credential = CustomerCredential(token=f"token of {customer}", expires_ms=clock.now_ms() + 900_000)
    await shop.storage.credentials.keep(key, credential)
    assert await shop.storage.used_tokens.use("demo", f"nonce-{customer}", until_ms=9, now_ms=0)
    await shop.storage.spending.add("shop", customer, date(2026, 11, 27), Spent(tokens=100, usd=0.01))
    await shop.storage.staff.add_account(agent_of(customer))
    await shop.storage.staff.bind_identity("shop", ISSUER, f"u-{customer}", f"a-{customer}")
    record = replace(SAW, customer=customer, object=f"c-{customer}")
    await shop.storage.audit.finish_record(
        replace(record, number=await shop.storage.audit.add_record(record), outcome="ok")
    )
    await shop.storage.replies.put_reply(
        CannedReply(
            tenant="shop",
            id=f"r-{customer}",
            title="Grüße",
            text="Hallo {name}",
            locale="de",
            by="Kim Ö",
            changed_ms=9,
        )
    )
    await shop.storage.pauses.add_pause(
        Pause(
            tenant="shop",
            kind="tool",
            name=f"tool of {customer}",
            account="a1",
            by="Kim Ö",
            since_ms=9,
            why="",
        )
    )
    await shop.storage.profiles.save_profile(
        WorkProfile(tenant="shop", account=f"a-{customer}", teams=("billing", "ö"), skills=("de",), away=True)
    )
    await shop.storage.jobs.later(event_for(customer), after_s=60)


ISSUER = "https://id.example.com"


def agent_of(customer: str) -> Account:
    """The person who looks after a customer."""
    return Account(
        tenant="shop",
        id=f"a-{customer}",
        login=f"agent-of-{customer}",
        name="Kim Ö",
        roles=frozenset({"agent", "admin"}),
        created_ms=3,
        password="$argon2id$v=19$m=8,t=1,p=1$none",
        disabled=customer == "ben",
    )


SAW = AuditRecord(
    tenant="shop",
    at_ms=8,
    account="a-ana",
    login="agent-of-ana",
    action="conversations.read",
    kind="conversation",
)


def event_for(customer: str) -> Job:
    """A job about a customer."""
    arguments = {"said": f"NUL \0 and \\u0000 of {customer}", "a": [1, 2.5, None]}
    return Job(kind="event", tenant="shop", customer=customer, lock=customer, arguments=arguments)


def upload(customer: str, state: str) -> Document:
    return Document(
        ref=f"document:{customer}-{state}",
        tenant="shop",
        customer=customer,
        kind="upload",
        title=f"The {state} file of {customer}",
        text=f"The {state} file of {customer} has a NUL \0 here. " + "Parcels arrive on Mondays. " * 300,
        mime="text/plain",
        origin="here",
        kept_ms=4,
        expires_ms=10**15,
    )


@pytest.fixture
async def folder(tmp_path: Path, clock: VirtualClock) -> Path:
    """The data folder of a shop with three customers, one of whom was there twice, and one who was erased."""
    async with in_folder(tmp_path / "data", clock) as shop:
        for customer in (*CUSTOMERS, "gone"):
            await moves_in(shop, customer, clock)
        again = ConversationKey(tenant="shop", customer="ana", conversation="c-again")
        await shop.storage.log.append(again, conversation(Words("again"))[:4])  # the turn has not ended
        await shop.storage.bundles.keep("demo", BUNDLE)
        await shop.customers.erase("shop", "gone")
    return tmp_path / "data"


@pytest.fixture
def empty(database: str) -> str:
    """A database without an installation."""
    return database


async def everything(shop: Served) -> dict[str, Any]:
    """What a server, and an operator's command, can find out."""
    keys = [one.key for one in sorted(await shop.conversations.listed(), key=str)]
    queue = await shop.storage.writes.waiting()
    return {
        "listed": sorted(await shop.conversations.listed(), key=str),
        "entries": [await shop.storage.log.read(key) for key in keys],
        "unfinished": sorted(await shop.storage.log.unfinished(), key=str),
        "conversations": [await shop.storage.log.conversations("shop", customer) for customer in CUSTOMERS],
        "visitors": [await shop.storage.log.visitors("shop", f"known-{customer}") for customer in CUSTOMERS],
        "numbering": [await shop.storage.log.numbering(key) for key in keys],
        "queue": [replace(one, number=0) for one in queue],
        "texts": [storable(await shop.storage.writes.read(one.number)) for one in queue],
        "documents": [await shop.library.documents("shop", customer) for customer in CUSTOMERS],
        "found": [
            storable(replace(one, score=round(one.score, 5)))  # the two add up in another order
            for customer in CUSTOMERS
            for one in await shop.library.search("shop", customer, f"the written file of {customer}", limit=5)
        ],
        "exports": [
            storable({**await shop.customers.export("shop", customer), "exported_at": "", "recordings": None})
            for customer in CUSTOMERS
        ],
        "deliveries": {key: await shop.storage.deliveries.delivered("webhook", key) for key in keys},
        "credentials": [secrets(await shop.storage.credentials.kept(key)) for key in keys],
        "recordings": [
            [one.path for one in await shop.storage.records.recordings("shop", customer)]
            for customer in CUSTOMERS
        ],
        "bundle": await shop.storage.bundles.read("demo", "b1"),
        "staff": await shop.storage.staff.list_accounts("shop"),
        "identities": [
            await shop.storage.staff.find_identity("shop", ISSUER, f"u-{customer}") for customer in CUSTOMERS
        ],
        "records": [
            replace(one, number=0)
            for one in await shop.storage.audit.list_records("shop", before=None, limit=99)
        ],
        "pauses": await shop.storage.pauses.list_pauses("shop"),
        "replies": await shop.storage.replies.list_replies("shop"),
        "profiles": await shop.storage.profiles.list_profiles("shop"),
        "erased": [
            await shop.conversations.erased_at(customer.encode().ljust(32, b"\0")) for customer in CUSTOMERS
        ],
        "secret": (shop.storage.secret, await shop.conversations.secrets()),
    }


def storable(found: object) -> object:
    """A database has U+FFFD where a file has NUL."""
    return repr(found).replace("\\x00", "\N{REPLACEMENT CHARACTER}")


def secrets(credential: CustomerCredential | None) -> tuple[object, ...] | None:
    return credential and (credential.token, dict(credential.claims), credential.expires_ms)


def different(report: CopyReport) -> list[str]:
    return [table.table for table in report.tables if not table.equal]


async def test_a_copied_installation_answers_as_before(folder: Path, empty: str, clock: VirtualClock) -> None:
    async with in_folder(folder, clock) as shop:
        before = await everything(shop)
    steps = list[tuple[int, int]]()

    report = await copy_installation(
        folder, empty, "--to", progress=lambda done, total: steps.append((done, total))
    )

    assert different(report) == []
    assert {table.table: table.target.rows for table in report.tables if table.target.rows == 0} == {}
    assert steps == [(number, len(steps)) for number in range(1, len(steps) + 1)]
    async with in_database(empty, clock) as shop:
        after = await everything(shop)
        assert not await shop.storage.used_tokens.use("demo", "nonce-ana", until_ms=9, now_ms=0)
    for what, found in before.items():
        assert after[what] == found, what


async def test_a_copied_conversation_continues(folder: Path, empty: str, clock: VirtualClock) -> None:
    await copy_installation(folder, empty, "--to")
    again = ConversationKey(tenant="shop", customer="ana", conversation="c-again")

    async with in_database(empty, clock) as shop:
        await shop.storage.log.append(again, conversation(Words("again"))[4:])
        assert len(await shop.storage.log.read(again)) == len(conversation(Words("again")))


async def test_a_second_copy_changes_nothing(folder: Path, empty: str) -> None:
    first = await copy_installation(folder, empty, "--to")
    second = await copy_installation(folder, empty, "--to")

    assert (first.copied, second.copied) == (True, False)
    assert different(second) == []


async def test_data_erased_after_a_copy_does_not_come_back(
    folder: Path, empty: str, clock: VirtualClock
) -> None:
    await copy_installation(folder, empty, "--to")
    async with in_database(empty, clock) as shop:
        await shop.customers.erase("shop", "ana")

    again = await copy_installation(folder, empty, "--to")

    assert "entries" in different(again)
    async with in_database(empty, clock) as shop:
        assert await shop.storage.log.conversations("shop", "ana") == []


async def test_copied_jobs_run_with_their_arguments(folder: Path, empty: str, clock: VirtualClock) -> None:
    async def fail(_: Job) -> None:
        raise StoreError("the helpdesk is away")

    async with in_folder(folder, clock) as shop:
        await shop.storage.jobs.later(Job(kind="retention"))
        running = asyncio.create_task(
            shop.storage.jobs.run([JobKind(name="retention", run=fail, lane="quick", tries=1)])
        )
        while not (given_up := await shop.storage.jobs.failed()):  # noqa: ASYNC110 - it is in a file
            await asyncio.sleep(0.01)
        running.cancel()
        await asyncio.wait({running})

    report = await copy_installation(folder, empty, "--to")

    assert different(report) == []
    done, ended = list[Job](), asyncio.Event()

    async def note(job: Job) -> None:
        done.append(job)
        if len(done) == len(CUSTOMERS) + 1:
            ended.set()

    async with in_database(empty, clock) as shop:
        assert await shop.storage.jobs.failed() == given_up
        await shop.storage.jobs.later(event_for("Zoe"))  # its number is none of the copied ones
        await run(empty, "UPDATE meanwhile.procrastinate_jobs SET scheduled_at = NULL")
        running = asyncio.create_task(shop.storage.jobs.run([JobKind(name="event", run=note, lane="quick")]))
        async with asyncio.timeout(20):
            await ended.wait()
        running.cancel()
        await asyncio.wait({running})
    assert {job.customer for job in done} == {*CUSTOMERS, "Zoe"}
    [anas] = (job for job in done if job.customer == "ana")
    assert storable(sorted(anas.arguments.items())) == storable(sorted(event_for("ana").arguments.items()))


class Killed(BaseException):
    """The process ended in the middle."""


async def test_a_killed_copy_continues_from_any_point(folder: Path, empty: str, clock: VirtualClock) -> None:
    async with in_folder(folder, clock) as shop:
        before = await everything(shop)

    killed_at = 0

    def kill(done: int, _: int) -> None:
        if done == killed_at:
            raise Killed

    while True:
        killed_at += 3
        try:
            report = await copy_installation(folder, empty, "--to", progress=kill)
        except Killed:
            with pytest.raises(DeclarationError, match="is not finished: run `assistant data copy` again"):
                async with in_database(empty, clock):
                    pass
        else:
            assert different(report) == []
            break

    async with in_database(empty, clock) as shop:
        assert await everything(shop) == before


@pytest.mark.parametrize(
    ("change", "table"),
    [
        ("UPDATE meanwhile.entries SET body = replace(body, 'orchid-ben', 'orchid-bem')", "entries"),
        ("DELETE FROM meanwhile.entries WHERE customer = 'ana' AND seq = 2", "entries"),
        ("UPDATE meanwhile.conversations SET waiting = 'u9' WHERE customer = 'ben'", "conversations"),
        ("UPDATE meanwhile.documents SET text = text || ' '", "documents"),
        ("UPDATE meanwhile.passages SET vector = -1 * vector WHERE number = 1", "passages"),
        ("UPDATE meanwhile.writes SET tries = 9", "writes"),
        ("UPDATE meanwhile.credentials SET sealed = sealed || '\\x00'", "credentials"),
        ("DELETE FROM meanwhile.commitments", "commitments"),
        ("INSERT INTO meanwhile.used_tokens VALUES ('more', 1, 'demo')", "used_tokens"),
    ],
)
async def test_a_changed_byte_in_the_database_is_reported(
    folder: Path, empty: str, change: str, table: str
) -> None:
    await copy_installation(folder, empty, "--to")

    superuser = empty.replace("//plain:", "//shop:")  # row level security would hide the rows
    await run(
        superuser, change.replace("-1 * vector", "(vector * (SELECT array_fill(-1, ARRAY[256]))::vector)")
    )

    assert different(await copy_installation(folder, empty, "--to")) == [table]


async def test_no_server_starts_on_a_copy_that_differs(folder: Path, empty: str, clock: VirtualClock) -> None:
    def kill(done: int, _: int) -> None:
        if done == 3:
            raise Killed

    with pytest.raises(Killed):
        await copy_installation(folder, empty, "--to", progress=kill)
    superuser = empty.replace("//plain:", "//shop:")
    await run(superuser, "UPDATE meanwhile.entries SET at_ms = at_ms + 1 WHERE seq = 1")

    assert different(await copy_installation(folder, empty, "--to")) == ["entries"]

    with pytest.raises(DeclarationError, match="is not finished"):
        async with in_database(empty, clock):
            pass


async def test_data_of_another_installation_is_not_changed(
    folder: Path, empty: str, clock: VirtualClock, tmp_path: Path
) -> None:
    async with open_postgres_storage(empty, clock, SystemIds()) as other:
        secret = other.secret

    with pytest.raises(DeclarationError, match=r"^--to: postgresql://.*another installation uses") as refused:
        await copy_installation(folder, empty, "--to")

    assert "correct" not in str(refused.value)
    async with open_postgres_storage(empty, clock, SystemIds()) as other:
        assert other.secret == secret
        assert await other.log.unfinished() == []


async def test_a_database_with_only_documents_is_refused(folder: Path, empty: str) -> None:
    store = PgvectorDocuments(empty, embedder="fake", width=WIDTH)
    await store.put(upload("somebody", "other"), [])
    await store.close()

    with pytest.raises(DeclarationError, match="there are documents in this database"):
        await copy_installation(folder, empty, "--to")

    # Unless they are this installation's, which has stored its documents there before.
    report = await copy_installation(folder, empty, "--to", documents=False)
    assert different(report) == []
    assert "documents" not in {table.table for table in report.tables}


async def test_while_a_server_runs_nothing_is_copied(folder: Path, empty: str) -> None:
    with lock_data_folder(folder), pytest.raises(StorageInUse, match="is in use by process"):
        await copy_installation(folder, empty, "--to")


async def test_a_folder_that_cannot_be_copied_is_reported_with_the_solution(folder: Path, empty: str) -> None:
    with pytest.raises(DeclarationError, match=r"there is no .*log.db: is ASSISTANT_DATA_DIR right"):
        await copy_installation(folder / "elsewhere", empty, "--to")
    with closing(sqlite3.connect(folder / LOG_FILE)) as file:
        file.execute("DELETE FROM schema WHERE number >= 12")
        file.commit()
    with pytest.raises(DeclarationError, match=r"has schema 11, .*: run `assistant upgrade`"):
        await copy_installation(folder, empty, "--to")


async def test_an_unreachable_database_is_reported_without_its_password(folder: Path) -> None:
    with pytest.raises(DeclarationError, match=r"^--to: postgresql://127\.0\.0\.1:1/x: ") as refused:
        await copy_installation(folder, "postgresql://shop:horse@127.0.0.1:1/x", "--to")

    assert "horse" not in str(refused.value)


async def test_a_customer_with_an_unfinished_erasure_is_not_copied(
    tmp_path: Path, clock: VirtualClock
) -> None:
    async with in_folder(tmp_path, clock) as there:
        await there.storage.jobs.later(Job(kind="delivery", tenant="t", customer="ben", lock="c1"))
        await there.storage.jobs.later(Job(kind="erasure", tenant="t", customer="ana", lock="ana"))

    with pytest.raises(
        DeclarationError, match="not everything is erased yet of ana: run `assistant customer"
    ):
        await copy_installation(tmp_path, "postgresql://127.0.0.1:1/x", "--to")

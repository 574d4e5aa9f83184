"""A console with people in it, and browsers that use it over HTTP."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import aiohttp

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import AssistantError
from assistant.ids import SystemIds
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.detail import detail_of
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation, compare_turns
from assistant.inspector.requests import RebuiltRequest, RequestSection
from assistant.prompts.book import shipped_book
from assistant.server.console.console_context import Approvals, Console, Conversations, PauseControls
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff.accounts import Account
from assistant.staff.audit import AuditRecord
from assistant.staff.live_pauses import LivePauses
from assistant.staff.passwords import Passwords
from assistant.staff.roles import Role
from assistant.staff.staff import Staff
from assistant.staff.store import AuditStore, StaffStore
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.canned_replies import REPLIES_FILE, SqliteCannedReplies
from assistant.store.sqlite.conversation_index import SqliteConversationIndex
from assistant.store.sqlite.file import SqliteKeyValue
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.staff import STAFF_FILE, STAFF_TABLES, SqliteAudit, SqliteStaff
from assistant.store.sqlite.storage import LOG_FILE
from assistant.testing.chat import deps_for
from assistant.testing.fake_tool import fake_spec
from assistant.testing.scripted_model import ScriptedModel
from tests.server.running_server import ManualClock, RunningServer, new_server, opened
from tests.support.memory_pauses import MemoryPauses

PASSWORD = "a long walk in autumn"
IDLE_MS = 30 * 60_000


class QuickHasher:
    """Hashes that cost nothing; it counts how often a password was compared."""

    def __init__(self) -> None:
        self.compared = 0

    def hash(self, password: str) -> str:
        return f"hash of {password}"

    def is_hash_of(self, password: str, hashed: str) -> bool:
        self.compared += 1
        return hashed.endswith(f"hash of {password}")

    def is_outdated(self, hashed: str) -> bool:
        return hashed.startswith("old ")


def new_staff(store: StaffStore, clock: ManualClock, hasher: QuickHasher, tenant: str = "demo") -> Staff:
    return Staff(
        tenant=tenant,
        store=store,
        passwords=Passwords(hasher),
        clock=clock,
        ids=SystemIds(),
        idle_hours=8,
        session_days=7,
    )


@dataclass
class Answer:
    """What a browser was answered."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        return self.body["error"]["code"]


class Browser:
    """A page of the console in a browser: it keeps its cookies, and sends what a page sends."""

    def __init__(self, port: int, http: aiohttp.ClientSession) -> None:
        self.origin: str | None = f"http://127.0.0.1:{port}"
        self.home, self.http = f"http://127.0.0.1:{port}", http
        self.csrf = ""

    async def asks(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        given = {} if self.origin is None or method == "GET" else {"Origin": self.origin}
        if self.csrf and method != "GET":
            given["X-Console-Token"] = self.csrf
        address = f"{self.home}/console/api/{path}"
        async with self.http.request(method, address, json=body, headers={**given, **headers}) as answer:
            return Answer(answer.status, await answer.json(), answer.headers)

    async def signs_in(self, login: str, password: str = PASSWORD, **headers: str) -> Answer:
        return self._begun(
            await self.asks("POST", "session", {"login": login, "password": password}, **headers)
        )

    async def opens_link(self, token: str) -> Answer:
        return self._begun(await self.asks("POST", "session/link", {"token": token}))

    async def is_signed_in(self) -> bool:
        return (await self.asks("GET", "session")).body["account"] is not None

    @property
    def cookie(self) -> str:
        return next((one.value for one in self.http.cookie_jar if one.key == "meanwhile_console"), "")

    def _begun(self, answer: Answer) -> Answer:
        if answer.status == 200:
            self.csrf = answer.body["csrf"]
        return answer


class FakeInspector:
    """Rebuilds each request with one section, except that of a summary. Replays change nothing."""

    def __init__(self) -> None:
        self.forks: list[Fork] = []

    async def rebuild(self, key: ConversationKey, entries: Sequence[Logged], asked: Logged) -> RebuiltRequest:
        del key, entries
        if asked.turn_id == "t2":
            raise AssistantError("the prompts have a mistake")
        section = RequestSection(name="instructions", text="You are Willow.", tokens=4)
        return RebuiltRequest(sections=(section,), same_prompts=True, counted_by="estimate")

    async def copy_as_test(self, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
        if key.conversation != "k1":
            raise AssistantError("the customer wrote nothing")
        return CopiedTest(
            text=f"# {len(entries)}", passes=True, failure="", difference="", masked=2, left_out=()
        )

    async def replay(self, key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
        detail = detail_of(key, entries)
        numbers = {"t1": 1, "t2": 2}
        turns = compare_turns(detail, numbers, detail, numbers)
        return ReplayedConversation(turns=turns, unscripted=(), left_out=(), same_version=False)

    def asked_models(self) -> AskedModels:
        return AskedModels(models=("anthropic/claude",), embedded=False)

    async def fork(self, key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
        self.forks.append(fork)
        replayed = await self.replay(key, entries)
        turn = next((one for one in replayed.turns if one.turn_id == fork.turn_id), None)
        if turn is None:
            raise AssistantError(f"no message of the customer began a turn {fork.turn_id!r}")
        return ForkedTurn(
            turn=turn, models=("anthropic/claude",), tokens=900, cost_usd=0.012, earlier=(), unscripted=()
        )

    async def receipt(self, key: ConversationKey, call_key: str) -> bytes:
        if call_key != f"{key.conversation}/t1/c1.1":
            raise AssistantError("no such call")
        return b'{"receipt": 1}'


@dataclass
class Office:
    """A company's console, its people, and their browsers."""

    server: RunningServer
    staff: Staff
    audit: AuditStore
    hasher: QuickHasher
    log: SqliteLog
    end: AsyncExitStack
    console: Console
    people: dict[str, Account] = field(default_factory=dict[str, Account])

    @property
    def clock(self) -> ManualClock:
        return self.server.clock

    async def browser(self) -> Browser:
        jar = aiohttp.CookieJar(unsafe=True)  # it keeps those of an address without a name, too
        connector = aiohttp.TCPConnector(force_close=True)
        http = aiohttp.ClientSession(cookie_jar=jar, connector=connector)
        return Browser(self.server.port, await self.end.enter_async_context(http))

    async def hires(self, login: str, *roles: Role, password: str = PASSWORD) -> Account:
        account = await self.staff.add_person(login, login.title(), roles, password=password)
        self.people[login] = account
        return account

    async def sits_down(self, login: str) -> Browser:
        """A browser in which this person is signed in."""
        browser = await self.browser()
        assert (await browser.signs_in(login)).status == 200
        return browser

    async def recorded(self) -> list[str]:
        """The records, oldest first, in words."""
        found = await self.audit.list_records(self.staff.tenant, before=None, limit=99)
        return [_told(one, self.people.values()) for one in reversed(found)]


def _told(record: AuditRecord, people: Sequence[Account] | Any) -> str:
    names = {one.id: one.login for one in people}
    what = f" {names.get(record.object, record.object)}" if record.object else ""
    detail = f" ({record.detail})" if record.detail else ""
    return f"{record.login or 'someone'} {record.action}{what}{detail}: {record.outcome}"


def controls_of(server: RunningServer, store: MemoryPauses) -> PauseControls:
    """What can be paused: two tools and two versions."""

    async def versions(limit: int) -> list[tuple[str, int]]:
        return [("b2", 2_000), ("b1", 1_000)][:limit]

    return PauseControls(
        pauses=LivePauses("demo", store, server.clock),
        channels=("chat", "voice"),
        tools=lambda: [
            fake_spec("cancel_order", "cancelling your order", "cancel your order", effect="write"),
            fake_spec("get_open_invoices", "checking your billing", "check your billing"),
        ],
        newest=lambda: "b2",
        versions=versions,
        people=True,
    )


def no_approvals(server: RunningServer) -> Approvals:
    """An office in which no change waits."""
    deps = deps_for(ScriptedModel(), [], shipped_book(), server.clock)
    sessions = SessionRegistry(FixedConfig(deps), MemoryLog(), epoch="1")
    return Approvals(tenant="demo", sessions=sessions, clock=server.clock)


@asynccontextmanager
async def open_office(
    folder: Path,
    *,
    server: RunningServer | None = None,
    stores: tuple[StaffStore, AuditStore] | None = None,
    web_dir: Path | None = None,
    approvals: Approvals | None = None,
    **options: Any,
) -> AsyncGenerator[Office]:
    """A company's console on a loopback port; in the ``folder``, or on other ``stores``."""
    server, hasher = server or new_server(), QuickHasher()
    async with AsyncExitStack() as end:
        if stores is None:
            file = SqliteKeyValue(folder / STAFF_FILE, STAFF_TABLES, "staff accounts")
            end.push_async_callback(file.close)
            stores = SqliteStaff(file), SqliteAudit(file)
        staff = new_staff(stores[0], server.clock, hasher)
        log = SqliteLog(folder / LOG_FILE)
        end.push_async_callback(log.close)
        index = SqliteConversationIndex(folder / LOG_FILE)
        end.push_async_callback(index.close)
        replies = SqliteCannedReplies(folder / REPLIES_FILE)
        end.push_async_callback(replies.close)
        console = Console(
            staff=staff,
            audit=stores[1],
            conversations=Conversations(
                index=index, read=log.read, idle_ms=IDLE_MS, inspector=FakeInspector()
            ),
            clock=server.clock,
            company=lambda: "Willow & Finch",
            controls=controls_of(server, MemoryPauses()),
            approvals=approvals or no_approvals(server),
            replies=replies,
            **options,
        )
        server.context = replace(server.context, console=console)
        await end.enter_async_context(opened(server, web_dir=web_dir))
        yield Office(server, staff, stores[1], hasher, log, end, console)

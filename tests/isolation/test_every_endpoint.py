"""At every endpoint, another customer, another tenant and anyone without access get nothing of Ana's data.

Endpoints and frames are read from the server, so a new one needs a probe here.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import aiohttp
import orjson
import pytest
from twilio.request_validator import RequestValidator
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.documents import Document
from assistant.conversation.entries import CallEnded, Logged
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json
from assistant.memory.file_reader import ReadFile
from assistant.privacy.customer_data import ErasureReport
from assistant.prompts.book import shipped_book
from assistant.server.app import build_server
from assistant.server.attachments import AttachmentAddresses, AttachmentPlace, AttachmentService
from assistant.server.auth import Visit, VisitorTokens
from assistant.server.console.console_context import Console, Conversations
from assistant.server.frames.client_frames import CLIENT_FRAMES, AnyClientFrame
from assistant.server.operators.access import Operators
from assistant.server.operators.handoff_events import HandoffHook
from assistant.server.operators.stored_data import DocumentArchive
from assistant.server.phone.phone_context import HEADER, PhoneContext, Signatures
from assistant.server.uploads import UploadReader, Uploads
from assistant.store.sqlite.conversation_index import SqliteConversationIndex
from assistant.store.sqlite.file import SqliteKeyValue
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.staff import STAFF_FILE, STAFF_TABLES, SqliteAudit, SqliteStaff
from assistant.store.sqlite.storage import LOG_FILE
from assistant.testing.script import calls, says
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature
from tests.server.client import Client
from tests.server.console.browser import QuickHasher, new_staff
from tests.server.running_server import SECRET, FakeSession, RunningServer, new_server, opened
from tests.support.handoff_scenario import HandoffScenario
from tests.support.library import FakeKeeper
from tests.support.memory_used_tokens import MemoryUsedTokens, call_registry

SECRET_WORD = "orchid-4711"
TOKEN, OTHER_TOKEN = "a-token-for-tests-that-is-long-enough", "another-token-for-tests-that-is-as-long"
SIGNED_WITH = "a-secret-for-tests-that-is-long-enough"
ANA = Customer(tenant="shop", id="ana", level="verified", name="Ana")
BEN = Customer(tenant="shop", id="ben", level="verified", name="Ben")
BANK = Customer(tenant="bank", id="ana", level="verified", name="Ana")
ANAS = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
PHOTO = Media.of(SECRET_WORD.encode(), name="note.txt", mime="text/plain")
FILE = Document(
    ref="document:anas",
    tenant="shop",
    customer="ana",
    kind="upload",
    title=f"{SECRET_WORD}.txt",
    text=SECRET_WORD,
    conversation="c-1",
    expires_ms=2_000_000_000_000,
)
PLACE = {"conversation_id": "c-1", "handoff_id": "h-t1-c1.1"}

_METHODS = {
    "/v1/operators/customers/{customer:path}": "DELETE",
    "/v1/documents/{name:path}": "PUT",
    "/v1/documents/{ref:path}": "DELETE",
}

FRAMES: dict[str, dict[str, Any]] = {
    "hello": {"conversation_id": "c-1", "last_seq": 0},
    "message": {"id": "m1", "text": "Repeat what I said"},
    "confirm": {"id": "m9", "confirmation_id": "t1-confirm", "answer": "yes"},
    "cancel": {"turn_id": "t1"},
    "seen": {"seq": 1},
    "typing": {},
    "handoff.end": {}, "identity": {"user": "a word of the site's that is none"},
    "feedback": {"message_id": "said-1", "rating": "up"},
    "audio.start": {}, "audio.end": {}, "audio.stop": {}, "audio.played": {"clip": 1, "ms": 100},
    "ping": {"id": "p1"},
}  # fmt: skip
"""Each kind of frame as Ben may send it, with the ids of Ana's conversation in it."""

ROUTES = {
    "/healthz": "test_the_health_checks_name_no_customer",
    "/readyz": "test_the_health_checks_name_no_customer",
    "/v1/attachments/{sealed}": "test_an_unknown_address_leads_nowhere",
    "/v1/operators/conversations": "test_without_the_token_operators_get_nothing",
    "/v1/operators/conversations/{conversation}": "test_without_the_token_operators_get_nothing",
    "/v1/operators/conversations/{conversation}/accept": "test_without_the_token_operators_get_nothing",
    "/v1/operators/conversations/{conversation}/messages": "test_without_the_token_operators_get_nothing",
    "/v1/operators/conversations/{conversation}/end": "test_without_the_token_operators_get_nothing",
    "/v1/operators/conversations/{conversation}/decline": "test_without_the_token_operators_get_nothing",
    "/v1/operators/customers/{customer:path}": "test_without_the_token_operators_get_nothing",
    "/v1/documents": "test_without_the_token_operators_get_nothing",
    "/v1/documents/{name:path}": "test_without_the_token_operators_get_nothing",
    "/v1/documents/{ref:path}": "test_without_the_token_operators_get_nothing",
    "/v1/uploads": "test_no_other_customer_uploads_in_anas_name",
    "/v1/uploads/{ref:path}": "test_no_other_customer_reads_sends_or_deletes_anas_file",
    **dict.fromkeys(
        (
            "/console/api/session",
            "/console/api/account",
            "/console/api/people",
            "/console/api/people/{account_id}",
            "/console/api/people/{account_id}/link",
            "/console/api/audit",
            "/console/api/conversations",
            "/console/api/conversations/{conversation_id}",
        ),
        "test_the_console_shows_nothing_to_who_is_not_signed_in",
    ),
    "/console/api/sign-in": "test_the_console_shows_nothing_to_who_is_not_signed_in",
    "/console/api/session/link": "test_the_console_shows_nothing_to_who_is_not_signed_in",
    "/v1/handoff/events": "test_the_hook_accepts_only_signed_requests_for_its_tenant",
    "/v1/phone/incoming": "test_the_phone_answers_only_twilio",
    "/v1/phone/ended": "test_the_phone_answers_only_twilio",
    "/v1/phone/answered": "test_the_phone_answers_only_twilio",
    "/v1/phone/dialled": "test_the_phone_answers_only_twilio",
}


@dataclass
class ServedConversation:
    """A server with every endpoint, on which Ana has talked and asked for a person."""

    server: RunningServer
    scenario: HandoffScenario
    http: aiohttp.ClientSession
    addresses: AttachmentAddresses
    keeper: FakeKeeper

    @property
    def anas(self) -> FakeSession:
        return self.server.sessions.known[ANAS]

    def token(self, customer: Customer, conversation: str) -> str:
        return self.server.context.tokens.issue(Visit(customer=customer, conversation=conversation))[0]

    async def ben(self) -> Client:
        client = Client(self.server)
        client.token = self.token(BEN, "c-2")
        await client.enter()
        return client


@dataclass(frozen=True, slots=True)
class AnasData:
    """All that is kept of customers: something of Ana's, who is the shop's."""

    erased: list[str] = field(default_factory=list[str])

    async def export(self, tenant: str, customer: str) -> dict[str, Json]:
        kept = [SECRET_WORD] if (tenant, customer) == ("shop", "ana") else []
        return {"conversations": kept, "documents": [], "recordings": []}

    async def erase(self, tenant: str, customer: str) -> ErasureReport:
        self.erased.append(f"{tenant} {customer}")
        return ErasureReport(conversations=int((tenant, customer) == ("shop", "ana")), documents=0)


async def _read(name: str, content: bytes) -> ReadFile:
    return ReadFile(title=name, text=content.decode(), mime="text/plain")


def _server(
    scenario: HandoffScenario, keeper: FakeKeeper, tenant: str = "shop", token: str = TOKEN
) -> RunningServer:
    server = new_server()
    reader = UploadReader(_read, {".txt"}, 1_000, server.clock)
    key = AttachmentAddresses(SECRET, server.clock)

    async def read(where: ConversationKey, after: int) -> list[Logged]:
        return [one for one in server.sessions.known[where].entries if one.seq > after]

    server.context = replace(
        server.context,
        handoffs=scenario.handoffs,
        operators=Operators(token=token, tenant=tenant, handoffs=scenario.handoffs, clock=server.clock),
        hook=HandoffHook(secret=SIGNED_WITH, tenant=tenant, handoffs=scenario.handoffs, clock=server.clock),
        attachments=AttachmentService(key, read),
        uploads=Uploads(keeper, reader, server.clock, server.context.ids),
        customers=AnasData(),
        phone=PhoneContext(
            url="https://talk.example.com",
            signatures=Signatures(SIGNED_WITH, "https://talk.example.com"),
            tenant=tenant,
            via="relay",
            book=shipped_book,
            calls=call_registry(server.clock, MemoryUsedTokens(), tenant=tenant),
        ),
        archive=DocumentArchive(tenant=tenant, keeper=keeper, reader=reader, clock=server.clock),
    )
    return server


@asynccontextmanager
async def _console(folder: Path, server: RunningServer, tenant: str) -> AsyncGenerator[Console]:
    file = SqliteKeyValue(folder / STAFF_FILE, STAFF_TABLES, "staff accounts")
    log, index = SqliteLog(folder / LOG_FILE), SqliteConversationIndex(folder / LOG_FILE)
    yield Console(
        staff=new_staff(SqliteStaff(file), server.clock, QuickHasher(), tenant),
        audit=SqliteAudit(file),
        conversations=Conversations(index=index, read=log.read, idle_ms=1_000),
        clock=server.clock,
        company=lambda: "Shop",
    )
    await index.close()
    await log.close()
    await file.close()


@pytest.fixture
async def served(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[ServedConversation, None]:
    scenario = HandoffScenario()
    chat = await scenario.opens(calls("talk_to_a_person"), says("I have asked."))
    await chat.says(f"A person please, {SECRET_WORD}")
    keeper = FakeKeeper()
    await keeper.keep(FILE)
    server = _server(scenario, keeper, *getattr(request, "param", ()))
    ana = await server.sessions.open(ANAS, ANA)
    await ana.say(client_message_id="m1", text=f"My code is {SECRET_WORD}", locale="en")
    ana.publish(CallEnded(outcome=CallSucceeded(call=Call(id="c1.1", tool="note"), value=1, media=(PHOTO,))))
    async with AsyncExitStack() as end:
        console = await end.enter_async_context(_console(tmp_path, server, "shop"))
        server.context = replace(server.context, console=console)
        await end.enter_async_context(opened(server))
        connector = aiohttp.TCPConnector(force_close=True)
        http = aiohttp.ClientSession(f"http://127.0.0.1:{server.port}", connector=connector)
        await end.enter_async_context(http)
        yield ServedConversation(server, scenario, http, AttachmentAddresses(SECRET, server.clock), keeper)
    await scenario.handoffs.close()


def _paths(routes: Any) -> set[str]:
    """All paths of an application or a router, and of the routers within it."""
    paths: set[str] = set()
    for route in routes.routes:
        inner = getattr(route, "original_router", None)
        paths |= {route.path} if inner is None else _paths(inner)
    return paths


def _kinds_of_frames() -> set[str]:
    classes: tuple[Any, ...] = get_args(AnyClientFrame)
    return {get_args(one.model_fields["type"].annotation)[0] for one in classes}


async def test_every_endpoint_and_every_frame_has_a_probe(served: ServedConversation) -> None:
    whole: Any = build_server(served.server.context)

    assert _paths(vars(whole)["_app"]) == set(ROUTES)
    assert set(ROUTES.values()) <= set(globals())
    assert _kinds_of_frames() == set(FRAMES)
    for kind, frame in FRAMES.items():
        CLIENT_FRAMES.validate_python({"type": kind, **frame})


@pytest.mark.parametrize("kind", FRAMES)
async def test_no_frame_of_ben_reaches_anas_conversation(served: ServedConversation, kind: str) -> None:
    ana = served.anas
    before = (list(ana.entries), list(ana.stopped), list(ana.told), ana.typed, list(ana.visits))
    ben = await served.ben()

    await ben.say(type=kind, **FRAMES[kind])

    await ben.say(type="ping", id="end")
    while ben.heard[-1:] != [{"type": "pong", "id": "end"}]:
        await ben.hear()
    assert SECRET_WORD not in orjson.dumps(ben.heard).decode()
    assert (ana.entries, ana.stopped, ana.told, ana.typed, ana.visits) == before
    assert ana.listeners == []
    assert (
        served.server.sessions.known[replace(ANAS, customer="ben", conversation="c-2")].customer.id == "ben"
    )


HELLOS: dict[str, Callable[[ServedConversation], dict[str, str]]] = {
    "no token": lambda served: {"conversation_id": "c-1"},
    "his own token": lambda served: {"conversation_id": "c-1", "token": served.token(BEN, "c-2")},
    "a token of another company": lambda served: {
        "token": VisitorTokens(b"a secret of another company, just as long", served.server.clock).issue(
            Visit(customer=ANA, conversation="c-1")
        )[0]
    },
    "a token that was changed": lambda served: {"token": served.token(ANA, "c-1")[:-3] + "AAA"},
    "a name": lambda served: {"token": "ana"},
    "a word of the site's that is none": lambda served: {"user": served.token(ANA, "c-1")},
}


@pytest.mark.parametrize("hello", HELLOS)
async def test_no_other_customer_continues_anas_conversation(served: ServedConversation, hello: str) -> None:
    stranger = Client(served.server)
    await stranger.dial()

    await stranger.say(type="hello", last_seq=0, **HELLOS[hello](served))

    await stranger.reads_to_the_end()
    assert [frame["type"] for frame in stranger.heard] == ["error"]
    assert SECRET_WORD not in orjson.dumps(stranger.heard).decode()
    assert served.anas.visits == []


@pytest.mark.parametrize("who", [BEN, BANK], ids=["another customer", "another tenant"])
async def test_another_customer_with_anas_conversation_id_gets_their_own(
    served: ServedConversation, who: Customer
) -> None:
    stranger = Client(served.server)
    stranger.token = served.token(who, "c-1")

    welcome = await stranger.enter()

    assert (welcome["seq"], welcome["customer"]["id"]) == (0, who.id)
    assert await stranger.hears_nothing_more() or stranger.heard[1]["type"] == "snapshot"
    assert SECRET_WORD not in orjson.dumps(stranger.heard).decode()
    assert served.anas.listeners == []


async def test_ana_herself_gets_all_of_it(served: ServedConversation) -> None:
    ana = Client(served.server)
    ana.token = served.token(ANA, "c-1")

    await ana.enter()

    assert SECRET_WORD in orjson.dumps(await ana.hear()).decode()


async def test_the_health_checks_name_no_customer(served: ServedConversation) -> None:
    async with served.http.get("/healthz") as answer:
        assert set(await answer.json()) == {"status", "model", "demo"}
    async with served.http.get("/readyz") as answer:
        log = {"name": "log", "ok": True, "says": "can be written"}
        assert await answer.json() == {"status": "ready", "checks": [log]}


async def test_an_unknown_address_leads_nowhere(served: ServedConversation) -> None:
    async def status(address: str) -> int:
        async with served.http.get(f"/{address}") as answer:
            return answer.status

    own = served.addresses.address_of(AttachmentPlace(key=ANAS, seq=2, index=0))
    others = AttachmentAddresses(b"a secret of another company, just as long", served.server.clock)
    assert await status(own) == 200
    for wrong in (
        others.address_of(AttachmentPlace(key=ANAS, seq=2, index=0)),
        served.addresses.address_of(AttachmentPlace(key=ANAS, seq=1, index=0)),
        served.addresses.address_of(AttachmentPlace(key=ANAS, seq=2, index=1)),
        own[:-2] + ("AA" if own[-2:] != "AA" else "BB"),
        own[:-4],
        "v1/attachments/c-1",
    ):
        assert await status(wrong) == 404


async def test_the_console_shows_nothing_to_who_is_not_signed_in(served: ServedConversation) -> None:
    """What signed-in people may do is tried in tests/server/console/test_access.py."""
    home = f"http://127.0.0.1:{served.server.port}"
    headers = {"Origin": home, "Authorization": f"Bearer {TOKEN}", "Cookie": "meanwhile_console=guessed"}
    asked = {
        "DELETE session": None, "PATCH account": {"name": "Eve"}, "GET people": None,
        "POST people": {"login": "eve", "roles": ["admin"]}, "PATCH people/x": {"disabled": True},
        "POST people/x/link": None, "GET audit": None, "GET conversations": None,
        "GET conversations/c-1": None, "POST session/link": {"token": "guessed"},
        "POST session": {"login": "ana", "password": "guessed"},
    }  # fmt: skip
    for what, body in asked.items():
        method, path = what.split(" ")
        async with served.http.request(method, f"/console/api/{path}", json=body, headers=headers) as answer:
            assert answer.status == 401, what
    async with served.http.get("/console/api/session", headers=headers) as answer:
        assert await answer.json() == {"account": None}
    async with served.http.get("/console/api/sign-in") as answer:
        assert (await answer.json())["company"] == "Shop"


async def test_without_the_token_operators_get_nothing(served: ServedConversation) -> None:
    paths = [path for path in ROUTES if path.startswith(("/v1/operators", "/v1/documents"))]
    methods = {path: _METHODS.get(path, "POST" if path.count("/") > 4 else "GET") for path in paths}
    for headers in (
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {served.token(ANA, 'c-1')}"},
    ):
        for path, method in methods.items():
            place = path.replace("{conversation}", "c-1").replace("{ref:path}", FILE.ref)
            place = place.replace("{name:path}", "notes.txt").replace("{customer:path}", "ana")
            asked = {"name": "Eve", "id": "1", "text": "Hi", "why": "no"}
            async with served.http.request(method, place, headers=headers, json=asked) as answer:
                assert answer.status in (401, 429), path
                assert SECRET_WORD not in await answer.text()
    assert await served.scenario.states() == ["requested", "queued"]
    assert list(served.keeper.held.values()) == [FILE]
    customers = served.server.context.customers
    assert isinstance(customers, AnasData)
    assert customers.erased == []


@pytest.mark.parametrize("served", [("bank", OTHER_TOKEN)], indirect=True)
async def test_operators_of_another_tenant_find_no_conversation(served: ServedConversation) -> None:
    headers = {"Authorization": f"Bearer {OTHER_TOKEN}"}

    async with served.http.get("/v1/operators/conversations", headers=headers) as answer:
        assert (await answer.json())["conversations"] == []
    async with served.http.get("/v1/operators/conversations/c-1", headers=headers) as answer:
        assert answer.status == 404
    for what in ("accept", "messages", "end", "decline"):
        body = {"name": "Eve", "id": "1", "text": "Hi", "why": "no"}
        place = f"/v1/operators/conversations/c-1/{what}"
        async with served.http.post(place, headers=headers, json=body) as answer:
            assert answer.status in (404, 422)
            assert SECRET_WORD not in await answer.text()
    assert await served.scenario.states() == ["requested", "queued"]
    for method in ("GET", "DELETE"):
        async with served.http.request(method, "/v1/operators/customers/ana", headers=headers) as answer:
            assert answer.status == 404
            assert SECRET_WORD not in await answer.text()
    async with served.http.get("/v1/documents", headers=headers) as answer:
        assert await answer.json() == {"documents": []}
    for method in ("GET", "DELETE"):
        async with served.http.request(method, f"/v1/documents/{FILE.ref}", headers=headers) as answer:
            assert answer.status == 404
    assert list(served.keeper.held.values()) == [FILE]


async def test_no_other_customer_uploads_in_anas_name(served: ServedConversation) -> None:
    others = VisitorTokens(b"a secret of another company, just as long", served.server.clock)
    forged = others.issue(Visit(customer=ANA, conversation="c-1"))[0]
    for token in ("", "wrong", forged, served.token(ANA, "c-1")[:-3] + "AAA"):
        headers = {"Authorization": f"Bearer {token}"}
        async with served.http.post("/v1/uploads?name=a.txt", data=b"x", headers=headers) as answer:
            assert answer.status == 401
    for who in (BEN, BANK):
        headers = {"Authorization": f"Bearer {served.token(who, 'c-1')}"}
        place = "/v1/uploads?name=a.txt&customer=ana&tenant=shop"
        async with served.http.post(place, data=b"x", headers=headers) as answer:
            assert answer.status == 201

    assert [one.ref for one in await served.keeper.documents("shop", "ana")] == [FILE.ref]


@pytest.mark.parametrize("who", [BEN, BANK], ids=["another customer", "another tenant"])
async def test_no_other_customer_reads_sends_or_deletes_anas_file(
    served: ServedConversation, who: Customer
) -> None:
    token = served.token(who, "c-1")
    for method in ("GET", "DELETE"):
        headers = {"Authorization": f"Bearer {token}"}
        async with served.http.request(method, f"/v1/uploads/{FILE.ref}", headers=headers) as answer:
            assert answer.status == 404
            assert SECRET_WORD not in await answer.text()
    stranger = Client(served.server)
    stranger.token = token
    await stranger.enter()

    await stranger.say(type="message", id="m7", text="Read it to me", attachments=[{"ref": FILE.ref}])

    assert (await stranger.hear())["code"] == "unknown_file"
    assert SECRET_WORD not in orjson.dumps(stranger.heard).decode()
    assert list(served.keeper.held.values()) == [FILE]


@pytest.mark.parametrize("token", ["wrong", "", "c-1"])
async def test_without_the_token_the_operators_socket_is_closed(
    served: ServedConversation, token: str
) -> None:
    address = f"ws://127.0.0.1:{served.server.port}/v1/operators/ws"
    heard: list[str | bytes] = []
    async with connect(address, proxy=None, subprotocols=[Subprotocol("meanwhile.operators.v1")]) as ws:
        await ws.send(orjson.dumps({"type": "hello", "token": token, "name": "Eve"}).decode())
        with suppress(ConnectionClosed):
            while True:
                heard.append(await ws.recv())
        assert ws.close_code == 4401
    assert SECRET_WORD not in repr(heard)


async def _hook(served: ServedConversation, secret: str) -> tuple[int, str]:
    body = orjson.dumps({"type": "accept", **PLACE, "name": "Eve"})
    timestamp = str(int(served.server.clock.at_s))
    headers = {TIMESTAMP: timestamp, SIGNATURE: signature(secret, timestamp, body)}
    async with served.http.post("/v1/handoff/events", data=body, headers=headers) as answer:
        return answer.status, await answer.text()


@pytest.mark.parametrize("served", [("bank", OTHER_TOKEN)], indirect=True)
async def test_the_hook_accepts_only_signed_requests_for_its_tenant(served: ServedConversation) -> None:
    unsigned, other = await _hook(served, "guessed"), await _hook(served, SIGNED_WITH)

    assert (unsigned[0], other[0]) == (401, 404)
    assert SECRET_WORD not in unsigned[1] + other[1]
    assert await served.scenario.states() == ["requested", "queued"]


async def test_the_phone_answers_only_twilio(served: ServedConversation) -> None:
    call, statuses = {"CallSid": "CA1", "From": "+46701234567", "To": "+46812345678"}, list[int]()
    for path in (path for path in ROUTES if path.startswith("/v1/phone/")):
        address = f"https://talk.example.com{path}"
        # The package has no types.
        validator: Any = RequestValidator(OTHER_TOKEN)
        forged: str = validator.compute_signature(address, call)
        for headers in ({}, {HEADER: "c2lnbmVk"}, {HEADER: forged}):
            async with served.http.post(path, data=call, headers=headers) as answer:
                statuses.append(answer.status)
                assert SECRET_WORD not in await answer.text()
    assert (statuses[0], {*statuses}) == (403, {403, 429})  # after many wrong ones, the address must wait
    assert await served.scenario.states() == ["requested", "queued"]

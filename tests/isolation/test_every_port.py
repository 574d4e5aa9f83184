"""Through every port, another customer and another tenant get nothing of what is Ana's.

The ports are those of ``assistant.ports``, ``storage_ports`` and ``speech_ports``. A new one needs a probe here, or
a reason why it needs none.
"""

import asyncio
import importlib
import inspect
import pkgutil
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

import assistant.ports
import assistant.speech_ports
import assistant.staff.store
import assistant.storage_ports
import assistant.store
from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.conversation.entries import (
    CallStarted,
    CustomerMessage,
    IdentificationAttempted,
    Identified,
    Logged,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.usage import Spent
from assistant.conversation.views import FromAssistant, FromCustomer, TurnView, View
from assistant.errors import IdentityError
from assistant.formats.registry import formatter
from assistant.handoff.backends import CompositeBackend
from assistant.ports import HandoffAnswer, HandoffRequest, ModelRequest, NoAgentAvailable, Queued
from assistant.prompts.book import shipped_book
from assistant.replay.recording.recorder import cassette_from_log
from assistant.server.auth import Visit, VisitorIdentity, VisitorTokens
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session_registry import SessionRegistry
from assistant.sessions.tool_tasks import MAX_TRIES
from assistant.storage_ports import DeliveryAttempt, DeliveryPosition, Log
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.conversation_list import SqliteConversationList
from assistant.store.sqlite.credentials import SqliteCredentials
from assistant.store.sqlite.deliveries import SqliteDeliveries
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.spending import SqliteSpending
from assistant.testing.chat import Chat, deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.tools.registry import Tools
from tests.isolation import test_documents as documents
from tests.models.speech import test_silero as silero
from tests.store import test_pauses as stored_pauses
from tests.store import test_profiles as stored_profiles
from tests.store import test_replies as stored_replies
from tests.store import test_staff as stored_staff
from tests.store.documents import test_other_customers as stores_of_documents
from tests.support.handoff_scenario import FakeHandoffBackend

SECRET_WORD = "orchid-4711"
ANA = Customer(tenant="shop", id="ana", level="verified", name="Ana")
ANAS = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
STRANGERS = {
    "another customer": replace(ANAS, customer="ben"),
    "another tenant": replace(ANAS, tenant="bank"),
    "another conversation": replace(ANAS, conversation="c-2"),
    "a customer whose name begins alike": replace(ANAS, customer="ana2"),
    "a tenant and a customer that run together": ConversationKey(
        tenant="shopana", customer="", conversation="c-1"
    ),
    "everybody": ConversationKey(tenant="%", customer="%", conversation="%"),
    "nobody": ConversationKey(tenant="", customer="", conversation=""),
}
OTHERS = [one for one in STRANGERS.values() if (one.tenant, one.customer) != (ANAS.tenant, ANAS.customer)]
"""The strangers who are not Ana herself in another conversation."""

LOGS: Mapping[str, Callable[[Path], Log]] = {
    "MemoryLog": lambda _: MemoryLog(),
    "SqliteLog": lambda folder: SqliteLog(folder / "log.sqlite3"),
}

PROBES = {
    "Clock.now": "knows no customer", "Clock.now_ms": "knows no customer", "Clock.monotonic": "knows no customer",
    "Clock.sleep": "knows no customer", "Clock.timeout": "knows no customer", "Ids.new": "knows no customer",
    "Ids.secret": "knows no customer",
    "Model.name": "knows no customer", "Model.close": "knows no customer",
    "Model.stream": "test_a_request_contains_nothing_of_the_one_before_it",
    "Log.append": "test_no_one_writes_into_another_customers_conversation",
    "Log.read": "test_no_one_reads_another_customers_conversation",
    "Log.conversations": "test_no_one_sees_which_conversations_another_customer_has",
    "Log.unfinished": "for this process alone, which goes on with all of them; test_unfinished_returns_only_keys",
    "Log.visitors": "test_no_one_sees_which_visitors_were_ana",
    "Log.erase": "test_ana_stays_when_others_are_erased",
    "Log.numbering": "numbers, which name no one",
    "ConversationList.find": "test_no_tenant_sees_anothers_list_of_conversations",
    "ConversationList.newest": "test_no_tenant_sees_anothers_list_of_conversations",
    "ConversationList.count": "test_no_tenant_sees_anothers_list_of_conversations",
    "Keys.signing": "one for each tenant, made of the tenant's name",
    "Keys.accepted": "the same",
    "Log.check_writable": "stores nothing, and its reason names nobody",
    "Log.forget": "goes by age alone, for all customers", "Log.thin_out": "goes by age alone, for all customers",
    "Log.close": "knows no customer",
    "TokenCounter.name": "knows no customer", "TokenCounter.count": "knows no customer",
    "Embedder.name": "knows no customer", "Embedder.width": "knows no customer",
    "Embedder.embed": "knows no customer",
    "DocumentStore.put": "test_no_tenant_replaces_anas_documents",
    "DocumentStore.search": "test_no_one_else_finds_or_reads_anas_documents",
    "DocumentStore.get": "test_no_one_else_finds_or_reads_anas_documents",
    "DocumentStore.documents": "test_no_one_else_finds_or_reads_anas_documents",
    "DocumentStore.stale": "for this process alone, which embeds all of them anew; it tells names only",
    "DocumentStore.delete": "test_no_tenant_deletes_anas_documents",
    "DocumentStore.erase": "test_ana_stays_when_others_are_erased",
    "DocumentStore.expire": "goes by age alone, for all customers",
    "DocumentStore.close": "knows no customer",
    "WriteQueue.add": "test_no_other_customer_replaces_or_removes_anas_queued_documents",
    "WriteQueue.next": "for the writer alone, whose it all is", "WriteQueue.read": "for the writer alone",
    "WriteQueue.put_off": "for the writer alone", "WriteQueue.remove": "for the writer alone",
    "WriteQueue.waiting": "test_no_other_customer_reads_or_sees_anas_queued_documents",
    "WriteQueue.get": "test_no_other_customer_reads_or_sees_anas_queued_documents",
    "WriteQueue.delete": "test_no_other_customer_replaces_or_removes_anas_queued_documents",
    "WriteQueue.erase": "test_no_other_customer_replaces_or_removes_anas_queued_documents",
    "WriteQueue.expire": "goes by age alone, for all customers", "WriteQueue.close": "knows no customer",
    "CredentialStore.keep": "test_no_one_gets_or_replaces_anas_credential",
    "CredentialStore.kept": "test_no_one_gets_or_replaces_anas_credential",
    "DeliveryStore.begin": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.delivered": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.note": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.rest": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.forget": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.erase": "test_deliveries_are_counted_for_each_conversation_alone",
    "DeliveryStore.all": "for the deliveries alone, which go on with all of them",
    "DeliveryStore.drop_rested": "goes by age alone",
    "DeliveryStore.add_attempt": "test_the_log_of_delivery_attempts_belongs_to_the_tenant",
    "DeliveryStore.attempts": "test_the_log_of_delivery_attempts_belongs_to_the_tenant",
    "SpendingStore.spent": "test_no_one_sees_or_adds_to_what_ana_has_spent",
    "SpendingStore.add": "test_no_one_sees_or_adds_to_what_ana_has_spent",
    "SpendingStore.erase": "test_no_one_sees_or_adds_to_what_ana_has_spent",
    "StaffStore.add_account": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.find_account": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.list_accounts": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.change_account": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.find_identity": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.bind_identity": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.unbind_identities": "test_no_tenant_sees_or_changes_anothers_accounts",
    "StaffStore.begin_session": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "StaffStore.read_session": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "StaffStore.touch_session": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "StaffStore.end_session": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "StaffStore.add_link": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "StaffStore.use_link": "test_no_tenant_uses_or_ends_anothers_sessions_and_links",
    "AuditStore.add_record": "test_no_tenant_reads_or_changes_anothers_records",
    "AuditStore.finish_record": "test_no_tenant_reads_or_changes_anothers_records",
    "AuditStore.list_records": "test_no_tenant_reads_or_changes_anothers_records",
    "AuditStore.erase": "test_no_tenant_reads_or_changes_anothers_records",
    "AuditStore.drop_records": "test_no_tenant_reads_or_changes_anothers_records",
    "PauseStore.add_pause": "test_no_tenant_pauses_or_resumes_what_is_anothers",
    "PauseStore.end_pause": "test_no_tenant_pauses_or_resumes_what_is_anothers",
    "PauseStore.list_pauses": "test_no_tenant_pauses_or_resumes_what_is_anothers",
    "ProfileStore.save_profile": "test_no_tenant_sees_anothers_people",
    "ProfileStore.note_presence": "test_no_tenant_sees_anothers_people",
    "ProfileStore.list_profiles": "test_no_tenant_sees_anothers_people",
    "CannedReplyStore.put_reply": "test_no_tenant_sees_or_changes_the_replies_of_another",
    "CannedReplyStore.delete_reply": "test_no_tenant_sees_or_changes_the_replies_of_another",
    "CannedReplyStore.list_replies": "test_no_tenant_sees_or_changes_the_replies_of_another",
    "Identity.identify": "test_a_token_is_for_its_customer_alone",
    "HandoffBackend.request": "test_a_backend_sees_only_the_conversation_that_asked",
    "HandoffBackend.pass_on": "test_a_backend_sees_only_the_conversation_that_asked",
    "HandoffBackend.ticket": "test_a_backend_sees_only_the_conversation_that_asked",
    "HandoffBackend.close": "test_a_backend_sees_only_the_conversation_that_asked",
    "HandoffBackend.erase": "test_agents_are_still_asked_for_ana_when_others_are_erased",
    "HandoffBackend.stop": "knows no customer",
    "SpeechToText.name": "knows no customer", "TextToSpeech.name": "knows no customer",
    "TextToSpeech.rate": "knows no customer",
    "SpeechToText.transcribe": "an utterance by itself: what was said before it is not remembered",
    "TextToSpeech.speak": "the same text is the same sound for everyone; long ones, as answers are, are not kept",
    "VoiceActivity.stream": "test_alternating_callers_do_not_affect_each_other",
    "VoiceStream.push": "test_alternating_callers_do_not_affect_each_other",
}  # fmt: skip


def _ports() -> set[str]:
    """Every method of every port."""
    ports = [
        port
        for module in (
            assistant.ports,
            assistant.storage_ports,
            assistant.speech_ports,
            assistant.staff.store,
        )
        for _, port in inspect.getmembers(module, inspect.isclass)
        if getattr(port, "_is_protocol", False) and port.__module__ == module.__name__
    ]
    return {f"{port.__name__}.{name}" for port in ports for name in vars(port) if not name.startswith("_")}


def test_every_port_has_a_probe() -> None:
    assert _ports() == set(PROBES)
    found = (
        set(vars(stored_staff))
        | set(vars(stored_pauses))
        | set(vars(stored_replies))
        | set(vars(stored_profiles))
        | set(globals())
        | set(vars(documents))
        | set(vars(stores_of_documents))
        | set(vars(silero))
    )
    assert {probe.split("; ")[-1] for probe in PROBES.values() if "test_" in probe} <= found


def test_every_log_is_probed() -> None:
    logs: set[str] = set()
    for module in pkgutil.walk_packages(assistant.store.__path__, "assistant.store."):
        loaded = importlib.import_module(module.name)
        logs |= {
            name
            for name, kind in inspect.getmembers(loaded, inspect.isclass)
            if kind.__module__.startswith("assistant.store")
            and {"append", "read", "conversations"} <= set(vars(kind))
        }
    # Two are over another log; test_tenant_view.py asks them and the log in PostgreSQL.
    assert logs == {*LOGS, "PostgresLog", "MediaLog", "_TenantLog"}


def said(text: str, message: str = "m1", seq: int = 1) -> Logged:
    entry = CustomerMessage(message_id=f"id-{message}", client_message_id=message, text=text, locale="en")
    return Logged(seq, 1_000, "t1", entry)


@asynccontextmanager
async def _with_ana(kind: str, folder: Path) -> AsyncGenerator[Log, None]:
    """A log in which Ana has said something."""
    log = LOGS[kind](folder)
    await log.append(ANAS, [said(f"My code is {SECRET_WORD}")])
    try:
        yield log
    finally:
        await log.close()


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("kind", LOGS)
async def test_no_one_reads_another_customers_conversation(kind: str, stranger: str, tmp_path: Path) -> None:
    async with _with_ana(kind, tmp_path) as log:
        assert await log.read(STRANGERS[stranger]) == []
        assert SECRET_WORD in repr(await log.read(ANAS))


async def test_no_one_gets_or_replaces_anas_credential(tmp_path: Path) -> None:
    store = SqliteCredentials(
        tmp_path / "credentials.db", b"a secret of this server, long enough", VirtualClock()
    )
    await store.keep(ANAS, CustomerCredential(token=SECRET_WORD, expires_ms=2**53))
    for stranger in STRANGERS.values():
        assert await store.kept(stranger) is None
        await store.keep(stranger, CustomerCredential(token="another-token", expires_ms=2**53))

    kept = await store.kept(ANAS)
    assert kept is not None
    assert kept.token == SECRET_WORD
    await store.close()


@pytest.mark.parametrize("kind", LOGS)
async def test_no_one_sees_which_conversations_another_customer_has(kind: str, tmp_path: Path) -> None:
    async with _with_ana(kind, tmp_path) as log:
        assert [await log.conversations(one.tenant, one.customer) for one in OTHERS] == [[]] * len(OTHERS)
        assert await log.conversations(ANAS.tenant, ANAS.customer) == ["c-1"]


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("kind", LOGS)
async def test_no_one_writes_into_another_customers_conversation(
    kind: str, stranger: str, tmp_path: Path
) -> None:
    async with _with_ana(kind, tmp_path) as log:
        before = await log.read(ANAS)

        # The same number and the same client's id: another conversation's are not confused with these.
        await log.append(STRANGERS[stranger], [said("Hello")])

        assert await log.read(ANAS) == before
        assert await log.read(STRANGERS[stranger]) == [said("Hello")]


@pytest.mark.parametrize("kind", LOGS)
async def test_unfinished_returns_only_keys(kind: str, tmp_path: Path) -> None:
    async with _with_ana(kind, tmp_path) as log:
        assert await log.unfinished() == [ANAS]


@pytest.mark.parametrize("kind", LOGS)
async def test_no_one_sees_which_visitors_were_ana(kind: str, tmp_path: Path) -> None:
    visit = replace(ANAS, customer="visitor-7", conversation="c-9")
    async with _with_ana(kind, tmp_path) as log:
        await log.append(
            visit, [Logged(1, 1_000, "t1", Identified(level="verified", customer="ana", name="Ana"))]
        )

        assert await log.visitors(ANAS.tenant, ANAS.customer) == ["visitor-7"]
        assert [await log.visitors(one.tenant, one.customer) for one in OTHERS] == [[]] * len(OTHERS)


@pytest.mark.parametrize("kind", LOGS)
async def test_ana_stays_when_others_are_erased(kind: str, tmp_path: Path) -> None:
    async with _with_ana(kind, tmp_path) as log:
        before = await log.read(ANAS)

        assert [await log.erase(one.tenant, one.customer) for one in OTHERS] == [0] * len(OTHERS)

        assert await log.read(ANAS) == before
        assert await log.erase(ANAS.tenant, ANAS.customer) == 1


async def test_a_token_is_for_its_customer_alone() -> None:
    clock = VirtualClock()
    tokens, others = (
        VisitorTokens(b"a secret of this house, long enough", clock),
        VisitorTokens(b"a secret of another house, just as long", clock),
    )
    identity = VisitorIdentity(tokens=tokens, ids=CountedIds("v"), tenant="shop")
    anas, _ = tokens.issue(Visit(customer=ANA, conversation="c-1"))
    forged, _ = others.issue(Visit(customer=ANA, conversation="c-1"))

    assert (await identity.identify(anas, "en")).id == "ana"
    assert (await identity.identify(None, "en")).id != "ana"
    head, body, seal = anas.split(".") if anas.count(".") == 2 else (anas[:10], anas[10:-10], anas[-10:])
    for wrong in (forged, "", "ana", anas[:-2], f"{anas}x", f"{head}{body}", seal, anas.swapcase()):
        with pytest.raises(IdentityError):
            await identity.identify(wrong, "en")


@pytest.mark.parametrize("name", ["openai", "anthropic", "grok"])
def test_a_request_contains_nothing_of_the_one_before_it(name: str) -> None:
    """Formatters cache what they have written for exactly one turn, and never use it for another."""
    tools = (ToolSpec(name="look_up", description="Look up.", parameters={}),)

    def body(text: str) -> bytes:
        turn = TurnView((FromCustomer(text), FromAssistant(f"You said {text}.")))
        view = View(f"Instructions for {text}.", (turn, TurnView((FromCustomer("And?"),))))
        return formatter(name).format(ModelRequest(role="decider", view=view, tools=tools), "any").body

    first = body("what Ben says")
    assert SECRET_WORD.encode() in body(SECRET_WORD)
    assert body("what Ben says") == first


async def test_no_one_sees_or_adds_to_what_ana_has_spent(tmp_path: Path) -> None:
    spending, day = SqliteSpending(tmp_path / "spending.db"), date(2026, 11, 27)
    await spending.add("shop", "ana", day, Spent(tokens=7))
    for one in OTHERS:
        found = await spending.spent(one.tenant, one.customer, day)
        assert found.customer == Spent()
        assert one.tenant == "shop" or found.tenant == Spent()
        if one.customer:
            await spending.add(one.tenant, one.customer, day, Spent(tokens=1))
        await spending.erase(one.tenant, one.customer)

    assert (await spending.spent("shop", "ana", day)).customer == Spent(tokens=7)
    await spending.close()


async def test_deliveries_are_counted_for_each_conversation_alone(tmp_path: Path) -> None:
    deliveries = SqliteDeliveries(tmp_path / "deliveries.sqlite3")
    await deliveries.begin(["handoff"], ANAS, 7)

    for one in STRANGERS.values():
        assert await deliveries.delivered("handoff", one) is None
        await deliveries.note("handoff", one, DeliveryPosition(9))
        await deliveries.rest("handoff", one, 5)
        await deliveries.forget("handoff", one)
    for one in OTHERS:
        assert await deliveries.erase(one.tenant, one.customer) == 0

    assert await deliveries.delivered("handoff", ANAS) == DeliveryPosition(7, 7)
    assert await deliveries.all("handoff") == [ANAS]
    await deliveries.close()


async def test_the_log_of_delivery_attempts_belongs_to_the_tenant(tmp_path: Path) -> None:
    deliveries = SqliteDeliveries(tmp_path / "deliveries.sqlite3")
    tried = DeliveryAttempt(
        receiver="crm", key=ANAS, event_id="c/1", event="turn.ended", at_ms=1, status=200, took_ms=3
    )
    await deliveries.add_attempt(tried)

    for tenant in {one.tenant for one in STRANGERS.values()} - {ANAS.tenant}:
        assert await deliveries.attempts(tenant, 9) == []
    assert await deliveries.attempts(ANAS.tenant, 9) == [tried]
    await deliveries.close()


class _Town:
    """Conversations of several customers on one log, with one tool whose results are kept for an hour."""

    def __init__(self, *lines: Line) -> None:
        self.clock, self.log = VirtualClock(), MemoryLog()
        spec = replace(
            fake_spec("read_account", "reading your account", "read your account"), cache_ttl_s=3_600.0
        )
        self.tool = FakeTool(spec, Gives({"code": SECRET_WORD}), self.clock)
        self.model = ScriptedModel(*lines, clock=self.clock)
        self.backend = FakeHandoffBackend(clock=self.clock)
        self.handoffs = HandoffRegistry(self.backend, CountedIds("n"), 60.0)
        tools = with_handoff_tool(Tools([self.tool]), shipped_book(), self.handoffs)
        deps = deps_for(self.model, list(tools), shipped_book(), self.clock)
        self.sessions = SessionRegistry(
            configs=FixedConfig(deps), log=self.log, epoch="e1", takeover=self.handoffs.attach
        )

    async def chat(self, key: ConversationKey) -> Chat:
        who = Customer(tenant=key.tenant, id=key.customer, level="verified")
        return Chat(await self.sessions.open(key, who))

    async def close(self) -> None:
        await self.handoffs.close()
        await self.sessions.close()


LOOKUP = (calls("read_account"), says("Here it is."))


@pytest.mark.parametrize("stranger", [name for name in STRANGERS if name not in ("everybody", "nobody")])
def test_a_stored_result_belongs_to_its_conversation(stranger: str) -> None:
    town = _Town(*LOOKUP, *LOOKUP, *LOOKUP)

    async def talk() -> None:
        ana, other = await town.chat(ANAS), await town.chat(STRANGERS[stranger])
        await ana.says("What is my code?")
        town.tool.behaviour = Gives({"code": "tulip-0815"})
        await other.says("What is my code?")
        await ana.says("What is my code again?")
        await town.close()

    run_virtually(talk())

    assert len(town.tool.ran) == 2  # Ana's second question is answered by what is kept, the stranger's is not
    seen = [repr(request.view) for request in town.model.requests]
    assert [SECRET_WORD in view for view in seen] == [False, True, False, False, True, True]
    assert ["tulip-0815" in view for view in seen] == [False, False, False, True, False, False]


def test_a_conversation_that_is_opened_with_anothers_id_is_a_new_one() -> None:
    town = _Town(says(f"Noted: {SECRET_WORD}."))

    async def talk() -> list[list[Logged]]:
        ana = await town.chat(ANAS)
        await ana.says(f"My code is {SECRET_WORD}")
        others = [await town.chat(key) for key in STRANGERS.values()]
        found = [list(other.session.entries) for other in others]
        await town.close()
        return found

    assert all(SECRET_WORD not in repr(entries) for entries in run_virtually(talk()))


def test_no_two_conversations_share_an_idempotency_key() -> None:
    town = _Town(*LOOKUP, *LOOKUP)

    async def talk() -> None:
        for key in (ANAS, STRANGERS["another conversation"]):
            await (await town.chat(key)).says("What is my code?")
        await town.close()

    run_virtually(talk())

    keys = [key for _, key in town.tool.ran]
    assert len(set(keys)) == len(keys) == 2


def test_a_recording_of_one_conversation_contains_nothing_of_another() -> None:
    town = _Town(*LOOKUP, *LOOKUP)

    async def talk() -> tuple[str, str]:
        await (await town.chat(ANAS)).says(f"I am {SECRET_WORD}")
        town.tool.behaviour = Gives({"code": "tulip-0815"})
        ben = STRANGERS["another customer"]
        await (await town.chat(ben)).says("What is my code?")
        cassettes = [
            cassette_from_log(await town.log.read(key), key).model_dump_json() for key in (ANAS, ben)
        ]
        await town.close()
        return cassettes[0], cassettes[1]

    anas, bens = run_virtually(talk())

    assert SECRET_WORD in anas
    assert "tulip-0815" not in anas
    assert SECRET_WORD not in bens


def test_a_started_call_names_its_own_conversation() -> None:
    town = _Town(*LOOKUP)

    async def talk() -> list[CallStarted]:
        await (await town.chat(ANAS)).says("What is my code?")
        entries = [logged.entry for logged in await town.log.read(ANAS)]
        await town.close()
        return [entry for entry in entries if isinstance(entry, CallStarted)]

    assert [entry.idempotency_key.startswith("c-1/") for entry in run_virtually(talk())] == [True]


def test_a_backend_sees_only_the_conversation_that_asked() -> None:
    asks = (calls("talk_to_a_person"), says("I have asked a colleague."))
    town = _Town(*asks, *asks)

    async def talk() -> None:
        ana, ben = await town.chat(ANAS), await town.chat(replace(ANAS, customer="ben", conversation="c-2"))
        await ana.says(f"A person please, {SECRET_WORD}")
        await ben.says("A person please, tulip-0815")
        assert town.handoffs.find_handoff("bank", "c-1") is None
        assert town.handoffs.find_handoff("shop", "c-3") is None
        for chat in (ana, ben):
            await chat.session.at_rest()
            found = town.handoffs.find_handoff("shop", chat.session.key.conversation)
            assert found is not None
            assert found.session.key == chat.session.key
        await town.close()

    run_virtually(talk())

    told = {one.key.customer: repr(one) for one in town.backend.asked}
    assert (SECRET_WORD in told["ana"], "tulip-0815" in told["ana"]) == (True, False)
    assert (SECRET_WORD in told["ben"], "tulip-0815" in told["ben"]) == (False, True)


def test_agents_are_still_asked_for_ana_when_others_are_erased() -> None:
    clock = VirtualClock()
    asked = HandoffRequest(key=ANAS, handoff_id="h-1", why="a refund", locale="en", transcript=())

    async def answer_while_erased(*erased: ConversationKey) -> HandoffAnswer:
        backend = CompositeBackend(FakeHandoffBackend(clock=clock, after_s=60.0))
        asking = asyncio.create_task(backend.request(asked))
        await clock.sleep(1.0)
        for one in erased:
            await backend.erase(one.tenant, one.customer)
        return await asking

    assert isinstance(run_virtually(answer_while_erased(*OTHERS)), Queued)
    assert isinstance(run_virtually(answer_while_erased(ANAS)), NoAgentAvailable)


def test_identification_attempts_are_counted_for_each_conversation() -> None:
    town = _Town()

    async def talk() -> list[int]:
        ana = await town.chat(ANAS)
        for _ in range(MAX_TRIES):
            await ana.session.record(IdentificationAttempted(matched=False))
        tries = [(await town.chat(key)).session.state.failed_tries for key in (ANAS, *STRANGERS.values())]
        await town.close()
        return tries

    assert run_virtually(talk()) == [MAX_TRIES, *(0 for _ in STRANGERS)]


async def test_no_tenant_sees_anothers_list_of_conversations(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    said = CustomerMessage(message_id="u1", client_message_id="a", text="Hello")
    await log.append(ANAS, [Logged(1, 5, "", said, 0)])
    stored = SqliteConversationList(log)

    assert await stored.find("another", ANAS.conversation) is None
    assert await stored.newest("another", ["customer_message"], 9) == []
    assert await stored.count("another") == 0
    assert await stored.find(ANAS.tenant, ANAS.conversation) == ANAS
    await log.close()

"""What operators and customers see of an erasure over HTTP and the websocket."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import orjson
import pytest
from structlog.testing import capture_logs

from assistant.privacy.customer_data import CustomerData
from assistant.prompts.book import shipped_book
from assistant.server.operators.access import Operators
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.session_registry import SessionRegistry
from assistant.testing.chat import deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from tests.privacy.conftest import DataFolder
from tests.privacy.planted import Words, raw
from tests.server.client import Client
from tests.server.running_server import RunningServer, new_server
from tests.server.running_server import opened as served
from tests.support.handoff_scenario import FakeHandoffBackend

TOKEN = "a-token-for-tests-that-is-long-enough"
BROKEN = 1011


@dataclass(frozen=True, slots=True)
class ServedCustomerData:
    """A running server; every client is the customer Ana."""

    data_folder: DataFolder
    server: RunningServer
    http: aiohttp.ClientSession
    word: Words

    async def asks(self, method: str, customer: str, token: str = TOKEN) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {token}"}
        async with self.http.request(
            method, f"/v1/operators/customers/{customer}", headers=headers
        ) as answer:
            return answer.status, orjson.loads(await answer.read())


@pytest.fixture
async def served_data(data_folder: DataFolder) -> AsyncGenerator[ServedCustomerData, None]:
    word = Words("ana")
    model = ScriptedModel(says(word("an answer")), says("Hello."), clock=data_folder.clock)
    handoffs = HandoffRegistry(FakeHandoffBackend(clock=data_folder.clock), CountedIds("n"), 60.0)
    deps = deps_for(model, [], shipped_book(), data_folder.clock)
    sessions = SessionRegistry(FixedConfig(deps), data_folder.log, epoch="1", takeover=handoffs.attach)
    customers: CustomerData = replace(data_folder.customers, live=sessions, others=(handoffs,))
    server = new_server()
    server.context = replace(
        server.context,
        sessions=sessions,
        clock=data_folder.clock,
        operators=Operators(token=TOKEN, tenant="demo", handoffs=handoffs, clock=data_folder.clock),
        customers=customers,
    )
    async with served(server):
        connector = aiohttp.TCPConnector(force_close=True)
        # Time jumps here, and it does not wait for a socket's answer: no client gives up on one.
        patient = aiohttp.ClientTimeout(total=None, sock_connect=None)
        base = f"http://127.0.0.1:{server.port}"
        async with aiohttp.ClientSession(base, connector=connector, timeout=patient) as http:
            yield ServedCustomerData(data_folder, server, http, word)
    await handoffs.close()
    await sessions.close()


async def has_talked(served_data: ServedCustomerData) -> Client:
    ana = Client(served_data.server)
    await ana.enter()
    await ana.says("m1", served_data.word("a message"))
    await ana.hears_until("turn.completed")
    return ana


async def test_a_connected_customer_is_told_and_begins_again(served_data: ServedCustomerData) -> None:
    ana = await has_talked(served_data)

    with capture_logs() as logged:
        status, told = await served_data.asks("DELETE", "ana")

        assert (status, told) == (
            200,
            {"conversations": 1, "documents": 0, "recordings": 0, "left": [], "elsewhere": []},
        )
        assert await ana.reads_to_the_end() == BROKEN
    assert [line["event"] for line in logged if "exc_info" in line or line["log_level"] == "error"] == []
    assert served_data.word.found_in(raw(served_data.data_folder.folder)) == set()
    ana.heard.clear()
    welcome = await ana.enter()
    assert (welcome["resumed"], welcome["seq"]) == ("new", 0)  # upon which the widget forgets what it showed
    await ana.says("m1", "Hello")
    await ana.hears_until("turn.completed")
    assert served_data.word.found_in(orjson.dumps(ana.heard)) == set()


async def test_a_sleeping_page_is_not_told_to_continue_where_it_was(served_data: ServedCustomerData) -> None:
    ana = await has_talked(served_data)
    asleep = Client(served_data.server)
    asleep.token, asleep.epoch, asleep.cursor = ana.token, ana.epoch, 2
    await served_data.asks("DELETE", "ana")
    await ana.reads_to_the_end()
    ana.cursor = 0
    await ana.enter()
    await ana.says("m1", "Hello")
    await ana.hears_until("turn.completed")

    welcome = await asleep.enter()

    # Its numbers are there again, but they are another conversation's.
    assert welcome["seq"] > asleep.cursor
    assert welcome["resumed"] == "snapshot"


async def test_operators_can_export_everything_and_see_nothing_erased(
    served_data: ServedCustomerData,
) -> None:
    await has_talked(served_data)

    status, everything = await served_data.asks("GET", "ana")
    assert (status, everything["customer"]) == (200, "ana")
    assert served_data.word.found_in(orjson.dumps(everything)) >= {"a message", "an answer"}

    headers = {"Authorization": f"Bearer {TOKEN}"}
    await served_data.asks("DELETE", "ana")

    async with served_data.http.get("/v1/operators/conversations", headers=headers) as answer:
        assert await answer.json() == {"conversations": []}
    for method in ("GET", "DELETE"):
        status, told = await served_data.asks(method, "ana")
        assert (status, told["code"]) == (404, "unknown_customer")


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_without_the_token_nothing_is_exported_or_erased(
    served_data: ServedCustomerData, method: str
) -> None:
    await has_talked(served_data)

    status, told = await served_data.asks(method, "ana", token="guessed")

    assert status == 401
    assert served_data.word.found_in(orjson.dumps(told)) == set()
    assert await served_data.data_folder.log.conversations("demo", "ana") != []


async def test_a_partial_erasure_is_reported_and_can_be_repeated(served_data: ServedCustomerData) -> None:
    await has_talked(served_data)
    served_data.data_folder.store.refuses = {"ana"}

    status, told = await served_data.asks("DELETE", "ana")

    assert (status, told["code"]) == (503, "busy")
    assert "the documents are still where they were" in told["message"]
    served_data.data_folder.store.refuses.clear()
    assert (await served_data.asks("DELETE", "ana"))[0] == 404


async def test_a_failed_export_is_reported(served_data: ServedCustomerData) -> None:
    await served_data.data_folder.log.close()

    status, told = await served_data.asks("GET", "ana")

    assert (status, told["code"]) == (503, "busy")

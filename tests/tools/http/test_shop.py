"""A shop whose API the import has never seen: each drafted tool is run against it."""

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import uvicorn

from assistant.commands.serve import WebServer
from assistant.conversation.customer import Customer, CustomerCredential
from assistant.conversation.values import Json
from assistant.errors import BadArguments, ToolError
from assistant.tools.discovery import discover
from assistant.tools.http.service import Connections
from assistant.tools.http.tool import HttpTool
from assistant.tools.openapi.document import read_document
from assistant.tools.openapi.draft_file import DraftedFile, draft_file
from assistant.tools.registry import Tools
from tests.tools.http.conftest import run
from tests.tools.http.shop import TOKEN, Shop, bookshop

STAFF = CustomerCredential(token=TOKEN, expires_ms=2**53)
ANA = Customer(tenant="shop", id="c7", level="signed_in", credential=STAFF)
ADDRESS: Json = {"street": "Main St 1", "city": "Graz"}


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def drafted(shop: Shop, tmp_path: Path) -> DraftedFile:
    description = tmp_path / "openapi.json"
    description.write_bytes(orjson.dumps(bookshop(shop).openapi()))
    return draft_file(read_document(description))


@pytest.fixture
async def tools(
    shop: Shop, drafted: DraftedFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Tools]:
    """The tools of the unreviewed draft, with the running shop."""
    config = uvicorn.Config(bookshop(shop), port=0, ws="none", lifespan="off", log_config=None)
    server = WebServer(config)
    serving = asyncio.create_task(server.serve())
    await server.ready.wait()
    port = server.servers[0].sockets[0].getsockname()[1]
    monkeypatch.setenv("PAPER_URL", f"http://127.0.0.1:{port}")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "books.http.toml").write_text(drafted.text)
    connections = Connections()
    yield discover(tmp_path / "tools", connections, drafts=True)
    await connections.close()
    server.should_exit = True
    await serving


def tool(tools: Tools, name: str) -> HttpTool:
    found = tools.get(name)
    assert isinstance(found, HttpTool)
    return found


def test_every_operation_is_drafted_and_none_is_offered(drafted: DraftedFile, tmp_path: Path) -> None:
    (tmp_path / "books.toml").write_text(drafted.text)

    assert drafted.left_out == ()
    assert list(discover(tmp_path)) == []
    assert {
        spec.name: (spec.effect, spec.requires, spec.confirm)
        for spec in discover(tmp_path, drafts=True).specs
    } == {
        "cancel_order": ("write", "signed_in", True),
        "change_order_address": ("write", "signed_in", True),
        "leave_review": ("write", "anonymous", True),
        "list_orders": ("read", "signed_in", False),
        "ping": ("read", "anonymous", False),
        "place_order": ("write", "signed_in", True),
        "read_book": ("read", "anonymous", False),
        "search_catalogue": ("read", "anonymous", False),
        "subscribe_newsletter": ("write", "anonymous", True),
    }


def test_texts_for_customers_are_drafted_or_requested(drafted: DraftedFile, tmp_path: Path) -> None:
    (tmp_path / "books.toml").write_text(drafted.text)
    hints = {spec.name: spec.hints for spec in discover(tmp_path, drafts=True).specs}

    assert {name: hint["en"].will for name, hint in hints.items() if hint} == {
        "cancel_order": "cancel your order",
        "change_order_address": "change your order address",
        "leave_review": "leave the review",
        "list_orders": "look up your orders",
        "place_order": "place your order",
        "read_book": "look up the book",
        "search_catalogue": "search the catalogue",
        "subscribe_newsletter": "subscribe the newsletter",
    }
    assert drafted.text.count("# review: customers hear it while it runs") == 8
    assert drafted.text.count("# review: say what customers hear while it runs") == 1


def test_a_draft_says_what_it_leaves_out(drafted: DraftedFile) -> None:
    assert re.findall("# left out: (.*)", drafted.text) == [
        "query parameter 'cursor' (pages)",
        "header 'x-trace'",
        "query parameter 'limit' (pages)",
    ]
    assert "# review: the body refers to itself or is very deep: anything goes there" in drafted.text
    assert '# 409 (Already shipped): errors = {409 = "..."} says it in words for customers' in drafted.text


async def test_lookups_find_the_shops_data(tools: Tools) -> None:
    found = await run(tool(tools, "search_catalogue"), {"q": "tid", "format": ["hardcover", "paperback"]})
    book = await run(tool(tools, "read_book"), {"isbn": 222})

    assert found == [{"isbn": "111", "title": "Tides", "format": "hardcover", "price": "24.00"}]
    assert book == {"isbn": "222", "title": "Tides", "format": "audio", "price": "9.50"}
    assert await run(tool(tools, "search_catalogue"), {"q": "nothing"}) == []
    assert await run(tool(tools, "ping")) == "pong"


async def test_an_order_is_placed_once_for_the_identified_customer(tools: Tools, shop: Shop) -> None:
    order: dict[str, Json] = {"lines": [{"isbn": "111"}], "ship_to": ADDRESS}
    first = await run(tool(tools, "place_order"), order, ANA)
    again = await run(tool(tools, "place_order"), order, ANA)

    assert first == again
    assert [one.state for one in shop.orders.values()] == ["for c7"]
    assert shop.orders[1000].lines[0].quantity == 1
    assert await run(tool(tools, "list_orders"), {}, ANA) == [first]
    assert await run(tool(tools, "list_orders"), {}, replace(ANA, id="c8")) == []


async def test_an_order_is_changed_and_cancelled(tools: Tools, shop: Shop) -> None:
    await run(
        tool(tools, "place_order"), {"lines": [{"isbn": "111", "quantity": 2}], "ship_to": ADDRESS}, ANA
    )
    moved: dict[str, Json] = {"order_id": "1000", "to": {"street": "Quay 2", "city": "Graz", "zip": None}}
    await run(tool(tools, "change_order_address"), moved, ANA)

    assert shop.orders[1000].ship_to.street == "Quay 2"
    shop.orders[1000].state = "shipped"
    with pytest.raises(ToolError) as refused:
        await run(tool(tools, "cancel_order"), {"order_id": 1000}, ANA)
    assert refused.value.for_model == "It answered 409. It says: parcel has left the house"
    shop.orders[1000].state = "new"
    assert await run(tool(tools, "cancel_order"), {"order_id": 1000}, ANA) == {"done": True}
    assert shop.orders == {}


async def test_reviews_and_forms_arrive(tools: Tools, shop: Shop) -> None:
    await run(tool(tools, "leave_review"), {"isbn": "111", "stars": "5", "text": "Ä"})
    await run(tool(tools, "subscribe_newsletter"), {"email": "ana+books@example.com"})

    assert [(review.stars, review.text) for review in shop.reviews] == [(5, "Ä")]
    assert shop.subscribed == ["ana+books@example.com"]


@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("search_catalogue", {}, "q is missing"),
        ("search_catalogue", {"q": "a", "format": ["papyrus"]}, "format.0 should be one of"),
        ("search_catalogue", {"q": "a", "published_after": "soon"}, "published_after should be a date"),
        ("leave_review", {"isbn": "1", "stars": 9}, "stars does not fit"),
        ("place_order", {"lines": [{"quantity": 1}], "ship_to": ADDRESS}, "lines.0.isbn is missing"),
        ("place_order", {"customer_id": "c8", "lines": [], "ship_to": ADDRESS}, "arguments does not fit"),
    ],
)
async def test_invalid_arguments_are_never_sent(
    tools: Tools, name: str, arguments: dict[str, Json], problem: str
) -> None:
    with pytest.raises(BadArguments, match=re.escape(problem)):
        tool(tools, name).validate(arguments)


async def test_the_shops_refusals_are_told_to_the_model(tools: Tools) -> None:
    with pytest.raises(ToolError) as refused:
        await run(tool(tools, "read_book"), {"isbn": "999"})

    assert (refused.value.say, refused.value.for_model) == (
        "I can't find that",
        "It answered 404. It says: no book 999",
    )

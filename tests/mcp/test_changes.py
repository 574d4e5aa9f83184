"""Servers change while customers talk; tools that no operator has approved are not called."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from assistant.errors import ToolError
from assistant.tools.tool import ToolResult
from tests.mcp.conftest import Kept, child, keeping, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shop() -> AsyncIterator[Kept]:
    """The shop's server; the tests are its life, in their order."""
    async with keeping(child("shop.py")) as kept:
        yield kept


async def test_a_new_tool_waits_for_approval_and_affects_nothing(shop: Kept) -> None:
    await shop.does("learn", what="dance")
    await until(lambda: bool(shop.news))

    assert shop.news == ["shop: new: dance; look at them with: assistant tools approve shop"]
    assert await shop.does("find_orders", customer="new") == ToolResult([])


async def test_changed_and_removed_tools_are_not_called_any_more(shop: Kept) -> None:
    assert await shop.does("get_order_status", order="7") == ToolResult({"order": "7", "status": "sent"})
    shop.news.clear()

    await shop.does("relearn")

    with pytest.raises(ToolError, match="that service has changed and is being checked"):
        await shop.does("get_order_status", order="7")
    with pytest.raises(ToolError, match="that service does not offer this any more"):
        await shop.does("draw", size=1)
    assert await shop.does("find_orders", customer="new") == ToolResult([])
    assert shop.news == [
        "shop: changed: get_order_status; removed: draw; new: dance; "
        "look at them with: assistant tools approve shop"
    ]


async def test_an_approval_allows_the_current_definition(shop: Kept) -> None:
    before = shop.offered["get_order_status"]
    shop.offered = dict(await shop.server.offered())
    shop.news.clear()

    shop.server.approve(shop.offered)

    assert await shop.does("get_order_status", order="7", password="x") == ToolResult("7x")
    with pytest.raises(ToolError, match="has changed"):
        await shop.server.call(before, {"order": "7"}, "read")
    assert shop.news == []


async def test_after_a_crash_a_changed_definition_is_noticed_too(shop: Kept) -> None:
    with pytest.raises(ToolError, match="so I can't say whether it was done"):
        await shop.does("crash", effect="write")
    await until(lambda: len(shop.news) == 3)

    assert shop.news[0].startswith("shop cannot be used: has ended")
    assert shop.news[1:] == [
        "shop is back",
        "shop: changed: get_order_status; removed: dance; new: draw; "
        "look at them with: assistant tools approve shop",
    ]
    with pytest.raises(ToolError, match="has changed"):
        await shop.does("get_order_status", order="7", password="x")
    assert await asyncio.wait_for(shop.does("find_orders", customer="new"), 60) == ToolResult([])

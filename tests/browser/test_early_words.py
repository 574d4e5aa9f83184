"""A customer who writes before the site has said who they are."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, welcome
from tests.browser.site import introduced, site_token
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_message_written_before_sign_in_belongs_to_the_customer(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate(
        "() => Meanwhile.setUser(() => new Promise((resolve) => { window.tell = resolve; }))"
    )
    await ana.tells("open")
    await ana.tells("send", "Where is my order?")
    shown = ana.page.get_by_text("Where is my order?")
    await expect(shown).to_be_visible()

    await ana.page.evaluate("token => tell(token)", site_token("anna"))
    line, hello = await introduced(server)
    assert hello["user"] == site_token("anna")
    await line.says(welcome(token="anna's"))

    assert (await line.hears("message"))["text"] == "Where is my order?"
    await expect(shown).to_have_count(1)
    left = await ana.page.evaluate("() => Object.entries(localStorage).filter(([key]) => key.endsWith(':'))")
    assert "Where is my order?" not in str(left)

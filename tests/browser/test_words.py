"""The widget's own texts: complete in each language, chosen by the locale."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_chat_changes_its_language_while_it_is_open(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(
        *frames.told("m1", "response", "Bis sechs."), frames.tool_started("c", "Ihr Konto prüfen")
    )
    await line.says(frames.tool_finished("c", "failed"))
    await expect(ana.button("Helpful")).to_be_visible()

    await ana.tells("setLocale", "de-AT")

    await expect(ana.page.get_by_role("textbox", name="Ihre Nachricht")).to_be_visible()
    await expect(ana.button("Hilfreich")).to_be_visible()
    await expect(ana.chips).to_have_text(["Ihr Konto prüfen: hat nicht geklappt"])
    await expect(ana.panel.locator("..")).to_have_attribute("lang", "de")


async def test_a_page_may_give_any_value_as_its_language(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.tells("setLocale", "no such language!")
    await ana.launcher.click()
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "We are open."))
    await ana.sees("Robin: We are open.")
    await expect(ana.log.locator("time")).to_be_visible()

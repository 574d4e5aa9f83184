"""The widget in Hebrew: everything is mirrored, and numbers and Latin words keep their own direction."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ANSWER = "ההזמנה 10482 של Willow & Finch תגיע ביום שלישי, 24 בנובמבר, בין 14:00 ל-16:00. לתשלום: $1,149.90."
SCREENSHOTS = "WIDGET_SCREENSHOTS"
"""A folder: if it is set, a picture of the widget is written there."""


async def middle(locator: Locator) -> float:
    box = await locator.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2


async def test_the_widget_is_mirrored_in_hebrew(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    await server.welcomed()
    await ana.tells("setLocale", "he")
    line = await server.welcomed()
    await expect(ana.panel.locator("..")).to_have_attribute("dir", "rtl")
    await ana.page.get_by_role("textbox", name="ההודעה שלך").fill("איפה ההזמנה 10482 שלי?")
    await ana.page.keyboard.press("Enter")
    await line.says(frames.tool_started("c", "בדיקת ההזמנה 10482"), frames.tool_finished("c", "ok"))
    await line.says(*frames.told("m1", "response", ANSWER))
    await expect(ana.button("מועיל")).to_be_visible()

    panel = await middle(ana.panel)
    customer = ana.panel.locator("[part~=customer-bubble]").first
    assistant = ana.panel.locator("[part~=assistant-bubble]").last
    send = ana.button("שליחה")

    await expect(assistant).to_have_css("direction", "rtl")
    assert await middle(customer) < panel < await middle(assistant)
    assert await middle(send) < panel
    assert await ana.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if folder := os.environ.get(SCREENSHOTS):
        await ana.page.screenshot(path=Path(folder) / "hebrew.png")


async def test_numbers_in_a_right_to_left_line_read_from_left_to_right(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.tells("setLocale", "he")
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "הטלפון: 030 12345, השעה 14:00."))
    bubble = ana.panel.locator("[part~=assistant-bubble]").last
    await expect(bubble).to_contain_text("14:00")

    lefts = await bubble.evaluate(
        """(bubble) => {
          const walker = document.createTreeWalker(bubble, NodeFilter.SHOW_TEXT);
          let node;
          while ((node = walker.nextNode()) && !node.data.includes("14:00")) {}
          return ["1", "4", "0"].map((digit, place) => {
            const range = document.createRange();
            const at = node.data.indexOf("14:00") + [0, 1, 3][place];
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            return range.getBoundingClientRect().left;
          });
        }"""
    )

    assert lefts == sorted(lefts)


@pytest.mark.parametrize(
    ("locale", "placeholder"),
    [
        ("fr-CA", "Écrivez un message…"),
        ("es", "Escriba un mensaje…"),
        ("it", "Scriva un messaggio…"),
        ("nl-BE", "Schrijf een bericht…"),
        ("pt", "Escreva uma mensagem…"),
        ("pl", "Napisz wiadomość…"),
        ("sv", "Skriv ett meddelande…"),
        ("tr", "Mesaj yazın…"),
    ],
)
async def test_the_widget_is_drawn_in_each_language(
    locale: str, placeholder: str, ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()

    await ana.tells("setLocale", locale)

    await expect(ana.page.get_by_placeholder(placeholder)).to_be_visible()
    await expect(ana.panel.locator("..")).to_have_attribute("lang", locale.partition("-")[0])

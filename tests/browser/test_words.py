"""The widget's own words: complete in each language, chosen by the locale."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEYS = """async () => {
    const { languages } = await import("/src/strings/index.js");
    const shape = words => Object.entries(words).sort().map(([key, value]) =>
        typeof value === "object" ? [key, shape(value)]
        : [key, typeof value === "function" ? value(1) !== value(2) || "same" : Boolean(value.trim())]);
    return languages.map(words => [words.locale, shape(words)]);
}"""

CHOSEN = """async locales => {
    const { stringsFor, directionOf } = await import("/src/strings/index.js");
    return locales.map(locale => `${stringsFor(locale).locale} ${directionOf(locale)}`);
}"""


async def test_every_language_has_every_word(ana: Visitor) -> None:
    await ana.visits()
    [(_, english), *others] = await ana.page.evaluate(KEYS)
    assert len(others) >= 1
    assert {locale: words for locale, words in others if words != english} == {}
    assert "false" not in str(english).lower()


async def test_the_language_is_the_nearest_there_is(ana: Visitor) -> None:
    await ana.visits()
    asked = ["de", "de-AT", "DE_ch", "en-GB", "fr", "", "ar-EG", "he", "x-nonsense"]
    assert await ana.page.evaluate(CHOSEN, asked) == [
        *("de ltr", "de ltr", "de ltr", "en ltr", "en ltr", "en ltr", "en rtl", "en rtl", "en ltr")
    ]


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


async def test_a_page_may_say_anything_about_its_language(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.tells("setLocale", "no such language!")
    await ana.launcher.click()
    line = await server.welcomed()
    await line.says(*Numbered().told("m1", "response", "We are open."))
    await ana.sees("Robin: We are open.")
    await expect(ana.log.locator("time")).to_be_visible()

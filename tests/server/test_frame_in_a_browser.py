"""The iframe on a page of another site, in Chromium."""

from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.server.running_server import ANA
from tests.server.shop import Shop, browser, shop_with, visiting

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncGenerator[Browser]:
    async with browser() as chromium:
        yield chromium


def home(shop: Shop, *, introduced: bool = False) -> str:
    """The shop's page: the chat, and a third party that tries to speak to it."""
    fragment = "#introduced" if introduced else ""
    third_party = shop.address.replace("127.0.0.1", "localhost")
    return f"""<!doctype html><title>Shop</title>
<iframe src="{shop.chat}/frame{fragment}" width="700" height="700"></iframe>
<iframe src="{third_party}/evil" width="10" height="10"></iframe>
<script>
  const heard = [];
  addEventListener("message", ({{ origin, data }}) => origin === "{shop.chat}" && heard.push(data));
  const tell = (message) => frames[0].postMessage(message, "{shop.chat}");
  const heardOf = (type) => heard.filter((message) => message.type === type).map(({{ detail }}) => detail);
</script>"""


def evil(shop: Shop) -> str:
    return """<!doctype html><script>
  setInterval(() => parent.frames[0].postMessage({type: "meanwhile.setLocale", locale: "xx"}, "*"), 20);
</script>"""


PAGES = {"/": home, "/introduced": partial(home, introduced=True), "/evil": evil}


def customers(shop: Shop) -> list[tuple[str, str | None]]:
    """Each identity that the server has seen: level and name."""
    return [(one.customer.level, one.customer.name) for one in shop.server.sessions.known.values()]


async def waits_to_hear(shop: Shop, page: Page) -> None:
    """Goes to the page that says that its customer will be introduced, and has not done so."""
    await page.goto(f"{shop.address}/introduced")
    await page.wait_for_function("() => heardOf('meanwhile.ready').length === 1")
    await page.frames[1].evaluate("() => customElements.whenDefined('meanwhile-chat').then(() => {})")
    assert await page.frames[1].locator("meanwhile-chat").count() == 0


async def test_a_site_identifies_its_customer_by_a_message(tmp_path: Path, chromium: Browser) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await page.goto(shop.address)
        await page.wait_for_function("() => heardOf('meanwhile.ready').length === 1")
        await page.evaluate("(user) => tell({type: 'meanwhile.setUser', user})", shop.site.signs(name="Ana"))
        await page.wait_for_function(
            "() => heardOf('meanwhile.customer').some(({level}) => level === 'signed_in')"
        )
        told = await page.evaluate("() => heardOf('meanwhile.customer').at(-1)")
        await page.evaluate("() => tell({type: 'meanwhile.setLocale', locale: 'de'})")
        frame = page.frames[1]
        await frame.wait_for_function(
            "() => document.querySelector('meanwhile-chat').getAttribute('locale') === 'de'"
        )
        # By now the page of the third party, which is on no list, has spoken many times.
        locale = await frame.locator("meanwhile-chat").get_attribute("locale")
        box = await frame.locator("meanwhile-chat dialog").bounding_box()
    assert told == {"id": "c-17", "level": "signed_in", "name": "Ana"}
    assert locale == "de"
    assert box is not None
    assert (box["width"], box["height"]) == (700, 700)


async def test_a_customer_who_will_be_identified_never_becomes_a_visitor(
    tmp_path: Path, chromium: Browser
) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await waits_to_hear(shop, page)
        await page.evaluate("(user) => tell({type: 'meanwhile.setUser', user})", shop.site.signs(name="Bea"))
        await page.wait_for_function("() => heardOf('meanwhile.customer').length > 0")
        # The same on the next page of the visit, whose chat was open before.
        await waits_to_hear(shop, page)
        await page.evaluate("(user) => tell({type: 'meanwhile.setUser', user})", shop.site.signs(name="Bea"))
        await page.wait_for_function("() => heardOf('meanwhile.customer').length > 0")
        known = customers(shop)
    assert known == [("signed_in", "Bea")]


async def test_a_page_without_a_signed_in_customer_gets_its_visitor(
    tmp_path: Path, chromium: Browser
) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await waits_to_hear(shop, page)
        await page.evaluate("() => tell({type: 'meanwhile.setUser', user: null})")
        await page.wait_for_function("() => heardOf('meanwhile.customer').length > 0")
        known = customers(shop)
    assert known == [(ANA.level, ANA.name)]


async def test_a_page_that_never_identifies_its_customer_still_gets_a_chat(
    tmp_path: Path, chromium: Browser
) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await page.clock.install()
        await waits_to_hear(shop, page)
        await page.clock.fast_forward(5000)
        await page.frames[1].locator("meanwhile-chat dialog").wait_for(state="visible")


async def test_the_frame_listens_only_to_a_listed_page_around_it(tmp_path: Path, chromium: Browser) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await page.goto(shop.address)
        await page.wait_for_function("() => heardOf('meanwhile.ready').length === 1")
        frame = page.frames[1]
        await frame.locator("meanwhile-chat dialog").wait_for(state="visible")
        themes = await frame.evaluate(
            """(listed) => {
                const hear = (source, origin, theme) => {
                    const data = { type: "meanwhile.setTheme", theme };
                    dispatchEvent(new MessageEvent("message", { source, origin, data }));
                    return document.querySelector("meanwhile-chat").getAttribute("theme");
                };
                return [
                    hear(window, listed, "dark"),
                    hear(parent, "https://evil.example", "dark"),
                    hear(parent, "null", "dark"),
                    hear(parent, listed, "light"),
                ];
            }""",
            shop.address.rstrip("/"),
        )
    assert themes == [None, None, None, "light"]


@pytest.mark.parametrize("fragment", ["", "#introduced"])
async def test_a_frame_opened_alone_waits_for_nothing(
    tmp_path: Path, chromium: Browser, fragment: str
) -> None:
    async with shop_with(tmp_path, PAGES) as shop, visiting(chromium) as page:
        await page.goto(f"{shop.chat}/frame{fragment}")
        assert await page.locator("meanwhile-chat").count() == 1
        panel = page.locator("meanwhile-chat dialog")
        await panel.wait_for(state="visible")
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => document.querySelector('meanwhile-chat').hasAttribute('open')")
        await panel.wait_for(state="visible")


async def test_an_unlisted_page_is_shown_nothing(tmp_path: Path, chromium: Browser) -> None:
    async with shop_with(tmp_path, PAGES, listed=False) as shop, visiting(chromium) as page:
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        await page.goto(shop.address)
        await page.evaluate("() => tell({type: 'meanwhile.setLocale', locale: 'de'})")
        heard = await page.evaluate("() => heard.length")
        known = dict(shop.server.sessions.known)
    assert heard == 0
    assert any("frame-ancestors" in complaint for complaint in complaints)
    assert not known

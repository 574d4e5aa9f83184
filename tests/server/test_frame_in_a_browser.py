"""The iframe on a page of another site, in Chromium."""

from pathlib import Path

import pytest

from tests.server.shop import Shop, browsing, shop_with

pytestmark = pytest.mark.browser


def home(shop: Shop) -> str:
    """The shop's page: the chat, and a third party that tries to speak to it."""
    third_party = shop.address.replace("127.0.0.1", "localhost")
    return f"""<!doctype html><title>Shop</title>
<iframe src="{shop.chat}/frame" width="700" height="700"></iframe>
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


PAGES = {"/": home, "/evil": evil}


async def test_a_site_introduces_its_customer_by_a_message_and_hears_what_happens(tmp_path: Path) -> None:
    async with shop_with(tmp_path, PAGES) as shop, browsing() as page:
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


async def test_it_listens_to_nobody_but_the_page_around_it_and_only_if_that_is_listed(tmp_path: Path) -> None:
    async with shop_with(tmp_path, PAGES) as shop, browsing() as page:
        await page.goto(shop.address)
        await page.wait_for_function("() => heardOf('meanwhile.ready').length === 1")
        frame = page.frames[1]
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


async def test_closing_it_leaves_no_empty_page(tmp_path: Path) -> None:
    async with shop_with(tmp_path, PAGES) as shop, browsing() as page:
        await page.goto(f"{shop.chat}/frame")
        panel = page.locator("meanwhile-chat dialog")
        await panel.wait_for(state="visible")
        await page.keyboard.press("Escape")
        await page.wait_for_function("() => document.querySelector('meanwhile-chat').hasAttribute('open')")
        await panel.wait_for(state="visible")


async def test_a_page_that_is_not_listed_is_shown_nothing(tmp_path: Path) -> None:
    async with shop_with(tmp_path, PAGES, listed=False) as shop, browsing() as page:
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        await page.goto(shop.address)
        await page.evaluate("() => tell({type: 'meanwhile.setLocale', locale: 'de'})")
        heard = await page.evaluate("() => heard.length")
        known = dict(shop.house.sessions.known)
    assert heard == 0
    assert any("frame-ancestors" in complaint for complaint in complaints)
    assert not known

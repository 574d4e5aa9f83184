"""The iframe on a page of another site, in Chromium."""

import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Page, async_playwright

from assistant.shipped import shipped
from assistant.store.used_tokens import UsedTokens
from tests.server.house import House, build_house, opened
from tests.server.site import Site, believing

pytestmark = pytest.mark.browser

CHROMIUM = Path("/usr/bin/chromium")

SHOP = """<!doctype html><title>Shop</title>
<iframe id="chat" src="{chat}/frame" width="700" height="700"></iframe>
<script>
  const heard = [];
  addEventListener("message", ({{ origin, data }}) => origin === "{chat}" && heard.push(data));
  const tell = (message) => document.getElementById("chat").contentWindow.postMessage(message, "{chat}");
  const heardOf = (type) => heard.filter((message) => message.type === type).map(({{ detail }}) => detail);
</script>
<iframe src="{evil}/evil" width="10" height="10"></iframe>
"""

EVIL = """<!doctype html><script>
  setInterval(() => parent.frames[0].postMessage({type: "meanwhile.setLocale", locale: "xx"}, "*"), 20);
</script>"""


@pytest.fixture
async def page() -> AsyncGenerator[Page]:
    if not CHROMIUM.exists():
        missing = f"no Chromium at {CHROMIUM}: the frame was not tested in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield await chromium.new_page()
        await chromium.close()


@asynccontextmanager
async def built(tmp_path: Path, *, listed: bool) -> AsyncGenerator[tuple[House, Site, str]]:
    """The chat's server, the shop's own one, and the shop's address."""
    site, closed = web.Application(), build_house()
    runner, used = web.AppRunner(site), UsedTokens(tmp_path / "used.db")
    closed_ports: list[int] = []

    async def shop(request: web.Request) -> web.Response:
        chat, evil = f"http://127.0.0.1:{closed.port}", f"http://localhost:{closed_ports[0]}"
        return web.Response(text=SHOP.format(chat=chat, evil=evil), content_type="text/html")

    async def evil(request: web.Request) -> web.Response:
        return web.Response(text=EVIL, content_type="text/html")

    site.add_routes([web.get("/", shop), web.get("/evil", evil)])
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    closed_ports.append(runner.addresses[0][1])
    address = f"http://127.0.0.1:{closed_ports[0]}"
    origins = frozenset({address}) if listed else frozenset[str]()
    closed.door = replace(closed.door, origins=origins, site=believing(closed.clock, used))
    async with opened(closed, web_dir=shipped("web")) as house:
        yield house, Site(house.clock), address
    await runner.cleanup()
    await used.close()


async def test_a_site_introduces_its_customer_by_a_message_and_hears_what_happens(
    page: Page, tmp_path: Path
) -> None:
    async with built(tmp_path, listed=True) as (_, site, address):
        await page.goto(address)
        await page.wait_for_function("() => heardOf('meanwhile.ready').length === 1")
        await page.evaluate("(user) => tell({type: 'meanwhile.setUser', user})", site.signs(name="Ana"))
        await page.wait_for_function(
            "() => heardOf('meanwhile.customer').some(({level}) => level === 'signed_in')"
        )
        told = await page.evaluate("() => heardOf('meanwhile.customer').at(-1)")
        await page.evaluate("() => tell({type: 'meanwhile.setLocale', locale: 'de'})")
        chat = page.frames[1].locator("meanwhile-chat")
        await page.frames[1].wait_for_function(
            "() => document.querySelector('meanwhile-chat').getAttribute('locale') === 'de'"
        )
        # By now the page of the third party, which is on no list, has spoken many times.
        locale = await chat.get_attribute("locale")
        box = await page.frames[1].locator("meanwhile-chat dialog").bounding_box()
        await page.context.close()  # with its connections, which the server waits for
    assert told == {"id": "c-17", "level": "signed_in", "name": "Ana"}
    assert locale == "de"
    assert box is not None
    assert (box["width"], box["height"]) == (700, 700)


async def test_a_page_that_is_not_listed_is_shown_nothing(page: Page, tmp_path: Path) -> None:
    async with built(tmp_path, listed=False) as (house, _, address):
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        await page.goto(address)
        await page.evaluate("() => tell({type: 'meanwhile.setLocale', locale: 'de'})")
        heard = await page.evaluate("() => heard.length")
        await page.context.close()  # with its connections, which the server waits for
    assert heard == 0
    assert any("frame-ancestors" in complaint for complaint in complaints)
    assert not house.sessions.known

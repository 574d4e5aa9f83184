"""Voice on other sites' pages: under strict policies, and in a frame."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Line
from tests.browser.sound import pitch
from tests.browser.visitor import Visitor
from tests.browser.voice import doing, microphone, opened, ready, silent, sound

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest_asyncio.fixture(loop_scope="session")
async def shop() -> AsyncGenerator[FakeServer]:
    """A company's web site, which is not the assistant's server."""
    async with FakeServer().running() as site:
        yield site


async def test_voice_on_another_origin_needs_nothing_more(
    ben: Visitor, server: FakeServer, shop: FakeServer
) -> None:
    at = f"127.0.0.1:{server.port}"
    shop.hosts["/shop"] = (
        "<!doctype html><title>shop</title><body><meanwhile-chat></meanwhile-chat>"
        f'<script type="module" src="{server.url}meanwhile-chat.js" crossorigin></script>',
        f"default-src 'none'; script-src http://{at}; connect-src ws://{at};"
        " require-trusted-types-for 'script'; trusted-types meanwhile lit-html",
    )
    visitor = Visitor(ben.page, f"{shop.url}shop")
    line = await _speaks(visitor, server)
    whistle = await line.listens(0.5)
    assert pitch(whistle[8_000:], 16_000) == pytest.approx(1_000, abs=5)
    await line.speaks(1, sound(0.2))
    assert await silent(line, 1) == 200
    styled = "node => [...node.querySelectorAll('[style], style, link')].map(one => one.outerHTML)"
    assert await visitor.panel.evaluate(styled) == []
    assert visitor.complaints == []


@pytest.mark.parametrize("allow", ["", 'allow="microphone"'])
async def test_a_frame_has_a_microphone_if_the_page_allows_it(
    ben: Visitor, server: FakeServer, shop: FakeServer, allow: str
) -> None:
    html = f'<!doctype html><title>shop</title><iframe {allow} src="{server.url}frame.html"></iframe>'
    shop.hosts["/shop"] = (html, f"default-src 'none'; frame-src {server.url}")
    await ben.page.goto(f"{shop.url}shop")
    chat = ben.page.frame_locator("iframe")
    line = await server.welcomed(voice={"ready": True, "problem": None})
    await chat.get_by_role("button", name="Speak", exact=True).click()
    if allow:
        await line.hears("audio.start")
        await line.says(ready())
        await expect(chat.locator(".doing")).to_have_text("Listening")
    else:
        await expect(chat.locator("[part=voice-problem]")).to_contain_text(
            "The microphone is not allowed here."
        )
        assert [told for told in ben.complaints if 'allow="microphone"' in told or "ermissions" in told]
        ben.complaints.clear()


async def _speaks(visitor: Visitor, server: FakeServer) -> Line:
    line = await opened(visitor, server)
    await microphone(visitor).click()
    await line.hears("audio.start")
    await line.says(ready())
    await expect(doing(visitor)).to_have_text("Listening")
    return line

"""The shop's page around the chat."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_page_works_under_a_strict_policy(ana: Visitor, server: FakeServer) -> None:
    response = await ana.page.goto(server.url)
    assert response is not None
    policy = (await response.all_headers())["content-security-policy"]
    assert "script-src 'self'; style-src 'self'" in policy
    await expect(ana.launcher).to_have_css("border-radius", "50%")
    await expect(ana.page.get_by_role("heading", level=1)).to_have_text("The small things, sharp again.")


async def test_no_connection_is_made_before_the_chat_is_opened(ana: Visitor) -> None:
    sockets: list[str] = []
    ana.page.on("websocket", lambda socket: sockets.append(socket.url))
    await ana.visits()
    await expect(ana.launcher).to_be_visible()
    assert sockets == []
    # The browser tells of the socket in its own time, maybe after the panel is seen.
    async with ana.page.expect_websocket():
        await ana.launcher.click()
    await expect(ana.panel).to_be_visible()
    assert len(sockets) == 1


@pytest.mark.parametrize("width", [1280, 820, 390, 320])
async def test_the_page_fits_every_width(ana: Visitor, width: int) -> None:
    await ana.page.set_viewport_size({"width": width, "height": 800})
    await ana.visits()
    assert await ana.page.evaluate("() => document.documentElement.scrollWidth") <= width


async def test_another_server_can_be_named(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """url => {
            document.querySelector("meanwhile-chat").remove();
            const chat = document.createElement("meanwhile-chat");
            chat.setAttribute("server", url);
            document.body.append(chat);
            chat.open();
        }""",
        server.url,
    )
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    kept = await ana.page.evaluate("() => Object.keys(localStorage)")
    assert kept == [f"meanwhile:127.0.0.1:{server.port}/:"]

"""Any text from the server is shown as text: it becomes no element, and stays in the panel."""

import pytest
from playwright.async_api import Request, expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, Frame
from tests.browser.scenes import Numbered, take_message

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HURT = "document.title='hurt'"
HOSTILE = f'<img src=https://elsewhere.example/a onerror="{HURT}"><script>{HURT}</script>'
ENDLESS = "\u202e" + "A" * 300
NAME = f"{HOSTILE} {ENDLESS}"
ROBIN: Frame = {
    "name": NAME,
    "greeting": NAME,
    "starters": [HOSTILE, ENDLESS],
    "disclosure": NAME,
    "note": NAME,
}

FOREIGN = """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("*")]
    .filter(node => /^(img|script|iframe|style|link|a|object|embed|base|form)$/.test(node.localName))
    .filter(node => !node.classList.contains("composer"))
    .map(node => node.outerHTML)"""

TOO_WIDE = """() => {
    const root = document.querySelector("meanwhile-chat").shadowRoot;
    const panel = root.querySelector("dialog").getBoundingClientRect();
    return [...root.querySelectorAll("dialog *")]
        .filter(node => !node.closest(".visually-hidden"))
        .filter(node => {
            const { left, right, width } = node.getBoundingClientRect();
            return width > 0 && (left < panel.left - 1 || right > panel.right + 1);
        })
        .map(node => node.className || node.localName);
}"""


@pytest.mark.parametrize("width", [390, 1280])
async def test_everything_that_the_server_sends_is_text_and_fits(
    arrive: Arrive, server: FakeServer, width: int
) -> None:
    ana = await arrive(server.url, width=width, height=844)
    asked: list[str] = []

    def note(request: Request) -> None:
        asked.append(request.url)

    ana.page.on("request", note)
    await ana.opens_chat()
    line = await server.welcomed(
        assistant=ROBIN, customer={"id": HOSTILE, "level": "signed_in", "name": HOSTILE}
    )
    await expect(ana.panel.locator(".starter")).to_have_text([HOSTILE, ENDLESS])
    assert await ana.page.evaluate(TOO_WIDE) == []
    frames = Numbered()
    await ana.says("Hello?")
    await take_message(line, frames)
    await line.says(
        {"type": "notice", "problem": True, "message": NAME},
        frames.tool_started("t1/c1", NAME),
        frames.tool_started("t1/c2", NAME),
        frames.tool_finished("t1/c2", NAME),
        *frames.told("m1", "response", f"`{NAME}`"),
        frames.frame(
            "confirmation.requested",
            confirmation_id="q",
            read_back=f"Shall I {NAME}?",
            calls=[],
            expires_at=0,
        ),
        {"type": "error", "code": NAME, "retryable": False, "message": NAME},
    )
    await expect(ana.panel.locator(".server-notice")).to_contain_text(HOSTILE)
    await expect(ana.panel.locator(".chip")).to_have_count(2)
    await expect(ana.panel.locator(".question .asked")).to_contain_text(HOSTILE)
    assert await ana.page.evaluate(FOREIGN) == []
    assert await ana.page.evaluate(TOO_WIDE) == []
    assert "hurt" not in await ana.page.title()
    ana.page.remove_listener("request", note)
    assert not [url for url in asked if "elsewhere" in url]
    assert ana.complaints == []

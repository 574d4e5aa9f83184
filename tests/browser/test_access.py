"""The chat by keyboard, by screen reader, and on a phone."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered, take_message
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SMALL_TARGETS = """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("button")]
    .map(button => [button.textContent, button.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && (box.width < 24 || box.height < 24))
    .map(([text]) => text)"""

UNNAMED = """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("button, textarea")]
    .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim())).map(one => one.outerHTML)"""

FAINT = """() => {
    const channel = value => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = css => {
        pen.clearRect(0, 0, 1, 1); pen.fillStyle = css; pen.fillRect(0, 0, 1, 1);
        return [...pen.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const ground = node => {
        for (let at = node; at; at = at.parentElement ?? at.getRootNode().host) {
            const colour = rgba(getComputedStyle(at).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return [255, 255, 255, 255];
    };
    const nodes = [...document.querySelectorAll("main *, header *, footer *"),
        ...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("*")];
    return nodes
        .filter(node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim()))
        .filter(node => node.checkVisibility() && !node.closest("svg") && !node.classList.contains("skip"))
        .map(node => {
            const [a, b] = [rgba(getComputedStyle(node).color), ground(node)].map(light).sort((x, y) => y - x);
            return [node.textContent.trim().slice(0, 40), Math.round((a + 0.05) / (b + 0.05) * 100) / 100];
        })
        .filter(([, ratio]) => ratio < 4.5);
}"""


async def test_focus_enters_with_the_panel_and_returns_with_escape(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.launcher.focus()
    await ana.page.keyboard.press("Enter")
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.has_focus_on("Your message")
    await expect(ana.launcher).to_have_attribute("aria-expanded", "true")

    await ana.page.keyboard.press("Escape")

    await expect(ana.panel).to_be_hidden()
    await ana.has_focus_on("Chat with us")
    await expect(ana.launcher).to_have_attribute("aria-expanded", "false")


async def test_a_link_of_the_shop_opens_the_chat_and_gets_the_focus_back(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.get_by_role("link", name="Ask our assistant").click()
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.button("Close chat").click()
    await expect(ana.panel).to_be_hidden()
    await ana.has_focus_on("Ask our assistant")


async def test_a_panel_that_opened_by_itself_leaves_the_focus_on_the_launcher(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.tells("open")
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.has_focus_on("Your message")
    await ana.page.keyboard.press("Escape")
    await expect(ana.panel).to_be_hidden()
    await ana.has_focus_on("Chat with us")


async def test_each_finished_message_is_announced_once_and_as_a_whole(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(frames.started("m1"), frames.delta("m1", "We are"))
    await ana.sees("Robin: We are")
    await expect(ana.status).to_have_text("")
    await line.says(frames.completed("m1", "response", "We are open."))
    await expect(ana.status.locator("p")).to_have_text(["We are open."])
    await line.says(*frames.told("m2", "response", "Until six."))
    await expect(ana.status.locator("p")).to_have_text(["We are open.", "Until six."])


async def test_an_error_is_announced_immediately(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello?")
    said = await line.hears("message")
    await line.says(
        {"type": "rejected", "id": said["id"], "code": "busy", "message": ""},
        {"type": "error", "code": "not_supported", "retryable": False, "message": ""},
    )
    await expect(ana.page.get_by_role("alert").locator("p")).to_have_text(
        ["Not sent. There is still something to answer.", "Something went wrong. Please try again."]
    )
    await expect(ana.status).to_have_text("")


async def test_messages_are_not_announced_while_the_panel_is_closed(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.page.keyboard.press("Escape")
    await line.says(*Numbered().told("m1", "response", "We are open."))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")
    await ana.launcher.click()
    await ana.sees("Robin: We are open.")
    await expect(ana.status).to_have_text("")


async def test_a_screen_reader_finds_its_way(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.asked())
    await expect(ana.button("Yes")).to_be_visible()

    await expect(ana.page.get_by_role("dialog", name="Robin")).to_be_visible()
    await expect(ana.log).to_have_attribute("aria-live", "off")
    await expect(ana.panel.locator("[aria-live]:not([aria-live=off])")).to_have_count(0)
    await expect(ana.status).to_have_count(1)
    await expect(ana.page.get_by_role("alert")).to_have_count(1)
    assert await ana.page.evaluate(UNNAMED) == []
    assert await ana.page.evaluate(SMALL_TARGETS) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_every_text_has_enough_contrast(ana: Visitor, server: FakeServer, scheme: str) -> None:
    frames = Numbered()
    await ana.page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light", reduced_motion="reduce"
    )
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    assert await ana.page.evaluate(FAINT) == []
    await ana.says("Hello")
    await take_message(line, frames)
    await line.says(
        *frames.told("m1", "acknowledgement", "Let me see."),
        frames.tool_started("t1/c1.1", "checking your billing"),
        frames.tool_started("t1/c1.2", "looking up your order"),
        frames.tool_finished("t1/c1.2", "failed"),
        {"type": "error", "code": "internal", "retryable": True, "message": ""},
        *frames.asked(),
    )
    await expect(ana.button("Yes")).to_be_visible()
    assert await ana.page.evaluate(FAINT) == []


async def test_messages_that_come_while_the_panel_is_closed_are_counted(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.page.keyboard.press("Escape")
    await line.says(*frames.told("m1", "response", "One."), *frames.told("m2", "response", "Two."))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 2 new messages")

    await ana.launcher.click()

    await expect(ana.launcher).to_have_accessible_name("Chat with us")
    await ana.sees("Robin: One.", "Robin: Two.")


async def test_a_reader_who_scrolled_back_is_not_moved(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    for number in range(12):
        await line.says(*frames.told(f"m{number}", "response", f"Line {number}\n\n- a\n- b"))
    await expect(ana.message("Line 11")).to_be_in_viewport()
    await ana.panel.locator(".scroller").evaluate("node => { node.scrollTop = 0; }")
    await expect(ana.button("Newest messages")).to_be_visible()

    await line.says(*frames.told("last", "response", "The end."))

    await expect(ana.message("The end.")).not_to_be_in_viewport()
    await ana.button("Newest messages").click()
    await expect(ana.message("The end.")).to_be_in_viewport()
    await expect(ana.button("Newest messages")).to_be_hidden()
    await ana.has_focus_on("Conversation")


async def test_a_customer_who_sends_a_message_sees_the_answer(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    for number in range(12):
        await line.says(*frames.told(f"m{number}", "response", f"Line {number}\n\n- a\n- b"))
    await expect(ana.message("Line 11")).to_be_in_viewport()
    await ana.panel.locator(".scroller").evaluate("node => { node.scrollTop = 0; }")
    await expect(ana.button("Newest messages")).to_be_visible()
    await ana.says("And now?")
    await expect(ana.message("And now?")).to_be_in_viewport()
    await expect(ana.button("Newest messages")).to_be_hidden()
    await line.says(*frames.told("next", "response", "Now we are closed."))
    await expect(ana.message("Now we are closed.")).to_be_in_viewport()
    await ana.page.keyboard.press("Escape")
    await expect(ana.panel).to_be_hidden()
    await expect(ana.launcher).to_have_accessible_name("Chat with us")


async def test_a_chat_that_is_opened_again_shows_the_newest_messages(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    for number in range(12):
        await line.says(*frames.told(f"m{number}", "response", f"Line {number}\n\n- a\n- b"))
    await expect(ana.message("Line 11")).to_be_in_viewport()
    await ana.panel.locator(".scroller").evaluate("node => { node.scrollTop = 0; }")
    await expect(ana.button("Newest messages")).to_be_visible()
    await ana.page.keyboard.press("Escape")
    await expect(ana.panel).to_be_hidden()
    await line.says(*frames.told("next", "response", "Now we are closed."))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")
    await ana.launcher.click()
    await expect(ana.message("Now we are closed.")).to_be_in_viewport()
    await expect(ana.launcher).to_have_accessible_name("Chat with us")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (320, 568)])
async def test_on_a_phone_the_panel_fills_the_screen(
    arrive: Arrive, server: FakeServer, width: int, height: int
) -> None:
    frames = Numbered()
    ana = await arrive(server.url, width=width, height=height)
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(
        *frames.told("m1", "response", "W" * 200), frames.tool_started("c", "checking " + "w" * 90)
    )
    await line.says(*frames.asked())
    await expect(ana.button("Yes")).to_be_in_viewport()

    assert await ana.panel.bounding_box() == {"x": 0, "y": 0, "width": width, "height": height}
    widest = await ana.panel.evaluate(
        "node => Math.max(document.documentElement.scrollWidth, node.scrollWidth,"
        " node.querySelector('.scroller').scrollWidth)"
    )
    assert widest <= width
    await expect(ana.field).to_be_in_viewport()
    assert await ana.page.evaluate(SMALL_TARGETS) == []
    for _ in range(12):
        await ana.page.keyboard.press("Tab")
        assert await ana.focused() not in {"Chat with us", "Frames", "Ask our assistant"}

    await ana.page.keyboard.press("Escape")

    await expect(ana.panel).to_be_hidden()
    await ana.has_focus_on("Chat with us")
    assert ana.complaints == []


async def test_a_window_that_becomes_narrow_keeps_the_text_that_was_begun(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.field.fill("half a sen")
    await ana.page.set_viewport_size({"width": 390, "height": 700})
    await expect(ana.panel).to_have_css("width", "390px")
    await expect(ana.page.locator(":modal")).to_have_count(1)
    await expect(ana.field).to_have_value("half a sen")
    await ana.page.set_viewport_size({"width": 1280, "height": 800})
    await expect(ana.panel).to_have_css("width", "400px")
    await expect(ana.page.locator(":modal")).to_have_count(0)
    await expect(ana.field).to_have_value("half a sen")

"""How the chat looks: themes, a site's own colours, writing directions, and pages that get in its way."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.scenes import Numbered
from tests.browser.states import STATES
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

HOSTILE = """() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        * { all: unset !important; color: red !important; font: 30px/3 cursive !important;
            direction: rtl !important; text-transform: uppercase !important; white-space: pre !important;
            letter-spacing: 1em !important; text-align: center !important; text-indent: 3em !important;
            word-spacing: 1em !important; line-height: 4 !important; cursor: wait !important }
        html { transform: none !important }
    `);
    document.adoptedStyleSheets = [sheet];
}"""

LOOKS = """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll(".root *")].map(node => {
    const style = getComputedStyle(node);
    const { x, y, width, height } = node.getBoundingClientRect();
    return [node.className, [x, y, width, height].map(Math.round), style.color, style.font, style.direction,
        style.textTransform, style.letterSpacing, style.textAlign, style.textIndent, style.cursor].join(" ");
})"""

SMALL = """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("button, textarea")]
    .map(node => [node.className, node.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && (box.width < 44 || box.height < 44))
    .map(([name, box]) => `${name} ${box.width} x ${box.height}`)"""

PAPER = "node => getComputedStyle(node).backgroundColor"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(23, 32, 31)"


async def test_a_page_that_resets_all_styles_changes_nothing(ana: Visitor, server: FakeServer) -> None:
    await STATES["answered"](ana, server)
    await ana.page.mouse.move(0, 0)
    before = await ana.page.evaluate(LOOKS)
    await ana.page.evaluate(HOSTILE)
    assert await ana.page.evaluate(LOOKS) == before
    await ana.page.evaluate("() => { document.adoptedStyleSheets = []; }")


@pytest.mark.parametrize(
    ("system", "theme", "paper"),
    [
        ("light", None, LIGHT),
        ("dark", None, DARK),
        ("light", "dark", DARK),
        ("dark", "light", LIGHT),
        ("dark", "auto", DARK),
        ("dark", "pink", DARK),
    ],
)
async def test_the_theme_follows_the_system_unless_the_page_chooses(
    ana: Visitor, server: FakeServer, system: str, theme: str | None, paper: str
) -> None:
    await ana.page.emulate_media(color_scheme="dark" if system == "dark" else "light")
    await ana.opens_chat()
    await server.welcomed()
    if theme is not None:
        await ana.tells("setTheme", theme)
    await expect(ana.panel).to_have_css("background-color", paper)


async def test_a_site_sets_its_colours_and_sizes(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.page.evaluate(
        """() => {
            const sheet = new CSSStyleSheet();
            sheet.replaceSync(`meanwhile-chat {
                --meanwhile-accent: rgb(120, 20, 60); --meanwhile-on-accent: rgb(255, 250, 240);
                --meanwhile-font: Georgia, serif; --meanwhile-radius: 4px; --meanwhile-width: 320px;
                --meanwhile-height: 500px; --meanwhile-edge: 40px; --meanwhile-z-index: 7;
            }
            meanwhile-chat::part(title) { font-variant: small-caps; }`);
            document.adoptedStyleSheets = [sheet];
        }"""
    )
    await expect(ana.launcher).to_have_css("background-color", "rgb(120, 20, 60)")
    await expect(ana.launcher).to_have_css("color", "rgb(255, 250, 240)")
    await expect(ana.launcher).to_have_css("bottom", "40px")
    await expect(ana.panel).to_have_css("border-radius", "4px")
    await expect(ana.panel).to_have_css("z-index", "7")
    await expect(ana.panel).to_have_css("font-family", "Georgia, serif")
    await expect(ana.panel.locator(".title")).to_have_css("font-variant", "small-caps")
    box = await ana.panel.bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (320, 500)
    await ana.page.evaluate("() => { document.adoptedStyleSheets = []; }")


async def test_there_are_no_inline_styles(ana: Visitor, server: FakeServer) -> None:
    await STATES["answered"](ana, server)
    inline = await ana.page.evaluate(
        """() => [...document.querySelector("meanwhile-chat").shadowRoot.querySelectorAll("[style], style, link")]
            .map(node => node.outerHTML)"""
    )
    assert inline == []


async def test_in_right_to_left_pages_the_chat_is_on_the_left(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.visits()
    await ana.tells("setLocale", "ar")
    await ana.launcher.click()
    line = await server.welcomed()
    await line.says(
        *frames.told("m1", "response", "We are open."), *frames.told("m2", "response", "نحن مفتوحون.")
    )
    await expect(ana.panel.locator(".bubble")).to_have_count(2)
    await expect(ana.panel).to_have_css("direction", "rtl")
    launcher, panel = await ana.launcher.bounding_box(), await ana.panel.bounding_box()
    assert launcher is not None
    assert panel is not None
    assert (launcher["x"], panel["x"]) == (24, 24)
    # Our own words are English there: they keep to the right, and their full stops to the end.
    style = "node => { const { textAlign, unicodeBidi } = getComputedStyle(node, '::placeholder'); "
    assert await ana.panel.locator(".text").evaluate(style + "return [textAlign, unicodeBidi]; }") == [
        "right",
        "plaintext",
    ]
    directions = await ana.panel.locator(".bubble").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node).direction)"
    )
    assert directions == ["ltr", "rtl"]


async def test_with_forced_colours_each_bubble_and_button_has_an_outline(
    ana: Visitor, server: FakeServer
) -> None:
    await STATES["asked_back"](ana, server)
    await ana.page.emulate_media(forced_colors="active")
    outlines = await ana.panel.locator(".bubble, .question button, .composer, .greeting").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node))"
        ".map(style => style.borderTopStyle !== 'none' && style.borderTopColor === style.color)"
    )
    await ana.page.emulate_media(forced_colors="none")
    assert len(outlines) >= 6
    assert all(outlines)


async def test_nothing_moves_with_reduced_motion(ana: Visitor, server: FakeServer) -> None:
    await STATES["looking_up"](ana, server)
    moving = "() => document.querySelector('meanwhile-chat').shadowRoot.getAnimations().length"
    assert await ana.page.evaluate(moving) == 0
    await ana.page.emulate_media(reduced_motion="no-preference")
    assert await ana.page.evaluate(moving) > 0


async def test_a_screen_keyboard_does_not_cover_the_field(arrive: Arrive, server: FakeServer) -> None:
    ana = await arrive(server.url, width=390, height=844)
    await ana.opens_chat()
    await server.welcomed()
    await ana.page.evaluate(
        """() => {
            Object.defineProperties(visualViewport, { height: { get: () => 420 }, offsetTop: { get: () => 30 } });
            visualViewport.dispatchEvent(new Event("resize"));
        }"""
    )
    assert await ana.panel.bounding_box() == {"x": 0, "y": 30, "width": 390, "height": 420}
    box = await ana.field.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 450
    assert ana.complaints == []


async def test_on_touch_screens_the_greeting_is_visible_before_the_keyboard(
    arrive: Arrive, server: FakeServer
) -> None:
    ana = await arrive(server.url, width=390, height=844)
    async with _by_touch(ana):
        await ana.opens_chat()
        await server.welcomed()
        await expect(ana.panel).to_be_visible()
        await ana.has_focus_on("Conversation")


async def test_on_touch_screens_each_button_is_large_enough(arrive: Arrive, server: FakeServer) -> None:
    ana = await arrive(server.url, width=390, height=844)
    async with _by_touch(ana):
        for state in ("intro", "answered", "asked_back", "in_trouble", "scrolled_up"):
            await STATES[state](ana, server)
            assert await ana.page.evaluate(SMALL) == []
            await ana.leaves()


@asynccontextmanager
async def _by_touch(ana: Visitor) -> AsyncGenerator[None]:
    devices = await ana.page.context.new_cdp_session(ana.page)
    await devices.send("Emulation.setTouchEmulationEnabled", {"enabled": True})  # pyright: ignore[reportUnknownMemberType]
    yield
    await devices.send("Emulation.setTouchEmulationEnabled", {"enabled": False})  # pyright: ignore[reportUnknownMemberType]
    await devices.detach()

"""Every screen in each state: nothing for axe-core to complain about, and nothing beyond the edge of the window."""

from dataclasses import replace

import pytest
from playwright.async_api import expect

from tests.browser.axe import Axe
from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, FakeConsole
from tests.browser.console.states import STATES

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CONTRASTS = """() => [...document.querySelectorAll(".pair")].map(pair => [
    pair.querySelector(".named").textContent.trim(),
    Number(pair.querySelector(".measured").textContent),
    Number(pair.dataset.least),
])"""

ACCENT = "() => getComputedStyle(document.documentElement).getPropertyValue('--accent')"
USES_ACCENT = f"() => ({ACCENT})().includes('oklch')"

SMALL = """() => [...document.querySelectorAll("button, select, .input, .place, .segments label")]
    .map(node => [node, node.getBoundingClientRect()])
    .filter(([, box]) => box.width > 0 && box.height < 44)
    .map(([node, box]) => `${node.className} ${box.height}`)"""


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("state", STATES)
async def test_axe_finds_nothing(
    console: ConsolePage, server: FakeConsole, axe: Axe, state: str, width: int
) -> None:
    await console.page.set_viewport_size({"width": width, "height": 844})
    await STATES[state](console, server)

    assert await axe(console.page) == {}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("state", STATES)
async def test_nothing_is_beyond_the_edge(
    console: ConsolePage, server: FakeConsole, state: str, language: str
) -> None:
    await console.open()
    await console.page.evaluate("one => localStorage.setItem('meanwhile_console_locale', one)", language)
    server.people[ANA.id] = replace(ANA, language=language)
    await STATES[state](console, server)

    for width in (1280, 900, 390, 320):
        await console.page.set_viewport_size({"width": width, "height": 800})
        assert await console.outside() == [], width


async def test_every_colour_has_the_contrast_that_it_needs(console: ConsolePage, server: FakeConsole) -> None:
    await STATES["design"](console, server)
    contrasts = await console.page.evaluate(CONTRASTS)

    assert len(contrasts) == 40
    assert [one for one in contrasts if one[1] < one[2]] == []


async def test_any_colour_of_a_company_can_be_read(console: ConsolePage, server: FakeConsole) -> None:
    seen = set[str]()
    for accent in ("#ffff00", "#0000ff", "#ff0000", "#00ff66", "#7a2e5c", "#ffffff", "#000000", "#808080"):
        server.accent = accent
        await STATES["design"](console, server)
        for scheme in ("light", "dark"):
            await console.page.emulate_media(color_scheme=scheme)
            await console.page.reload()
            await expect(console.page.locator(".measured").first).not_to_be_empty()
            await console.page.wait_for_function(USES_ACCENT)
            contrasts = await console.page.evaluate(CONTRASTS)
            assert [one for one in contrasts if one[1] < one[2]] == [], (accent, scheme)
            seen.add(await console.page.evaluate(ACCENT))

    assert len(seen) == 8


@pytest.mark.parametrize("state", ["people", "new_person", "audit", "places"])
async def test_large_rows_give_every_target_44_px(
    console: ConsolePage, server: FakeConsole, state: str
) -> None:
    await console.page.set_viewport_size({"width": 390, "height": 844})
    await console.open()
    await console.page.evaluate("() => localStorage.setItem('meanwhile_console_density', 'comfortable')")
    await STATES[state](console, server)

    assert await console.page.evaluate(SMALL) == []

"""axe-core looks at a page, or at the chat on it, in three colour schemes."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Literal, TypeAlias

from playwright.async_api import Page

SOURCE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"

Axe: TypeAlias = Callable[[Page], Awaitable[dict[str, list[str]]]]
"""What is wrong with a page, by colour scheme; empty where nothing is."""

_SCHEMES: tuple[Literal["light", "dark", "forced"], ...] = ("light", "dark", "forced")

_FOUND = """async (part) => {
    const { violations, passes } = await axe.run(part, { resultTypes: ["violations", "passes"] });
    return [
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" ")}`),
        passes.length,
    ];
}"""


async def found(page: Page, source: str, part: str = "meanwhile-chat") -> dict[str, list[str]]:
    """What axe-core, given by its source, has to complain about in a part of the page, in each scheme."""
    await page.evaluate(source)
    complaints: dict[str, list[str]] = {}
    for scheme in _SCHEMES:
        await _light_up(page, scheme)
        wrong, looked_at = await page.evaluate(_FOUND, part)
        assert looked_at > 10
        if wrong:
            complaints[scheme] = wrong
    await _light_up(page, "light")
    return complaints


async def _light_up(page: Page, scheme: Literal["light", "dark", "forced"]) -> None:
    await page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light",
        forced_colors="active" if scheme == "forced" else "none",
        reduced_motion="reduce",
    )

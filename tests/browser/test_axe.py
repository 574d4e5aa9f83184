"""axe-core finds nothing to complain about: in twelve states, three colour schemes, on a desk and on a phone."""

import os
from pathlib import Path
from typing import Literal, TypeAlias

import pytest

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.states import STATES
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"

Scheme: TypeAlias = Literal["light", "dark", "forced"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark", "forced")

FOUND = """async () => {
    const { violations, passes } = await axe.run("meanwhile-chat", { resultTypes: ["violations", "passes"] });
    return [
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html).join(" ")}`),
        passes.length,
    ];
}"""


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, which `npm ci` puts there."""
    if not AXE.exists():
        missing = "no axe-core: run `npm ci` in web/"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return AXE.read_text()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("state", STATES)
async def test_axe_finds_nothing(
    arrive: Arrive, server: FakeServer, axe: str, state: str, width: int
) -> None:
    ana = await arrive(server.url, width=width, height=844)
    await STATES[state](ana, server)
    await ana.page.evaluate(axe)
    found: dict[Scheme, list[str]] = {}
    for scheme in SCHEMES:
        await _light_up(ana, scheme)
        found[scheme], looked_at = await ana.page.evaluate(FOUND)
        assert looked_at > 10
    await _light_up(ana, "light")
    assert found == {scheme: [] for scheme in SCHEMES}


async def _light_up(ana: Visitor, scheme: Scheme) -> None:
    await ana.page.emulate_media(
        color_scheme="dark" if scheme == "dark" else "light",
        forced_colors="active" if scheme == "forced" else "none",
        reduced_motion="reduce",
    )

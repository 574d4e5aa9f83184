"""axe-core finds no problem while a customer speaks, on a desktop and on a phone."""

import pytest

from tests.browser.axe import Axe
from tests.browser.fake_server import FakeServer
from tests.browser.visitor import Visitor
from tests.browser.voice_states import VOICE_STATES

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

STYLED = "node => [...node.querySelectorAll('[style], style')].map(one => one.outerHTML)"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("state", VOICE_STATES)
async def test_axe_finds_no_problem_while_a_customer_speaks(
    ben: Visitor, server: FakeServer, axe: Axe, state: str, width: int
) -> None:
    await ben.page.set_viewport_size({"width": width, "height": 844})
    await VOICE_STATES[state](ben, server)
    assert await axe(ben.page) == {}
    assert await ben.panel.evaluate(STYLED) == []
    wide = "node => node.scrollWidth > node.clientWidth"
    assert not await ben.panel.evaluate(wide)
    await ben.page.mouse.up()

"""axe-core finds no problem: twelve states, three colour schemes, desktop and phone."""

import pytest

from tests.browser.axe import Axe
from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer
from tests.browser.states import STATES

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("state", STATES)
async def test_axe_finds_no_problem(
    arrive: Arrive, server: FakeServer, axe: Axe, state: str, width: int
) -> None:
    ana = await arrive(server.url, width=width, height=844)
    await STATES[state](ana, server)
    assert await axe(ana.page) == {}

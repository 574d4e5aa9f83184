"""The console in Chromium, with a server whose accounts the test makes."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio
from playwright.async_api import Page

from tests.browser.axe import Axe
from tests.browser.conftest import axe_for
from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import FakeConsole


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncGenerator[FakeConsole]:
    """A console's server, with Ana, an admin, and Ben, an agent."""
    async with FakeConsole().running() as fake:
        yield fake


@pytest_asyncio.fixture(loop_scope="session")
async def console(page: Page, server: FakeConsole) -> AsyncGenerator[ConsolePage]:
    """The console in a tab, before it is loaded. The page must not have complained when the test is over."""
    await page.set_viewport_size({"width": 1280, "height": 800})
    opened = ConsolePage(page, server.url)
    yield opened
    await opened.leave()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def axe() -> Axe:
    """Has axe-core look at the whole page."""
    return axe_for("html")

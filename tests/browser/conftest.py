"""One Chromium for the whole run; a new server, at an address of its own, for each test."""

import os
from collections.abc import AsyncGenerator, Awaitable
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio
from playwright.async_api import Page, async_playwright

from tests.browser.fake_server import FakeServer
from tests.browser.visitor import Visitor

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]


class Arrive(Protocol):
    """Sends a visitor to an address."""

    def __call__(self, url: str, *, width: int = 1280, height: int = 800) -> Awaitable[Visitor]:
        """The visitor, before the page is loaded."""
        ...


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def page() -> AsyncGenerator[Page]:
    """A tab in Chromium. Missing, Chromium fails where all is to be checked, and skips on a laptop."""
    if not CHROMIUM.exists():
        missing = f"no Chromium at {CHROMIUM}: the page was not tested in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        context = await chromium.new_context(reduced_motion="reduce")
        yield await context.new_page()
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncGenerator[FakeServer]:
    """A server that says what the test tells it to."""
    async with FakeServer().running() as fake:
        yield fake


@pytest_asyncio.fixture(loop_scope="session")
async def arrive(page: Page) -> AsyncGenerator[Arrive]:
    """Sends a visitor to an address.

    A new tab takes longer than most tests: all share one, which forgets everything in between.
    """
    visitors: list[Visitor] = []

    async def sent(url: str, *, width: int = 1280, height: int = 800) -> Visitor:
        await page.set_viewport_size({"width": width, "height": height})
        visitors.append(Visitor(page, url))
        return visitors[-1]

    yield sent
    for visitor in visitors:
        await visitor.leaves()
    await page.emulate_media(color_scheme="light", reduced_motion="reduce")


class OpenTab(Protocol):
    """Opens another tab of the same browser."""

    def __call__(self, url: str) -> Awaitable[Visitor]:
        """The same visitor there, before the page is loaded."""
        ...


@pytest_asyncio.fixture(loop_scope="session")
async def open_tab(page: Page) -> AsyncGenerator[OpenTab]:
    """Opens further tabs, which share what the browser keeps with the first; closes them in the end."""
    tabs: list[Page] = []

    async def opened(url: str) -> Visitor:
        tabs.append(await page.context.new_page())
        return Visitor(tabs[-1], url)

    yield opened
    for tab in tabs:
        await tab.close()


@pytest_asyncio.fixture(loop_scope="session")
async def ana(arrive: Arrive, server: FakeServer) -> AsyncGenerator[Visitor]:
    """A customer at a desk. The page must not have complained when the test is over."""
    visitor = await arrive(server.url)
    yield visitor
    assert visitor.complaints == []

"""One Chromium for the whole run; a fresh profile, a fresh page and a fresh server for each test."""

import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, ViewportSize, async_playwright

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
DESKTOP = ViewportSize(width=1280, height=800)


class Arrive(Protocol):
    """Opens a tab at an address."""

    def __call__(self, url: str, *, width: int = 1280, height: int = 800) -> Awaitable[Visitor]:
        """The tab's visitor; the page is not loaded yet."""
        ...


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """Chromium, started once. Missing, it fails where all is to be checked, and skips on a laptop."""
    if not CHROMIUM.exists():
        missing = f"no Chromium at {CHROMIUM}: the page was not tested in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        await chromium.close()


@pytest_asyncio.fixture(loop_scope="session")
async def server() -> AsyncGenerator[FakeServer]:
    """A server that says what the test tells it to."""
    async with FakeServer().running() as fake:
        yield fake


@pytest_asyncio.fixture(loop_scope="session")
async def arrive(browser: Browser) -> AsyncGenerator[Arrive]:
    """Opens tabs, each with a profile of its own, and closes them in the end."""
    async with AsyncExitStack() as contexts:

        async def opened(url: str, *, width: int = 1280, height: int = 800) -> Visitor:
            context = await browser.new_context(
                viewport=ViewportSize(width=width, height=height), reduced_motion="reduce"
            )
            contexts.push_async_callback(_close(context))
            return Visitor(await context.new_page(), url)

        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def ana(arrive: Arrive, server: FakeServer) -> AsyncGenerator[Visitor]:
    """A customer at a desk. The page must not have complained when the test is over."""
    visitor = await arrive(server.url)
    yield visitor
    assert visitor.complaints == []


def _close(context: BrowserContext) -> Callable[[], Awaitable[None]]:
    async def close() -> None:
        await context.close()

    return close

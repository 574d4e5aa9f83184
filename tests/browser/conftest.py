"""One Chromium for the whole run; a new server, at an address of its own, for each test."""

import os
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.axe import SOURCE, Axe, found
from tests.browser.fake_server import FakeServer
from tests.browser.sound import tone, write_wav
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


HEARS = [
    "--use-fake-device-for-media-stream",
    "--autoplay-policy=no-user-gesture-required",
    "--host-resolver-rules=MAP shop.test 127.0.0.1",
]
"""A microphone that plays a file, silent loudspeakers, and a host name that is not this machine's."""


class Arrive(Protocol):
    """Sends a visitor to an address."""

    def __call__(self, url: str, *, width: int = 1280, height: int = 800) -> Awaitable[Visitor]:
        """The visitor, before the page is loaded."""
        ...


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def page() -> AsyncGenerator[Page]:
    """A tab in Chromium."""
    async with opened_chromium() as chromium:
        context = await chromium.new_context(reduced_motion="reduce")
        yield await context.new_page()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def hearing_page(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Page]:
    """A tab of a Chromium with a microphone, in which a whistle of 1 kHz is heard without end."""
    whistle = tmp_path_factory.mktemp("sound") / "whistle.wav"
    write_wav(whistle, tone(1_000, seconds=2.0, rate=48_000), rate=48_000)
    async with opened_chromium(*HEARS, f"--use-file-for-fake-audio-capture={whistle}") as chromium:
        context = await chromium.new_context(reduced_motion="reduce")
        yield await context.new_page()


@asynccontextmanager
async def opened_chromium(*arguments: str) -> AsyncGenerator[Browser]:
    """A browser of one's own. Missing, Chromium fails where all is to be checked, and skips on a laptop."""
    if not CHROMIUM.exists():
        missing = f"no Chromium at {CHROMIUM}: the page was not tested in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *arguments])
        yield chromium
        await chromium.close()


@pytest.fixture(scope="session")
def axe() -> Axe:
    """Has axe-core, which `npm ci` puts there, look at the chat."""
    return axe_for("meanwhile-chat")


def axe_for(part: str) -> Axe:
    """Has axe-core look at a part of a page, given by its selector."""
    if not SOURCE.exists():
        missing = "no axe-core: run `npm ci` in web/"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    source = SOURCE.read_text()
    return lambda page: found(page, source, part)


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


@pytest_asyncio.fixture(loop_scope="session")
async def ben(hearing_page: Page, server: FakeServer) -> AsyncGenerator[Visitor]:
    """A customer with a microphone, which the page may use. The page must not have complained in the end."""
    await hearing_page.context.grant_permissions(["microphone"])
    await hearing_page.set_viewport_size({"width": 1280, "height": 800})
    visitor = Visitor(hearing_page, server.url)
    yield visitor
    await visitor.leaves()
    await hearing_page.context.clear_permissions()
    assert visitor.complaints == []

"""A company's own site around the chat: on another port of this machine, so of another origin."""

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from aiohttp import web
from playwright.async_api import Browser, Page, async_playwright

from assistant.shipped import shipped
from assistant.store.sqlite.credentials import SqliteUsedTokens
from tests.server.running_server import RunningServer, new_server, opened
from tests.server.site import Site, believing

CHROMIUM = Path("/usr/bin/chromium")


@dataclass(frozen=True, kw_only=True)
class Shop:
    """The site, and the chat's server behind it."""

    address: str
    chat: str
    server: RunningServer
    site: Site


Html = Callable[[Shop], str]


@asynccontextmanager
async def shop_with(
    tmp_path: Path, pages: dict[str, Html], *, listed: bool = True, policy: Html | None = None
) -> AsyncGenerator[Shop]:
    """A site with these pages, each under ``policy``; ``listed``: the chat lets it in."""
    closed, used = new_server(), SqliteUsedTokens(tmp_path / "used.db")
    application = web.Application()
    runner = web.AppRunner(application)
    shops: list[Shop] = []

    def serving(html: Html) -> Callable[[web.Request], object]:
        async def page(request: web.Request) -> web.Response:
            headers = {} if policy is None else {"Content-Security-Policy": policy(shops[0])}
            return web.Response(text=html(shops[0]), content_type="text/html", headers=headers)

        return page

    for path, html in pages.items():
        application.router.add_get(path, serving(html))  # pyright: ignore[reportArgumentType]
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    origins = frozenset({address}) if listed else frozenset[str]()
    closed.context = replace(closed.context, origins=origins, site=believing(closed.clock, used))
    async with opened(closed, web_dir=shipped("web")) as server:
        chat = f"http://127.0.0.1:{server.port}"
        shops.append(Shop(address=address, chat=chat, server=server, site=Site(server.clock)))
        yield shops[0]
    await runner.cleanup()
    await used.close()


@asynccontextmanager
async def browser() -> AsyncGenerator[Browser]:
    """A Chromium of its own. Missing, it fails where all is to be checked, and skips on a laptop."""
    if not CHROMIUM.exists():
        missing = f"no Chromium at {CHROMIUM}: nothing was tested in a browser"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield chromium
        finally:
            await chromium.close()


@asynccontextmanager
async def visiting(chromium: Browser) -> AsyncGenerator[Page]:
    """A tab of a new visitor."""
    context = await chromium.new_context()
    try:
        yield await context.new_page()
    finally:
        await context.close()

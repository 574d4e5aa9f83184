"""Takes the README's pictures of the page anew: ``python -m tests.docs.take_pictures``."""

import asyncio
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, async_playwright

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "images"
CHROMIUM = "/usr/bin/chromium"
BEGUN = "2026-11-21T10:00"
DESKTOP = ViewportSize(width=1280, height=800)
PHONE = ViewportSize(width=390, height=844)


async def asks_for_two_things(page: Page) -> None:
    """The conversation that everything is about."""
    await page.locator("meanwhile-chat .launcher").click()
    await page.get_by_role("button", name="Check my appointments and billing").click()
    await page.get_by_role("log").get_by_text("your balance is").wait_for()


async def is_asked_back(page: Page) -> None:
    """Two things at once, then one that has to be confirmed."""
    await asks_for_two_things(page)
    field = page.get_by_role("textbox", name="Your message")
    await field.fill("Cancel my Tuesday appointment")
    await field.press("Enter")
    await page.get_by_role("button", name="Yes", exact=True).wait_for()


async def looks_at_the_console(page: Page, link: str) -> None:
    """Sign in with the link, and keep a waiting customer, and a conversation with its timeline."""
    await page.clock.install(time=f"{BEGUN}:30")  # the server's day, for "4 minutes ago"
    await page.goto(link)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_role("button", name="Not now").click()
    await page.locator(".conversation-row", has_text="Jonas Weber").click()
    await page.get_by_text("should arrive on").first.wait_for()
    await _keep(page, "console-inbox.png")
    await page.get_by_role("link", name="Conversations").first.click()
    row = page.locator("#conversation-sample-appointments-and-billing-1")
    while await row.count() == 0:  # the list has them a few seconds after they were stored
        await page.wait_for_timeout(2_000)
        await page.goto(page.url)
        await page.get_by_role("heading", level=1).wait_for()
        await page.wait_for_timeout(2_000)
    await row.click()
    await page.locator(".sections").wait_for()
    await _keep(page, "console-conversation.png")


async def take(url: str, link: str) -> None:
    """Talk to the page at ``url``, in a desktop's and a phone's window, open the console with ``link``, and keep
    screenshots.
    """
    async with async_playwright() as playwright:
        chromium = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        desktop = await _open(chromium, url, DESKTOP)
        await asks_for_two_things(desktop)
        await _keep(desktop, "page.png")
        phone = await _open(chromium, url, PHONE)
        await is_asked_back(phone)
        await _keep(phone, "phone.png")
        await looks_at_the_console(await _open(chromium, url, DESKTOP), link)
        await chromium.close()


async def _open(chromium: Browser, url: str, size: ViewportSize) -> Page:
    context = await chromium.new_context(viewport=size, color_scheme="light", reduced_motion="reduce")
    page = await context.new_page()
    await page.goto(url)
    return page


async def _keep(page: Page, name: str) -> None:
    await page.wait_for_timeout(500)
    await page.screenshot(path=PICTURES / name)


def main() -> None:
    """Serve from an empty data folder, on the demo's own Saturday, and take the pictures."""
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [sys.executable, "-m", "assistant", "serve", "--port", "0", "--sample"],
            cwd=ROOT,
            env={**os.environ, "ASSISTANT_DATA_DIR": data, "ASSISTANT_NOW": BEGUN},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            told = server.stdout.readline() + server.stdout.readline()
            url, link = (word for word in told.split() if word.startswith("http"))
            asyncio.run(take(url, link))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()

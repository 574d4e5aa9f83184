"""The console with the real server: from the link that it prints to a colleague who may not see everything."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.console.console_page import ConsolePage

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOT = Path(__file__).resolve().parents[3]
START_S = 60.0
PASSWORD = "several words of Robin"


async def test_the_first_admin_adds_a_colleague(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})
    async with _served(tmp_path) as link:
        console = ConsolePage(page, link.partition("/link#")[0])
        await console.open(f"/link#{link.partition('#')[2]}")
        await console.button("Sign in").click()
        await console.field("New password").fill(PASSWORD)
        await console.button("Save the password").click()
        await console.shows("Inbox")

        await page.get_by_role("link", name="People").click()
        await console.button("Add a person").click()
        await console.field("E-mail address or login").fill("kim@example.com")
        await console.field("Name").fill("Kim Lee")
        await page.get_by_role("checkbox", name="Agent").check()
        await console.button("Add and make a link").click()
        invitation = await console.field("One-time link").input_value()
        await console.button("Done").click()
        await page.get_by_role("link", name="Audit").click()
        await expect(console.row("New person")).to_contain_text("Account Kim Lee")
        await expect(console.row("Sign-in with a link")).to_contain_text("Done")
        await console.button("Admin: Account menu").click()
        await console.field("Language").select_option("Deutsch")
        await expect(console.heading).to_have_text("Protokoll")
        await console.button("Abmelden").click()
        await expect(console.heading).to_have_text("Anmelden")

        await console.open(f"/link#{invitation.partition('#')[2]}")
        await page.locator(".primary").click()
        await page.locator("#new-password").fill("many words that Kim likes")
        await page.locator("#password-form .primary").click()
        await console.shows("Inbox")
        await expect(console.places).to_have_text(["Inbox", "Conversations", "Knowledge", "Health"])
        await console.button("Kim Lee: Account menu").click()
        await console.button("Sign out").click()
        await page.evaluate("() => localStorage.clear()")

        await console.open("/people")
        await console.sign_in("admin", "wrong")
        await expect(console.problem).to_contain_text("Login or password is wrong.")
        await console.sign_in("admin", PASSWORD)
        await expect(console.heading).to_have_text("Personen")
        await console.row("Kim Lee").get_by_role("button", name="sperren").click()
        await console.dialog.locator(".danger").click()
        await expect(console.row("Kim Lee")).to_contain_text("Gesperrt")
        await console.leave()
        assert console.complaints == []


@asynccontextmanager
async def _served(data: Path) -> AsyncGenerator[str]:
    """Serve for as long as the block runs; gives the link that the server prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "serve", "--port", "0"),
        cwd=ROOT,
        env=os.environ | {"ASSISTANT_DATA_DIR": str(data)},
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        said = ""
        async with asyncio.timeout(START_S):
            while not (found := re.search(r"http://\S+/console/link#\S+", said)):
                said += (await process.stdout.readline()).decode()
        yield found[0]
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()

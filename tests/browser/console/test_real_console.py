"""The console with the real server: from the link that it prints to a colleague who may not see everything."""

import asyncio
import os
import re
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.console.console_page import ConsolePage
from tests.support.openid_provider import CLIENT, EVA, SECRET, OpenIdProvider

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ROOT = Path(__file__).resolve().parents[3]
START_S = 60.0
PASSWORD = "several words of Robin"


async def test_the_first_admin_adds_a_colleague(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})
    async with served_console(tmp_path) as link:
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
        await page.evaluate("() => localStorage.clear()")  # Kim has another browser

        await console.open(f"/link#{invitation.partition('#')[2]}")
        await page.locator(".primary").click()
        await page.locator("#new-password").fill("many words that Kim likes")
        await page.locator("#password-form .primary").click()
        await console.shows("Inbox")
        await expect(console.places).to_have_text(
            ["Inbox", "Approvals", "Conversations", "Knowledge", "Health"]
        )
        await console.button("Kim Lee: Account menu").click()
        await console.button("Sign out").click()

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


async def test_a_demo_shows_examples_at_once(page: Page, tmp_path: Path) -> None:
    async with served_console(tmp_path, "--sample") as link:
        console = ConsolePage(page, link.partition("/link#")[0])
        await console.open(f"/link#{link.partition('#')[2]}")
        await console.button("Sign in").click()
        await console.button("Not now").click()
        await page.get_by_role("link", name="Conversations").first.click()

        for _ in range(20):  # the list has them after a few seconds
            await console.open("/conversations")
            await expect(console.heading).to_have_text("Conversations")
            await page.wait_for_timeout(3_000)
            if await page.locator(".found-row").count() == 11:
                break
        await expect(page.locator(".found-row")).to_have_count(11)
        await expect(page.get_by_text("With example conversations")).to_be_visible()
        await page.locator(".found-row", has_text="Please cancel order 10455").click()
        await expect(page.locator(".head .badge")).to_have_text("Example")
        await console.leave()
        assert console.complaints == []


async def test_eva_signs_in_with_her_company(page: Page, tmp_path: Path) -> None:
    await page.set_viewport_size({"width": 1280, "height": 800})
    async with OpenIdProvider(now_s=int(time.time())).running() as provider:
        company = {
            "ASSISTANT_OIDC_ISSUER": provider.issuer,
            "ASSISTANT_OIDC_CLIENT_ID": CLIENT,
            "ASSISTANT_OIDC_CLIENT_SECRET": SECRET,
            "ASSISTANT_OIDC_LABEL": "Acme ID",
            "ASSISTANT_OIDC_ROLES": '{"support": ["agent", "admin"]}',
            "ASSISTANT_CONSOLE_PASSWORDS": "false",
        }
        async with served_console(tmp_path, **company) as link:
            console = ConsolePage(page, link.partition("/link#")[0])
            await console.open("/audit?action=session.begin_by_provider")
            await page.get_by_role("link", name="Sign in with Acme ID").click()
            await expect(console.heading).to_have_text("Audit")
            await console.at("/audit?action=session.begin_by_provider")
            await expect(console.row("Sign-in at the company")).to_contain_text("Done")

            await console.button("Eva Lind: Account menu").click()
            await console.button("Sign out").click()
            await page.get_by_role("link", name="Sign out at Acme ID").click()
            await expect(console.heading).to_have_text("Sign in")
            await page.get_by_role("link", name="Sign in with Acme ID").click()
            await expect(console.problem).to_contain_text("You stopped the sign-in.")

            provider.person = dict(EVA, sub="u-sam", email="sam@shop.example", groups=["sales"])
            await page.get_by_role("link", name="Sign in with Acme ID").click()
            await expect(console.problem).to_contain_text("You have no role in this console.")
            await console.leave()
            assert console.complaints == []


@asynccontextmanager
async def served_console(data: Path, *options: str, **settings: str) -> AsyncGenerator[str]:
    """Serve for as long as the block runs; gives the link that the server prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant", "serve", "--port", "0", *options),
        cwd=ROOT,
        env=os.environ | {"ASSISTANT_DATA_DIR": str(data)} | settings,
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

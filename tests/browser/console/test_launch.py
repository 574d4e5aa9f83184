"""A supervised launch with the real server: a customer in one browser, a colleague in another one."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.test_real_console import served_console
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ASKS = "Check my appointments and billing"


async def test_a_colleague_approves_edits_and_rejects_replies(page: Page, tmp_path: Path) -> None:
    async with _launch(page, tmp_path) as (staff, ana):
        await _chooses(staff, "Approval")
        await staff.page.get_by_role("link", name="Approvals").click()
        await expect(staff.page.locator(".empty")).to_contain_text("Nothing waits for you")

        await ana.opens_chat()
        await ana.button(ASKS).click()
        await expect(ana.log).to_contain_text("I'll look up your appointments and check your billing.")
        await expect(ana.log).to_contain_text("A colleague reads it before you get it")
        reply = staff.page.locator("[data-reply]")
        await expect(reply).to_contain_text(ASKS)
        await expect(reply).to_contain_text("get_open_invoices")
        await expect(reply.locator("textarea")).to_have_value(re.compile(r"\$150"))
        await expect(ana.log).not_to_contain_text("$150")
        await reply.get_by_role("button", name="Send").click()
        await expect(ana.log.locator("article").last).to_contain_text("$150")

        await ana.says("When are you open?")
        await reply.locator("textarea").fill("Every day from nine to five.")
        await staff.button("Send my text").click()
        await expect(ana.log.locator("article").last).to_contain_text("Every day from nine to five.")
        await expect(ana.log.locator("article").last).to_contain_text("Admin")

        await ana.says("Where is my order?")
        await reply.get_by_role("button", name="Reject").click()
        await expect(ana.log).to_contain_text("A colleague will answer this for you personally")
        await staff.page.get_by_role("link", name="Inbox").click()
        await staff.page.locator("[data-row]").first.click()
        await expect(staff.page.locator(".said.proposal").last).to_contain_text("Rejected by Admin")


async def test_in_a_shadow_launch_an_agent_takes_the_proposed_answer_over(page: Page, tmp_path: Path) -> None:
    async with _launch(page, tmp_path) as (staff, ana):
        await _chooses(staff, "Shadow")
        await staff.page.get_by_role("link", name="Inbox").click()
        await ana.opens_chat()
        await ana.button(ASKS).click()
        await expect(ana.log).to_contain_text("I have asked a colleague to answer you here")

        await staff.page.locator("[data-row]").first.click()
        await expect(staff.page.locator(".said.proposal")).to_contain_text("$150")
        await expect(staff.page.locator(".said.proposal")).to_contain_text("was not sent: shadow launch")
        await staff.button("Take over").click()
        await staff.button("Use as my reply").click()
        await expect(staff.page.locator("#reply")).to_have_value(re.compile(r"\$150"))
        await expect(ana.log).not_to_contain_text("$150")
        await staff.page.locator(".reply .primary").click()

        await expect(ana.log.locator("article").last).to_contain_text("$150")


async def _chooses(staff: ConsolePage, mode: str) -> None:
    await staff.page.get_by_role("link", name="Stop").click()
    await staff.button("Change: Launch mode").click()
    await staff.dialog.get_by_text(mode, exact=True).click()
    await staff.button("Use this mode").click()
    await expect(staff.toast).to_contain_text(f"The launch mode is now: {mode}.")


@asynccontextmanager
async def _launch(page: Page, data: Path) -> AsyncGenerator[tuple[ConsolePage, Visitor]]:
    """An admin who is signed in, and a customer of the demo shop with her own browser."""
    browser = page.context.browser
    assert browser is not None
    await page.set_viewport_size({"width": 1280, "height": 900})
    async with served_console(data, ASSISTANT_NOW="2026-11-21T10:00") as link:
        staff = ConsolePage(page, link.partition("/link#")[0])
        await staff.open(f"/link#{link.partition('#')[2]}")
        await staff.button("Sign in").click()
        await staff.button("Not now").click()
        customers = await browser.new_context(reduced_motion="reduce")
        ana = Visitor(await customers.new_page(), link.partition("/console")[0])
        try:
            yield staff, ana
            await staff.leave()
            assert staff.complaints == []
            assert ana.complaints == []
        finally:
            await customers.close()

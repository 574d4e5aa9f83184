"""Whose conversation it is, in Chromium: rules, teams, promises and presence."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from assistant.policies.escalation import Escalation, EscalationRule, Promise
from assistant.prompts.word_list import WordList
from assistant.shipped import shipped
from assistant.testing.script import says
from tests.browser.axe import Axe
from tests.browser.console.console_page import ConsolePage
from tests.server.console.browser import PASSWORD
from tests.server.console.inbox_office import ASKED, open_inbox_office
from tests.server.console.test_people_at_work import BEN

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RULES = Escalation(
    rules=(
        EscalationRule(
            name="invoices", where="", words=WordList(("invoice",)), team="billing", priority="urgent"
        ),
    ),
    promises=(Promise(team="billing", first_response_min=30), Promise(first_response_min=240)),
)


async def test_an_agent_sees_what_is_due_why_it_came_and_for_whom(
    page: Page, tmp_path: Path, axe: Axe
) -> None:
    async with open_inbox_office(
        tmp_path, *ASKED, says("I see."), escalation=RULES, web_dir=shipped("web")
    ) as scene:
        console = ConsolePage(page, f"http://127.0.0.1:{scene.office.server.port}/console")
        await console.enter("/people", "ana", PASSWORD)
        await console.row("Kim").get_by_role("button").first.click()
        await console.field("Teams").fill("billing, repairs")
        await console.field("Skills").fill("de")
        await console.field("Conversations at a time").fill("3")
        await console.dialog.get_by_role("button", name="Save").click()
        await expect(console.row("Kim")).to_contain_text("billing · repairs · de")
        await page.context.clear_cookies()

        await (await scene.customer("c-2", BEN)).says("A person please")
        await (await scene.customer()).says("My invoice is wrong, and no one helps me")
        await page.clock.set_fixed_time(scene.inbox.clock.now())
        await console.enter("/inbox", "kim", PASSWORD)
        first, second = page.locator("[data-row]").nth(0), page.locator("[data-row]").nth(1)
        await expect(first).to_contain_text("Urgent")
        await expect(first).to_contain_text("First answer: 30 min left")
        await expect(first).to_contain_text("Kim can take it")
        await expect(second).to_contain_text("First answer: 4 h left")
        await page.get_by_label("Shown").select_option("billing")
        await expect(page.locator("[data-row]")).to_have_count(1)

        await page.get_by_label("Away").check()
        await expect(first).to_contain_text("30 min left")
        await first.click()
        await expect(page.locator(".side")).to_contain_text("invoices")
        await expect(page.locator(".side")).to_contain_text("said 'invoice'")
        await expect(page.locator(".said.event").first).to_contain_text('The rule "invoices" brought it here')
        for width in (1280, 390):
            await page.set_viewport_size({"width": width, "height": 800})
            assert await axe(page) == {}
            assert await console.outside() == []
        assert console.complaints == []
        await console.leave()

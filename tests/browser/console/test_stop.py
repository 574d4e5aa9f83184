"""The place Stop: what is paused is seen at once, pausing asks once, and one click lets it go on."""

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, BEN, NOON, FakeConsole, Refused

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_one_key_leads_there_and_the_assistant_is_paused(
    console: ConsolePage, server: FakeConsole
) -> None:
    page = console.page
    await console.enter()
    await page.keyboard.press("!")
    await console.shows("Stop")

    await console.button("Pause: The assistant").click()
    await expect(console.dialog).to_contain_text("Pause the whole assistant?")
    await expect(console.dialog).to_contain_text("They are handed over to your colleagues.")
    await console.field("Reason, for your colleagues").fill("Wrong prices")
    await page.keyboard.press("Enter")

    await expect(console.toast).to_contain_text("“The assistant” is paused.")
    row = page.locator('[data-item="assistant "]')
    await expect(row).to_contain_text("Paused")
    await expect(row).to_contain_text(f"by {ANA.name}")
    await expect(row).to_contain_text("Wrong prices")
    assert server.asked[-1] == "POST pauses"

    await row.get_by_role("button", name="Resume").click()
    await expect(row).to_contain_text("Running")
    assert server.paused == []


async def test_a_pause_can_be_undone_at_once(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/stop")
    await expect(console.page.locator("#search")).to_be_visible()
    await console.page.keyboard.press("/")
    await console.page.keyboard.type("billing")
    await expect(console.page.locator('[data-item^="tool"]')).to_have_count(1)
    await console.button("Pause: get_open_invoices").click()
    await console.dialog.locator(".danger").click()

    await expect(console.page.get_by_role("table", name="Paused now")).to_contain_text("get_open_invoices")
    await console.toast.get_by_role("button", name="Undo").click()

    await expect(console.page.get_by_role("table", name="Paused now")).to_have_count(0)
    assert server.paused == []


async def test_what_was_removed_can_still_be_resumed(console: ConsolePage, server: FakeConsole) -> None:
    server.paused.append({"kind": "tool", "name": "old_tool", "by": BEN.name, "since": NOON, "why": None})
    await console.enter("/stop")

    await console.button("Resume: old_tool").click()

    await expect(console.toast).to_contain_text("“old_tool” goes on.")
    assert server.paused == []


async def test_what_a_colleague_pauses_appears_by_itself(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/stop")
    await expect(console.page.locator('[data-item="channel phone"]')).to_contain_text("Running")
    server.paused.append({"kind": "channel", "name": "phone", "by": BEN.name, "since": NOON, "why": "noise"})

    await expect(console.page.locator('[data-item="channel phone"]')).to_contain_text(
        "Ben Roth", timeout=12_000
    )


async def test_a_refused_pause_says_that_nothing_changed(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/stop")
    server.failures["POST pauses"] = Refused(404, "unknown_name", "there is no tool 'cancel_order'")
    await console.button("Pause: cancel_order").click()
    await console.dialog.locator(".danger").click()

    await expect(console.problem).to_contain_text("This is not there any more.")
    await expect(console.dialog).to_be_visible()


async def test_the_launch_mode_is_chosen_in_the_words_of_what_will_happen(
    console: ConsolePage, server: FakeConsole
) -> None:
    await console.enter("/stop")
    row = console.page.locator('[data-item="launch"]')
    await expect(row).to_contain_text("The assistant answers customers.")

    await console.button("Change: Launch mode").click()
    await console.dialog.get_by_text("Shadow", exact=True).click()
    await expect(console.dialog).to_contain_text("answers that only colleagues see")
    await console.field("Share of customers, in percent").fill("25")
    await console.dialog.get_by_text("Signed in").click()
    await console.field("Only these languages").fill("de, en")
    await console.button("Use this mode").click()

    await expect(console.toast).to_contain_text("The launch mode is now: Shadow.")
    await expect(row).to_contain_text("for 25 % of the customers · Signed in · German, English")
    await expect(row).to_contain_text(f"by {ANA.name}")
    assert (server.launch["levels"], server.launch["locales"]) == (["signed_in"], ["de", "en"])

"""The place Approvals: a colleague reads what a customer agreed to, and approves or declines it."""

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import FakeConsole

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_change_is_read_and_approved(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_approval()
    await console.enter("/approvals")
    change = console.page.locator(".approval")
    for told in (
        "Ada Larsson",
        "Shall I refund order 10455 with $150?",
        "Yes, please",
        "arguments.amount > 100",
    ):
        await expect(change).to_contain_text(told)

    await console.button("Approve the change of Ada Larsson").click()
    await expect(console.dialog).to_contain_text("with exactly these values")
    await console.dialog.locator(".primary").click()

    await expect(console.toast).to_contain_text("The customer is told the result.")
    await expect(console.page.locator(".empty")).to_contain_text("No change waits for you")
    assert [one["decision"] for one in server.decided] == ["approved"]


async def test_declining_needs_a_reason(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_approval()
    await console.enter("/approvals")
    await console.button("Decline the change of Ada Larsson").click()
    await console.dialog.locator(".danger").click()
    await expect(console.dialog).to_contain_text("Say why, so that the customer understands it.")
    assert server.decided == []

    await console.field("Reason, which the customer hears").fill("The order is older than a year.")
    await console.page.keyboard.press("Enter")

    await expect(console.toast).to_contain_text("Declined.")
    assert [(one["decision"], one["why"]) for one in server.decided] == [
        ("declined", "The order is older than a year.")
    ]


async def test_who_comes_second_learns_who_was_faster(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_approval()
    await console.enter("/approvals")
    await console.button("Approve the change of Ada Larsson").click()
    server.waiting.clear()
    await console.dialog.locator(".primary").click()

    await expect(console.dialog).to_contain_text("Ben Roth was faster: it is approved")
    await console.button("Close").click()
    await expect(console.page.locator(".empty")).to_be_visible()


async def test_new_changes_wait_behind_a_button(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_approval()
    await console.enter("/approvals")
    await expect(console.page.locator(".approval")).to_have_count(1)
    server.wait_for_approval("c1.2", amount=300)

    await console.button("1 new").click(timeout=15_000)

    await expect(console.page.locator(".approval")).to_have_count(2)

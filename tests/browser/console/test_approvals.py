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
    await expect(console.page.locator(".empty")).to_contain_text("Nothing waits for you")
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


async def test_a_reply_is_read_and_sent(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_reply()
    await console.enter("/approvals")
    reply = console.page.locator("[data-reply]")
    await expect(reply).to_contain_text("Do I owe you anything, and until when?")
    await expect(reply.locator("textarea")).to_have_value("You owe 150 euros, which are due on May 2.")
    await expect(reply).to_contain_text("A-17")

    await console.button("Send the reply to Ada Larsson").click()

    await expect(console.toast).to_contain_text("Sent as the assistant's reply.")
    await expect(console.page.locator(".empty")).to_contain_text("Nothing waits for you")
    assert server.decided == [{"conversation": "k2", "turn": "t3", "decision": "approved", "text": ""}]


async def test_an_edited_reply_is_sent_with_the_agents_name(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.wait_for_reply()
    await console.enter("/approvals")

    await console.page.locator("[data-reply] textarea").fill("It is 150 euros, due on May 2. Ben")
    await expect(console.page.locator("[data-reply]")).to_contain_text("sees your name with an edited text")
    await console.button("Send my text").click()

    await expect(console.toast).to_contain_text("Sent with your name.")
    assert [(one["decision"], one["text"]) for one in server.decided] == [
        ("edited", "It is 150 euros, due on May 2. Ben")
    ]


async def test_a_reply_that_is_rejected_goes_to_the_inbox(console: ConsolePage, server: FakeConsole) -> None:
    server.wait_for_reply()
    await console.enter("/approvals")

    await console.button("Reject the reply to Ada Larsson").click()

    await expect(console.toast).to_contain_text("The conversation is in the inbox.")
    assert [one["decision"] for one in server.decided] == ["rejected"]

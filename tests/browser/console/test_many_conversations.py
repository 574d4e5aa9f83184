"""Ten thousand conversations in a list: few of them are in the page, and each can be reached."""

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import FakeConsole

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

COUNT = 10_000
MOST_ROWS = 80

WATCH = """() => {
    window.longTasks = [];
    window.mostRows = 0;
    new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration));
    }).observe({ type: "longtask" });
}"""

SCROLL = """async ([pixels, steps]) => {
    const list = document.querySelector(".virtual");
    for (let step = 0; step < steps; step++) {
        list.scrollTop += pixels;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        window.mostRows = Math.max(window.mostRows, document.querySelectorAll("[data-row]").length);
    }
    return document.querySelectorAll("[data-row]").length;
}"""


async def test_ten_thousand_conversations_are_scrolled_with_few_rows(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.inbox = COUNT
    await console.enter("/inbox?view=all")
    await expect(console.page.get_by_text("Customer 0", exact=True)).to_be_visible()
    await console.page.evaluate(WATCH)

    # By the wheel through the first pages, then with the scroll bar to the end and back.
    assert await console.page.evaluate(SCROLL, [120, 400]) <= MOST_ROWS
    await console.page.evaluate(
        "() => { const list = document.querySelector('.virtual'); list.scrollTop = list.scrollHeight }"
    )
    last = console.page.get_by_text(f"Customer {COUNT - 1}", exact=True)
    await expect(last).to_be_visible(timeout=60_000)
    assert await console.page.evaluate(SCROLL, [-2_000, 100]) <= MOST_ROWS

    most, long_tasks = await console.page.evaluate("() => [window.mostRows, window.longTasks]")
    print(f"most rows in the page: {most}; tasks of more than 50 ms: {long_tasks}")
    assert most <= MOST_ROWS
    row = console.page.locator("li[aria-setsize]").first
    assert await row.get_attribute("aria-setsize") == str(COUNT)

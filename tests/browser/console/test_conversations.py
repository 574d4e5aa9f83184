"""Conversations: from the list to what happened in each turn, and back."""

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import BEN, FakeConsole
from tests.browser.console.fake_conversations import NOON
from tests.support.logged_visits import LoggedVisits, failed, ok

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_from_the_list_to_a_conversation_and_back(console: ConsolePage, server: FakeConsole) -> None:
    server.conversations.fill(70)
    await console.enter("/conversations", BEN.login, BEN.password)
    rows = console.page.locator(".found-row")
    await expect(rows).to_have_count(50)
    await console.page.get_by_role("link", name="Older").click()
    await expect(rows).to_have_count(20)
    row = rows.filter(has_text="Check my billing").first
    await expect(row).to_contain_text("Failed: get_open_invoices")
    await row.click()
    await expect(console.heading).to_be_focused()
    await expect(console.page.get_by_role("table", name="Timeline")).to_contain_text("get_open_invoices")

    await console.page.go_back()
    await expect(rows).to_have_count(20)
    await expect(row).to_be_focused()
    await console.page.get_by_role("link", name="Newest").click()
    await expect(rows).to_have_count(50)


async def test_a_turn_shows_what_happened_when(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}")

    turn = console.page.get_by_role("region", name="Turn 1")
    lanes = turn.get_by_role("row")
    for name, texts in [
        ("Customer sees", ["Acknowledgement 750ms", "Answer"]),
        ("Customer hears", ["heard until"]),
        ("anthropic/claude", ["Decision", "at 50ms", "failed", "300ms"]),
        (
            "attempt 2",
            ["openai/gpt", "first token 395ms", "440ms", "$0.0042", "2,400 + 60 tokens", "79% cached"],
        ),
        ("list_upcoming_appointments", ["at 750ms", "900ms"]),
        ("get_open_invoices", ["Took too long", "2s"]),
        ("Held back", ["claims"]),
    ]:
        for text in texts:
            await expect(lanes.filter(has_text=name).first).to_contain_text(text)
    await expect(turn).to_contain_text("“I have paid your invoice.”".strip("“”"))
    await expect(turn).to_contain_text("spoken")
    await expect(console.page.get_by_text("This is Sam.")).to_be_visible()
    await expect(console.page.get_by_role("region", name="Turn 2")).to_contain_text("That does not help me.")


async def test_a_request_is_opened_from_its_lane(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}")
    lane = console.page.get_by_role("row").filter(has_text="Answer openai/gpt")
    await lane.get_by_role("button", name="Show the request").click()

    shown = console.page.get_by_role("region", name="Answer openai/gpt")
    for text in [
        "The prompts of then are not stored any more",
        "2,400 tokens counted here (estimate). The provider reported 2,700. 85% of them came from its cache.",
        "I have paid your invoice. You are",
        "claims: it says that something was done, and no call of this conversation shows it.",
    ]:
        await expect(shown).to_contain_text(text)
    await expect(shown.get_by_text("Never promise a refund.")).not_to_be_visible()
    await shown.get_by_text("Instructions", exact=True).click()
    await expect(shown.get_by_text("Never promise a refund.")).to_be_visible()
    receipt = console.page.get_by_role("link", name="Receipt").first
    assert (await receipt.get_attribute("href") or "").endswith(
        "/api/conversations/eventful/receipts/t1/c1.1"
    )

    await lane.get_by_role("button", name="Hide the request").click()
    await expect(shown).to_have_count(0)


async def test_an_agent_is_not_offered_requests(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}", BEN.login, BEN.password)

    await expect(console.page.get_by_role("table", name="Timeline").first).to_be_visible()
    await expect(console.button("Show the request")).to_have_count(0)


async def test_a_conversation_becomes_a_test(console: ConsolePage, server: FakeConsole) -> None:
    await console.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    said = LoggedVisits(NOON).asks("What do I owe?", ok("billing"))
    await console.enter(f"/conversations/{server.conversations.add('k1', said)}")
    await console.button("Copy as a test").click()
    await expect(console.dialog).to_contain_text("The test passes: it goes as it went.")
    await expect(console.dialog).to_contain_text("3 pieces of personal data were replaced.")
    await console.button("Copy").click()
    await expect(console.dialog).to_contain_text("The test is copied.")
    assert (await console.page.evaluate("() => navigator.clipboard.readText()")).startswith("format: 3")
    async with console.page.expect_download() as started:
        await console.button("Download").click()
    assert (await started.value).suggested_filename == "k1.conversation.yaml"
    await console.button("Close").click()
    assert server.asked[-1] == "POST conversations/k1/test"


async def test_a_test_that_does_not_pass_says_why(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}")
    await console.button("Copy as a test").click()

    await expect(console.dialog).to_contain_text("The test does not pass.")
    await expect(console.dialog).to_contain_text("expected: You owe $150.")
    await expect(console.dialog).to_contain_text("Left out: billing: its end is not in the log.")


async def test_bars_are_to_scale(console: ConsolePage, server: FakeConsole) -> None:
    said = LoggedVisits(NOON).asks("What do I owe?", ok("billing"), words_ms=1000)
    await console.enter(f"/conversations/{server.conversations.add('k1', said)}")

    bars = await console.page.locator("svg.bar").evaluate_all(
        "all => all.map(svg => [...svg.querySelectorAll('rect')].map(one => one.getBoundingClientRect())"
        ".map(box => [box.left - svg.getBoundingClientRect().left, box.width]"
        ".map(px => Math.round(100 * px / svg.clientWidth))))"
    )
    # Of 2010 ms and a margin: the acknowledgement is shown from 1000 to 2000 ms, the answer to the end.
    sees, decision, call = bars
    assert sees == [[47, 47], [95, 5]]
    assert decision[0][0] == 0
    assert call == [[47, 2]]


async def test_a_long_conversation_shows_its_end_first(console: ConsolePage, server: FakeConsole) -> None:
    said = LoggedVisits(NOON)
    for number in range(30):
        said.asks(f"Question {number}", failed("billing"))
    await console.enter(f"/conversations/{server.conversations.add('k1', said)}")

    turns = console.page.locator("section.turn")
    await expect(turns).to_have_count(20)
    await console.button("Show 10 earlier parts").click()
    await expect(turns).to_have_count(30)


async def test_a_search_is_in_the_address(console: ConsolePage, server: FakeConsole) -> None:
    server.conversations.fill(10)
    await console.enter("/conversations")
    rows = console.page.locator(".found-row")
    await expect(rows).to_have_count(10)
    await console.page.keyboard.press("/")
    await expect(console.field("Words")).to_be_focused()
    await console.page.keyboard.type("ORDER 1048")
    await console.page.keyboard.press("Enter")
    await console.at("/conversations?q=ORDER+1048")
    await expect(rows).to_have_count(2)
    await console.field("Words").fill("")
    await console.field("How it ended").select_option("Broken off")
    await console.at("/conversations?outcome=abandoned")
    await expect(rows).to_have_count(2)
    await rows.first.click()
    await expect(console.page.locator("section.turn")).to_have_count(1)
    await console.page.get_by_label("Conversations").get_by_role("link").click()
    await console.at("/conversations?outcome=abandoned")
    await console.page.go_back()
    await console.page.go_back()
    await console.page.go_back()
    await expect(console.field("Words")).to_have_value("ORDER 1048")
    await expect(rows).to_have_count(2)

    await console.page.reload()
    await console.field("Words").fill("zebra")
    await console.button("Search").click()
    await console.button("Clear the search").click()
    await console.at("/conversations")
    await expect(rows).to_have_count(10)


async def test_days_are_those_of_the_browser(console: ConsolePage, server: FakeConsole) -> None:
    server.conversations.fill(1)
    await console.enter("/conversations")
    await console.page.get_by_text("More filters").click()
    async with console.page.expect_request("**/conversations?*until=*") as asked:
        await console.field("Begun until").fill("2026-11-27")
    midnight = await console.page.evaluate("() => new Date(2026, 10, 28).getTime()")
    assert f"until={midnight}" in (await asked.value).url
    await console.at("/conversations?until=2026-11-27")
    await expect(console.field("Begun until")).to_be_visible()


async def test_an_erased_conversation_is_said_to_be_gone(console: ConsolePage) -> None:
    await console.enter("/conversations/k99")

    await expect(console.heading).to_have_text("This conversation does not exist")
    await console.page.get_by_label("Conversations").get_by_role("link").click()
    await expect(console.page.get_by_text("No conversations yet")).to_be_visible()


async def test_a_conversation_is_replayed_beside_itself(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}")
    await console.page.get_by_role("link", name="Replay with today's configuration").click()

    await expect(console.heading).to_have_text("Replay with today's configuration")
    await expect(console.page.locator(".notice").first).to_contain_text("Turns that differ: 1/4.")
    turns = console.page.locator("details.trial-turn")
    await expect(turns).to_have_count(4)
    await expect(turns.nth(1)).not_to_have_attribute("open", "")
    differs = turns.first.get_by_role("table", name="What differs").get_by_role("row").nth(1)
    await expect(differs).to_contain_text("I could not reach billing just now.")
    await expect(differs).to_contain_text("Shall I try again?")

    await console.page.get_by_role("link", name="Conversation", exact=True).click()
    await expect(console.heading).to_contain_text("Ana Lind")
    await console.page.go_back()
    await expect(console.heading).to_have_text("Replay with today's configuration")


async def test_a_turn_is_tried_with_a_tool_that_takes_too_long(
    console: ConsolePage, server: FakeConsole
) -> None:
    name = server.conversations.add_eventful()
    await console.enter(f"/conversations/{name}")
    await console.page.get_by_role("link", name="What if… Turn 1").click()
    await expect(console.page.get_by_text("anthropic/claude will answer")).to_be_visible()
    await expect(console.page.get_by_text("This turn cost")).to_be_visible()
    await console.field("get_open_invoices: what if").select_option("it fails")
    await console.field("Why get_open_invoices fails, as the customer may hear it").fill("billing is away")
    await console.field("list_upcoming_appointments: what if").select_option("it has another result")
    await console.field("Result of list_upcoming_appointments, as JSON").fill('[{"day": "Monday"}]')
    await console.button("Try it").click()

    await expect(console.page.get_by_role("heading", name="What the assistant would say")).to_be_focused()
    await expect(
        console.page.get_by_text("Answered by anthropic/claude. Cost: $0.0042, 2,400 tokens.")
    ).to_be_visible()
    await expect(console.page.get_by_text("get_recipes ran with {}")).to_be_visible()
    assert server.tried == [
        {
            "turn": "t1",
            "calls": [
                {"call": "c1.1", "outcome": "value", "value": '[{"day": "Monday"}]', "say": ""},
                {"call": "c1.2", "outcome": "failed", "value": "", "say": "billing is away"},
            ],
        }
    ]

    await console.page.get_by_text("The customer's message").click()
    await expect(console.field("The customer writes")).to_have_value("Check my appointments and billing")
    await console.field("The customer writes").fill("Only billing, please")
    await console.button("Try it").click()
    await expect(console.page.get_by_role("heading", name="What the assistant would say")).to_be_focused()
    assert server.tried[-1] == {"turn": "t1", "message": "Only billing, please"}


async def test_an_agent_may_replay_but_not_try(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter(f"/conversations/{server.conversations.add_eventful()}", BEN.login, BEN.password)

    await expect(console.page.get_by_role("link", name="Replay with today's configuration")).to_be_visible()
    await expect(console.page.get_by_role("link", name="What if")).to_have_count(0)

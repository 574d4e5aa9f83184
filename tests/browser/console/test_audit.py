"""The audit: who did what, with filters and pages in the address."""

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, BEN, FakeConsole

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_record_says_who_did_what_to_whom(console: ConsolePage, server: FakeConsole) -> None:
    server.record("conversations.read", BEN, object="conversation:k1", customer="c-17", outcome="refused")
    server.record("people.change", ANA, object=f"account:{BEN.id}", detail="roles: analyst")
    await console.enter("/audit")

    changed = console.row("Change of a person")
    for text in ["Ana Silva", "Account Ben Roth", "Roles: Analyst", "192.0.2.7", "Done"]:
        await expect(changed).to_contain_text(text)
    read = console.row("View of a conversation")
    for text in ["Ben Roth", "Conversation k1", "Customer c-17", "Refused"]:
        await expect(read).to_contain_text(text)


async def test_details_are_words_in_the_language_of_the_page(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.record("people.change", ANA, detail="roles: agent, editor; disabled: yes")
    server.record("account.change", BEN, detail="language, name")
    server.record("people.password", BEN)
    server.record("session.begin_by_provider", BEN, detail="new_account ben@example.com")
    server.record("session.begin_by_provider", None, detail="no_role eva@example.com", outcome="refused")
    server.record("session.begin_by_provider", None, detail="sign_in_lost", outcome="refused")
    await console.enter("/audit")

    for text in [
        "Roles: Agent, Editor; Disabled: yes",
        "Language, Name",
        "New password for a person",
        "New account ben@example.com",
        "eva@example.com: You have no role in this console.",
        "This sign-in took too long, or began in another window.",
    ]:
        await expect(console.row(text)).to_be_visible()
    await console.button("Ana Silva: Account menu").click()
    await console.field("Language").select_option("Deutsch")
    await expect(console.row("Rollen: Kundenbetreuung, Redaktion; Gesperrt: ja")).to_be_visible()


async def test_filters_are_in_the_address(console: ConsolePage, server: FakeConsole) -> None:
    server.record("people.add", ANA)
    server.record("session.end", BEN)
    await console.enter("/audit")
    await console.field("Account").select_option("Ben Roth")
    await console.at(f"/audit?account={BEN.id}")
    await expect(console.page.locator("tbody tr")).to_have_count(1)
    await console.field("Action").select_option("New person")
    await console.at(f"/audit?account={BEN.id}&action=people.add")
    await expect(console.page.get_by_text("No record fits these filters.")).to_be_visible()
    await console.page.go_back()
    await expect(console.row("Sign-out")).to_be_visible()
    await expect(console.field("Action")).to_have_value("")
    await console.page.reload()
    await expect(console.row("Sign-out")).to_be_visible()
    await console.page.go_forward()
    await console.button("Clear the filters").click()

    await console.at("/audit")
    await expect(console.row("New person")).to_be_visible()


async def test_older_records_are_on_further_pages(console: ConsolePage, server: FakeConsole) -> None:
    for _ in range(70):
        server.record("audit.read", BEN)
    await console.enter(f"/audit?account={BEN.id}")
    rows = console.page.locator("tbody tr")
    await expect(rows).to_have_count(50)
    await console.page.get_by_role("link", name="Older").click()
    await expect(rows).to_have_count(20)
    await expect(console.page.get_by_text("These are the oldest records.")).to_be_visible()
    await expect(console.status).to_have_text("20 records")
    await console.page.get_by_role("link", name="Newest").click()

    await expect(rows).to_have_count(50)


async def test_an_empty_audit_says_what_will_be_there(console: ConsolePage, server: FakeConsole) -> None:
    await console.open("/audit")
    await console.sign_in()
    await expect(console.row("Sign-in with a password")).to_be_visible()
    server.records.clear()
    await console.page.reload()

    await expect(console.page.get_by_text("Nothing is recorded yet.")).to_be_visible()

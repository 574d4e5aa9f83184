"""People: an admin adds a colleague, gives them a link, changes what they may do, and disables them."""

from dataclasses import replace

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, BEN, FakeConsole, FakePerson, Refused

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_new_colleague_gets_a_link_that_can_be_copied(
    console: ConsolePage, server: FakeConsole
) -> None:
    await console.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await console.enter("/people")
    await console.button("Add a person").click()
    await console.field("E-mail address or login").fill("eva@example.com")
    await console.field("Name").fill("Eva Lang")
    await console.page.get_by_role("checkbox", name="Agent").check()
    await console.button("Add and make a link").click()
    await expect(console.dialog).to_contain_text("Eva Lang was added.")
    await console.button("Copy").click()

    await expect(console.dialog).to_contain_text("The link is copied.")
    await expect(console.status).to_have_text("The link is copied.")
    copied = await console.page.evaluate("() => navigator.clipboard.readText()")
    assert copied.removeprefix(f"{console.url}/link#") in server.links
    await console.button("Done").click()
    await expect(console.button("Add a person")).to_be_focused()
    await expect(console.row("Eva Lang")).to_contain_text("Never signed in")


async def test_a_link_that_cannot_be_copied_is_selected(console: ConsolePage) -> None:
    await console.enter("/people")
    await console.page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error()); }"
    )
    await console.button("New link for Ben Roth").click()
    await console.button("Make a link").click()
    await console.button("Copy").click()

    await expect(console.dialog).to_contain_text("press Ctrl+C")
    selected = await console.page.evaluate("() => String(document.getSelection())")
    assert selected.startswith(f"{console.url}/link#")


async def test_a_form_names_everything_that_is_missing(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    await console.button("Add a person").click()
    await console.button("Add and make a link").click()

    await expect(console.field("E-mail address or login")).to_be_focused()
    await expect(console.dialog).to_contain_text("Enter an e-mail address or a login.")
    await expect(console.dialog).to_contain_text("Enter a name.")
    await expect(console.dialog).to_contain_text("Choose one role or more.")
    assert "POST people" not in server.asked


async def test_a_login_that_is_taken_is_told_at_its_field(console: ConsolePage) -> None:
    await console.enter("/people")
    await console.button("Add a person").click()
    await console.field("E-mail address or login").fill(BEN.login)
    await console.field("Name").fill("Ben")
    await console.page.get_by_role("checkbox", name="Agent").check()
    await console.button("Add and make a link").click()

    login = console.field("E-mail address or login")
    await expect(login).to_have_accessible_description("Someone has this login already.")
    await expect(login).to_be_focused()
    await expect(login).to_have_value(BEN.login)


async def test_roles_and_name_are_changed(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    await console.button("Edit Ben Roth").click()
    await expect(console.page.get_by_role("checkbox", name="Agent")).to_be_checked()
    await console.page.get_by_role("checkbox", name="Agent").uncheck()
    await console.page.get_by_role("checkbox", name="Analyst").check()
    await console.field("Name").fill("Ben Roth-Lang")
    await console.button("Save").click()

    await expect(console.toast).to_contain_text("Ben Roth-Lang was saved.")
    await expect(console.row("Ben Roth-Lang")).to_contain_text("Analyst")
    assert server.people[BEN.id].roles == ["analyst"]


async def test_disabling_asks_once_and_can_be_undone(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    await console.button("Disable Ben Roth").click()
    await expect(console.dialog).to_contain_text("Disable Ben Roth?")
    await expect(console.dialog).to_contain_text("You can enable them again.")
    await console.dialog.get_by_role("button", name="Disable").click()

    await expect(console.row("Ben Roth")).to_contain_text("Disabled")
    await expect(console.button("Edit Ben Roth")).to_be_focused()
    assert server.people[BEN.id].disabled
    await console.button("Undo").click()
    await expect(console.row("Ben Roth")).to_contain_text("Active")
    assert not server.people[BEN.id].disabled


async def test_cancelling_changes_nothing(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    await console.button("Disable Ben Roth").click()
    await expect(console.dialog).to_be_visible()
    await console.page.keyboard.press("Escape")

    await expect(console.dialog).to_have_count(0)
    await expect(console.button("Disable Ben Roth")).to_be_focused()
    assert not server.people[BEN.id].disabled


async def test_the_last_admin_keeps_the_role(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    assert await console.row(ANA.name).get_by_role("button").all_text_contents() == ["Edit", "New link"]
    await console.button("Edit Ana Silva").click()
    await console.page.get_by_role("checkbox", name="Admin").uncheck()
    await console.page.get_by_role("checkbox", name="Agent").check()
    await console.button("Save").click()

    await expect(console.problem).to_contain_text("This is the last account that may manage people.")
    await expect(console.problem).to_contain_text("Nothing was changed.")
    assert server.people[ANA.id].roles == ["admin"]


async def test_people_are_found_by_name_login_and_role(console: ConsolePage, server: FakeConsole) -> None:
    server.people["a3"] = FakePerson(id="a3", login="kim@example.com", name="Kim Lee", roles=["analyst"])
    await console.enter("/people")
    await expect(console.row("Kim Lee")).to_be_visible()
    await console.page.keyboard.press("/")
    await expect(console.field("Search people")).to_be_focused()
    for words, found in [("kim", "Kim Lee"), ("ben@", "Ben Roth"), ("Admin", "Ana Silva")]:
        await console.field("Search people").fill(words)
        await expect(console.page.locator("tbody tr strong")).to_have_text([found])
        await expect(console.status).to_have_text("1 person found")
    await console.field("Search people").fill("zoe")
    await expect(console.page.get_by_text("No one is called “zoe”.")).to_be_visible()
    await console.button("Show everyone").click()

    await expect(console.page.locator("tbody tr")).to_have_count(3)


async def test_a_change_without_an_answer_may_have_been_made(
    console: ConsolePage, server: FakeConsole
) -> None:
    await console.enter("/people")
    server.failures[f"PATCH people/{BEN.id}"] = Refused(502, "", "")
    await console.button("Disable Ben Roth").click()
    await console.dialog.get_by_role("button", name="Disable").click()

    await expect(console.problem).to_contain_text("The server had an error.")
    await expect(console.problem).to_contain_text("It may or may not have been done")


async def test_a_list_that_fails_can_be_loaded_again(console: ConsolePage, server: FakeConsole) -> None:
    server.failures["GET people"] = Refused(500, "", "")
    await console.enter("/people")
    await expect(console.problem).to_contain_text("The server had an error.")
    await expect(console.problem).to_contain_text("Nothing was changed.")
    await console.button("Try again").click()

    await expect(console.row("Ben Roth")).to_be_visible()
    await expect(console.problem).to_have_count(0)


async def test_what_an_account_may_not_do_is_absent(console: ConsolePage, server: FakeConsole) -> None:
    server.people[BEN.id] = replace(BEN, password="a b c d e f g h")
    await console.enter("", BEN.login, BEN.password)

    await expect(console.places).to_have_text(["Inbox", "Approvals", "Conversations", "Knowledge", "Health"])
    await console.open("/people")
    await expect(console.heading).to_have_text("This page does not exist")

"""Signing in: with a password, a one-time link or the identity provider; and again, when the session has ended."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, BEN, FakeConsole, Refused

PROVIDER_CODES = (
    "failed",
    "too_many",
    "sign_in_lost",
    "provider_down",
    "provider_failed",
    "provider_denied",
    "identity_refused",
)
ABOUT_A_PERSON = (
    "identity_incomplete",
    "email_unverified",
    "domain",
    "login_invalid",
    "not_invited",
    "no_role",
    "other_identity",
    "account_disabled",
    "last_admin",
)
"""The reasons that are about an account; the page has words for each."""

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_password_opens_the_address_that_was_asked_for(console: ConsolePage) -> None:
    await console.open("/people")
    await expect(console.heading).to_have_text("Sign in")
    await console.sign_in()

    await console.shows("People")
    await console.at("/people")


async def test_a_wrong_password_says_what_to_do_and_keeps_the_login(console: ConsolePage) -> None:
    await console.open()
    await console.sign_in(password="wrong")

    await expect(console.problem).to_contain_text("Login or password is wrong.")
    await expect(console.problem).to_contain_text("an admin can make you a one-time link")
    await expect(console.field("Login")).to_have_value(ANA.login)


async def test_an_empty_form_is_not_sent(console: ConsolePage, server: FakeConsole) -> None:
    await console.open()
    await console.field("Login").press("Enter")

    await expect(console.field("Login")).to_be_focused()
    await expect(console.field("Login")).to_have_accessible_description("Enter your login.")
    await expect(console.field("Password")).to_have_accessible_description("Enter your password.")
    assert server.asked == []


async def test_too_many_attempts_say_how_long_to_wait(console: ConsolePage, server: FakeConsole) -> None:
    server.failures["POST session"] = Refused(429, "too_many", "too many attempts", Retry_After="60")
    await console.open()
    await console.sign_in()

    await expect(console.problem).to_contain_text("Too many attempts to sign in.")
    await expect(console.problem).to_contain_text("Wait 60 seconds, then try again.")


async def test_the_password_can_be_shown(console: ConsolePage) -> None:
    await console.open()
    await console.field("Password").fill("secret")
    await console.button("Show the password").click()
    await expect(console.field("Password")).to_have_attribute("type", "text")
    await console.button("Hide the password").click()

    await expect(console.field("Password")).to_have_attribute("type", "password")
    await expect(console.field("Password")).to_have_value("secret")


async def test_the_identity_provider_returns_to_the_address(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.oidc = "Keycloak"
    await console.open("/audit?action=people.add")

    link = console.page.get_by_role("link", name="Sign in with Keycloak")
    await expect(link).to_have_attribute(
        "href", "/console/oidc/start?next=%2Fconsole%2Faudit%3Faction%3Dpeople.add"
    )


async def test_a_refused_sign_in_at_the_provider_says_why(console: ConsolePage, server: FakeConsole) -> None:
    server.oidc = "Keycloak"
    await console.open("/audit?action=people.add#refused=not_invited")

    await expect(console.problem).to_contain_text("There is no account for you here yet.")
    await expect(console.problem).to_contain_text("Ask an admin to add you")
    link = console.page.get_by_role("link", name="Sign in with Keycloak")
    await expect(link).to_have_attribute(
        "href", "/console/oidc/start?next=%2Fconsole%2Faudit%3Faction%3Dpeople.add"
    )
    await console.open("/#refused=a-new-reason")
    await expect(console.problem).to_contain_text("The sign-in did not work.")
    await console.sign_in()
    await console.shows("Inbox")
    await console.at("/inbox")


async def test_every_refusal_is_in_both_languages(console: ConsolePage, server: FakeConsole) -> None:
    server.oidc = "Keycloak"
    for language in ("English", "Deutsch"):
        told = set[str]()
        for code in (*ABOUT_A_PERSON, *PROVIDER_CODES):
            await console.open(f"/#refused={code}")
            told.add(await console.problem.inner_text())
        assert len(told) == len(PROVIDER_CODES) + len(ABOUT_A_PERSON), language
        await console.button("Deutsch" if language == "English" else "English").click()


async def test_signing_out_names_where_one_is_still_signed_in(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.oidc, server.elsewhere = "Keycloak", True
    await console.enter()
    await console.button("Ana Silva: Account menu").click()
    await console.button("Sign out").click()

    await console.shows("Sign in")
    await expect(console.page.get_by_text("You are still signed in at Keycloak.")).to_be_visible()
    link = console.page.get_by_role("link", name="Sign out at Keycloak")
    await expect(link).to_have_attribute("href", "/console/oidc/end")
    await console.sign_in()
    await console.shows("Inbox")


async def test_without_passwords_no_page_asks_for_one(console: ConsolePage, server: FakeConsole) -> None:
    server.oidc, server.passwords = "Keycloak", False
    await console.open()
    await expect(console.page.get_by_role("link", name="Sign in with Keycloak")).to_be_visible()
    await expect(console.page.locator("input")).to_have_count(0)
    await console.open(f"/link#{server.make_link(BEN.id)}")
    await expect(console.page.get_by_text("This link signs you in once.", exact=True)).to_be_visible()
    await console.button("Sign in").click()
    await console.shows("Inbox")

    await console.open("/account")
    await expect(console.field("Name")).to_be_visible()
    await expect(console.page.get_by_text("Password")).to_have_count(0)


async def test_a_link_signs_in_once_and_leads_to_a_password(
    console: ConsolePage, server: FakeConsole
) -> None:
    token = server.make_link(BEN.id)
    await console.open(f"/link#{token}")
    await expect(console.heading).to_have_text("Sign in with your link")
    assert server.asked == []  # programs that check mails open links, too
    await console.button("Sign in").click()
    await console.shows("Choose a password")
    await console.field("New password").fill("too short")
    await console.button("Save the password").click()
    await expect(console.field("New password")).to_have_accessible_description(
        re.compile("Use 12 characters or more")
    )
    await console.field("New password").fill("several words of Ben")
    await console.button("Save the password").click()

    await console.shows("Inbox")
    await expect(console.toast).to_have_text("Your password is saved.")
    assert server.people[BEN.id].password == "several words of Ben"
    await console.open(f"/link#{token}")
    await console.button("Sign in").click()
    await expect(console.problem).to_contain_text("This link was used before, or it has expired.")
    await expect(console.problem).to_contain_text("Ask an admin for a new link")


async def test_the_console_keeps_the_browsers_language_until_another_is_chosen(
    console: ConsolePage,
) -> None:
    await console.open()
    await console.button("Deutsch").click()
    await console.page.locator("#login").fill(BEN.login)
    await console.page.locator("#password").fill(BEN.password)
    await console.button("Anmelden").click()

    await console.shows("Eingang")
    await console.button("Ben Roth: Kontomenü").click()
    await expect(console.field("Sprache")).to_have_value("de")


async def test_an_address_without_its_link_says_so(console: ConsolePage) -> None:
    await console.open("/link")

    await expect(console.page.get_by_text("This address has no link in it.")).to_be_visible()
    await console.page.get_by_role("link", name="To the sign-in page").click()
    await console.shows("Sign in")


async def test_an_ended_session_loses_nothing_that_was_typed(
    console: ConsolePage, server: FakeConsole
) -> None:
    await console.enter("/people")
    await console.button("Add a person").click()
    await console.field("E-mail address or login").fill("eva@example.com")
    await console.field("Name").fill("Eva")
    await console.page.get_by_role("checkbox", name="Editor").check()
    server.expire()
    await console.button("Add and make a link").click()

    again = console.page.get_by_role("dialog", name="Your session has ended")
    await expect(again).to_be_visible()
    await expect(again.get_by_label("Password", exact=True)).to_be_focused()
    await console.page.keyboard.press("Escape")
    await expect(again).to_be_visible()
    await again.get_by_label("Password", exact=True).fill("wrong")
    await console.page.keyboard.press("Enter")
    await expect(again).to_contain_text("Login or password is wrong.")
    await again.get_by_label("Password", exact=True).fill(ANA.password)
    await console.page.keyboard.press("Enter")

    await expect(again).to_be_hidden()
    await expect(console.dialog).to_contain_text("Eva was added.")
    await console.at("/people")
    assert [one.name for one in server.people.values()] == ["Ana Silva", "Ben Roth", "Eva"]


async def test_a_session_begun_in_another_tab_is_enough(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    server.expire()
    await console.page.locator(".place", has_text="Audit").click()
    again = console.page.get_by_role("dialog", name="Your session has ended")
    await expect(again).to_be_visible()
    other = ConsolePage(await console.page.context.new_page(), server.url)
    await other.enter()
    await other.page.close()
    await console.page.evaluate("() => window.dispatchEvent(new Event('focus'))")

    await expect(again).to_be_hidden()
    await expect(console.row("Sign-in with a password").first).to_be_visible()


async def test_another_account_in_another_tab_ends_what_was_open(
    console: ConsolePage, server: FakeConsole
) -> None:
    await console.enter("/people")
    await console.button("Disable Ben Roth").click()
    other = ConsolePage(await console.page.context.new_page(), server.url)
    await other.open()
    await other.page.evaluate(
        "login => fetch('/console/api/session', { method: 'POST', body: JSON.stringify(login) })",
        {"login": BEN.login, "password": BEN.password},
    )
    await other.page.close()
    await console.dialog.get_by_role("button", name="Disable").click()

    await console.shows("This page does not exist")
    await expect(console.toast).to_contain_text("You signed in with another account")
    assert not server.people[BEN.id].disabled


async def test_signing_out_ends_the_session(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter()
    await console.button("Ana Silva: Account menu").click()
    await console.button("Sign out").click()

    await console.shows("Sign in")
    await expect(console.status).to_have_text("You are signed out.")
    assert server.sessions == {}


async def test_a_server_that_does_not_answer_can_be_asked_again(
    console: ConsolePage, server: FakeConsole
) -> None:
    server.failures["GET session"] = Refused(503, "busy", "the storage does not answer")
    await console.open()
    await expect(console.problem).to_contain_text("The server had an error.")
    await console.button("Try again").click()

    await expect(console.heading).to_have_text("Sign in")

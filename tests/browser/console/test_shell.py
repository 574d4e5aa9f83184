"""What is around every screen: places, addresses, keyboard, language, theme, and the account."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.console.console_page import ConsolePage
from tests.browser.console.fake_console import ANA, FakeConsole, Refused

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PLACES = [
    "Inbox",
    "Approvals",
    "Conversations",
    "Replies",
    "Today",
    "Reports",
    "Prompts",
    "Policies",
    "Knowledge",
    "Tools",
    "Health",
    "People",
    "Audit",
    "Stop",
]
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(22, 28, 27)"


async def test_each_place_has_an_address_and_says_what_it_is_for(console: ConsolePage) -> None:
    await console.enter()
    await console.shows("Inbox")
    await expect(console.places).to_have_text(PLACES)
    for place in PLACES[4:11]:
        await console.page.get_by_role("link", name=place).click()
        await console.shows(place)
        await console.at(f"/{place.lower()}")
        await expect(console.page.get_by_role("link", name=place)).to_have_attribute("aria-current", "page")
        await expect(console.page.locator(".empty")).to_contain_text("Here you will")
    await console.page.go_back()

    await console.shows("Tools")


async def test_an_unknown_address_leads_back_to_the_start(console: ConsolePage) -> None:
    await console.enter("/nothing")
    await expect(console.heading).to_have_text("This page does not exist")
    await console.page.get_by_role("link", name="To the start").click()

    await console.shows("Inbox")
    await console.at("/inbox")


async def test_keys_go_to_places(console: ConsolePage) -> None:
    await console.enter()
    await console.shows("Inbox")
    await console.page.keyboard.press("g")
    await console.page.keyboard.press("e")
    await console.shows("People")
    await console.page.keyboard.press("?")
    await expect(console.dialog).to_contain_text("Go to Inbox")
    await expect(console.dialog).to_contain_text("Search")
    await console.page.keyboard.press("Escape")
    await console.field("Search people").press("g")
    await console.field("Search people").press("i")
    await expect(console.field("Search people")).to_have_value("gi")

    await console.at("/people")


async def test_keys_can_be_switched_off(console: ConsolePage) -> None:
    await console.enter()
    await console.shows("Inbox")
    await console.page.keyboard.press("?")
    await console.dialog.get_by_text("Off", exact=True).click()
    await console.button("Close").click()
    await console.page.keyboard.press("g")
    await console.page.keyboard.press("e")
    await console.page.keyboard.press("?")

    await expect(console.dialog).to_have_count(0)
    await console.at("/inbox")


async def test_everything_is_done_with_the_keyboard(console: ConsolePage, server: FakeConsole) -> None:
    await console.open("/people")
    press = console.page.keyboard.press
    await expect(console.field("Login")).to_be_visible()
    await press("Tab")
    await console.page.keyboard.type(ANA.login)
    await press("Tab")
    await console.page.keyboard.type(ANA.password)
    await press("Enter")
    await console.shows("People")
    await press("Tab")
    await expect(console.button("Add a person")).to_be_focused()
    await press("Enter")
    await expect(console.field("E-mail address or login")).to_be_focused()
    await console.page.keyboard.type("eva@example.com")
    await press("Tab")
    await console.page.keyboard.type("Eva")
    await press("Tab")
    await press("Space")
    await press("Enter")
    await expect(console.dialog).to_contain_text("Eva was added.")
    await press("Escape")
    await expect(console.button("Add a person")).to_be_focused()

    assert [one.login for one in server.people.values()][-1] == "eva@example.com"


async def test_the_skip_link_jumps_over_the_places(console: ConsolePage) -> None:
    await console.enter()
    await console.page.reload()
    await expect(console.heading).to_have_text("Inbox")
    await console.page.keyboard.press("Tab")
    await expect(console.page.get_by_role("link", name="Skip to content")).to_be_focused()
    await console.page.keyboard.press("Enter")

    await expect(console.page.get_by_role("main")).to_be_focused()
    await console.at("/inbox")


async def test_the_language_is_the_accounts(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/people")
    await console.button("Ana Silva: Account menu").click()
    await console.field("Language").select_option("Deutsch")

    await expect(console.heading).to_have_text("Personen")
    await expect(console.toast).to_contain_text("Die Konsole ist jetzt auf Deutsch.")
    assert await console.page.get_attribute("html", "lang") == "de"
    assert server.people[ANA.id].language == "de"
    await console.page.reload()
    await expect(console.heading).to_have_text("Personen")


async def test_a_language_that_is_not_saved_is_not_shown(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter()
    server.failures["PATCH account"] = Refused(500, "", "")
    await console.button("Ana Silva: Account menu").click()
    await console.field("Language").select_option("Deutsch")

    await expect(console.toast).to_contain_text("The server had an error.")
    await expect(console.field("Language")).to_have_value("en")
    await expect(console.heading).to_have_text("Inbox")


async def test_the_sign_in_page_is_in_another_language(console: ConsolePage) -> None:
    await console.open()
    await console.button("Deutsch").click()
    await expect(console.heading).to_have_text("Anmelden")
    await console.page.reload()

    await expect(console.heading).to_have_text("Anmelden")


@pytest.mark.parametrize(
    ("system", "chosen", "background"),
    [("light", "Dark", DARK), ("dark", "Light", LIGHT), ("dark", "System", DARK)],
)
async def test_the_theme_is_chosen_and_kept(
    console: ConsolePage, system: str, chosen: str, background: str
) -> None:
    await console.page.emulate_media(color_scheme="dark" if system == "dark" else "light")
    await console.enter()
    await console.button("Ana Silva: Account menu").click()
    await console.page.locator("#account-menu").get_by_text(chosen, exact=True).click()
    await expect(console.page.locator("html")).to_have_css("background-color", background)
    await console.page.reload()

    await expect(console.heading).to_be_visible()
    await expect(console.page.locator("html")).to_have_css("background-color", background)


async def test_name_and_password_are_changed(console: ConsolePage, server: FakeConsole) -> None:
    await console.enter("/account")
    await console.field("Name").fill("Ana S.")
    await console.button("Save").click()
    await expect(console.button("Ana S.: Account menu")).to_be_visible()
    await console.field("Current password").fill("wrong")
    await console.field("New password").fill("another horse battery")
    await console.button("Save the password").click()
    await expect(console.field("Current password")).to_have_accessible_description(
        re.compile("The current password is wrong.")
    )
    await expect(console.field("Current password")).to_be_focused()
    await console.field("Current password").fill(ANA.password)
    await console.button("Save the password").click()

    await expect(console.toast.last).to_contain_text("Your password is saved.")
    await expect(console.field("New password")).to_have_value("")
    assert server.people[ANA.id].password == "another horse battery"
    assert server.people[ANA.id].name == "Ana S."


async def test_on_a_phone_the_places_open_from_the_bar(console: ConsolePage) -> None:
    await console.page.set_viewport_size({"width": 390, "height": 844})
    await console.enter("/people")
    await expect(console.places.first).to_be_hidden()
    await console.button("Menu").click()
    await console.page.get_by_role("link", name="Audit").click()

    await console.shows("Audit")
    await expect(console.places.first).to_be_hidden()
    assert await console.outside() == []


async def test_example_data_is_named(console: ConsolePage, server: FakeConsole) -> None:
    server.sample = True
    await console.enter()

    await expect(console.page.get_by_text("With example conversations")).to_be_visible()

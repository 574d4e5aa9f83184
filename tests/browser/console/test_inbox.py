"""The inbox in Chromium: two colleagues, each in a browser, and a customer who talks with a scripted assistant."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.async_api import Browser, Page, expect

from assistant.shipped import shipped
from assistant.testing.script import says
from tests.browser.axe import Axe
from tests.browser.console.console_page import ConsolePage
from tests.server.console.browser import PASSWORD
from tests.server.console.inbox_office import ASKED, InboxOffice, open_inbox_office

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

Enter: TypeAlias = Callable[[str, str], Awaitable[ConsolePage]]


@asynccontextmanager
async def _colleagues(scene: InboxOffice, browser: Browser) -> AsyncGenerator[Enter]:
    """Each colleague's own browser, already signed in at an address."""
    async with AsyncExitStack() as end:

        async def enter(login: str, address: str) -> ConsolePage:
            context = await browser.new_context(
                viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            )
            end.push_async_callback(context.close)
            console = ConsolePage(
                await context.new_page(), f"http://127.0.0.1:{scene.office.server.port}/console"
            )
            await console.enter(address, login, PASSWORD)
            return console

        yield enter


async def test_two_agents_meet_over_one_customer(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    answers = (*ASKED, says("Your invoice was cancelled."))
    async with (
        open_inbox_office(tmp_path, *answers, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        await scene.office.hires("sam", "agent")
        kim, sam = await enter("kim", "/inbox"), await enter("sam", "/inbox")
        await expect(kim.page.get_by_text("No one is waiting")).to_be_visible()
        ana = await scene.customer()
        await ana.says("I want to talk to a person")

        # The list was empty, so that the customer appears in it at once, for both.
        await kim.page.get_by_role("link", name="Ana Silva").click()
        await sam.page.get_by_role("link", name="Ana Silva").click()
        await expect(kim.page.locator(".side")).to_contain_text("I want to talk to a person")
        await kim.button("Take over").click()
        await expect(sam.page.locator(".foot")).to_contain_text("With Kim")
        await expect(sam.button("Take over")).to_have_count(0)
        await expect(kim.page.locator("#reply")).to_be_focused()

        await kim.page.keyboard.type("Hello Ana, this is Kim.")
        await kim.page.keyboard.press("Control+Enter")
        await expect(sam.page.locator(".said.person")).to_contain_text("Hello Ana, this is Kim.")
        await expect(kim.page.locator("#reply")).to_have_value("")
        await ana.session.say(client_message_id="typed", text="Great, a human!", locale="en")
        await expect(kim.page.locator(".said.customer").last).to_contain_text("Great, a human!")
        await expect(kim.status).to_contain_text("Ana Silva: Great, a human!")

        await sam.page.locator("#reply").fill("She is a journalist.")
        await sam.button("Add the note").click()
        await expect(kim.page.locator(".said.note")).to_contain_text("Sam · note for colleagues")

        await kim.button("Hand back").click()
        await kim.dialog.get_by_label("What should it know? (optional)").fill("Her invoice 7 was cancelled.")
        await kim.dialog.get_by_role("button", name="Hand back").click()
        await expect(sam.page.locator(".inbox-conversation > .head")).to_contain_text("With the assistant")
        await ana.says("What about my invoice?")
        await expect(kim.page.locator(".said.assistant").last).to_contain_text("Your invoice was cancelled.")
        assert (kim.complaints, sam.complaints) == ([], [])


async def test_a_reply_of_the_editor_is_found_filled_in_and_sent(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        await scene.office.hires("eva", "editor")
        eva = await enter("eva", "/replies")
        for title, text in (("Hello", "Hello {name}, I am {agent}."), ("Goodbye", "Goodbye {name}!")):
            await eva.button("Add a reply").click()
            await eva.dialog.get_by_label("Title").fill(title)
            await eva.dialog.get_by_label("Text", exact=True).fill(text)
            await eva.button("Save").click()
            await expect(eva.page.locator(".reply-row", has_text=title)).to_be_visible()

        await (await scene.customer()).says("I want to talk to a person")
        kim = await enter("kim", "/inbox?id=c-1")
        await kim.button("Take over").click()
        await expect(kim.page.locator("#reply")).to_be_focused()
        await kim.page.keyboard.type("/")
        await expect(kim.page.get_by_role("option")).to_have_count(2)
        await kim.page.keyboard.type("hel")
        await expect(kim.page.get_by_role("option")).to_have_text(["Hello Hello {name}, I am {agent}."])
        await kim.page.keyboard.press("Enter")
        await expect(kim.page.locator("#reply")).to_have_value("Hello Ana Silva, I am Kim.")
        await kim.page.keyboard.press("Control+Enter")
        await expect(kim.page.locator(".said.person")).to_contain_text("Hello Ana Silva, I am Kim.")

        await eva.button("Delete Hello").click()
        await expect(eva.page.locator(".reply-row")).to_have_count(1)
        await eva.button("Undo").click()
        await expect(eva.page.locator(".reply-row")).to_have_count(2)
        assert (kim.complaints, eva.complaints) == ([], [])


_RECORDED = """() => {
    window.told = [];
    window.Notification = class {
        static permission = "default";
        static async requestPermission() { return (this.permission = window.answer ?? "granted"); }
        constructor(title, { body, tag }) { window.told.push(`${title}: ${body}`); window.last = this; }
        close() {}
    };
    document.hasFocus = () => window.looking ?? true;
}"""


async def test_an_agent_who_looks_elsewhere_is_notified(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, *ASKED, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        kim = await enter("kim", "/inbox")
        await kim.page.evaluate(_RECORDED)
        await kim.page.evaluate("() => { window.looking = false; }")
        await (await scene.customer("c-1")).says("I want to talk to a person")
        await expect(kim.page.locator("[data-row]")).to_have_count(1)
        assert await kim.page.evaluate("() => told") == [], "it is off at first"

        await kim.button("Kim: Account menu").click()
        await kim.page.get_by_role("radiogroup", name="Notifications").get_by_text("On", exact=True).click()
        await kim.page.keyboard.press("Escape")
        ben = await scene.customer("c-2")
        await ben.says("I want to talk to a person")
        await expect(kim.button("1 new")).to_be_visible()
        assert await kim.page.evaluate("() => told") == ["Ana Silva: waits for a person"]

        await kim.page.evaluate("() => { last.onclick(); }")
        await kim.at("/inbox?view=all&id=c-2")
        await kim.button("Take over").click()
        await expect(kim.page.locator("#reply")).to_be_focused()
        await ben.session.say(client_message_id="more", text="My IBAN is secret", locale="en")
        await expect(kim.page.locator(".said.customer").last).to_contain_text("My IBAN is secret")
        assert (await kim.page.evaluate("() => told"))[1:] == ["Ana Silva: has written to you"]

        await kim.page.evaluate("() => { window.looking = true; }")
        await ben.session.say(client_message_id="again", text="Hello?", locale="en")
        await expect(kim.page.locator(".said.customer").last).to_contain_text("Hello?")
        assert len(await kim.page.evaluate("() => told")) == 2
        assert kim.complaints == []


async def test_a_browser_that_allows_no_notifications_says_so(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        kim = await enter("kim", "/inbox")
        await kim.page.evaluate(_RECORDED)
        await kim.page.evaluate("() => { window.answer = 'denied'; }")
        await kim.button("Kim: Account menu").click()
        await kim.page.get_by_role("radiogroup", name="Notifications").get_by_text("On", exact=True).click()
        await expect(kim.toast).to_contain_text("does not let this page show notifications")
        off = kim.page.get_by_role("radiogroup", name="Notifications").get_by_role("radio", name="Off")
        await expect(off).to_be_checked()


async def test_new_rows_wait_until_the_agent_wants_them(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, *ASKED, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        await (await scene.customer("c-1")).says("I want to talk to a person")
        kim = await enter("kim", "/inbox")
        rows = kim.page.locator("[data-row]")
        await expect(rows).to_have_count(1)
        for name in ("c-2", "c-3"):
            await (await scene.customer(name)).says("I want to talk to a person")
        await expect(kim.button("2 new")).to_be_visible()
        await expect(rows).to_have_count(1)
        await expect(kim.page.locator(".tabs")).to_contain_text("Waiting 3")
        await kim.button("2 new").click()
        await expect(rows).to_have_count(3)
        await expect(kim.button("2 new")).to_have_count(0)
        assert kim.complaints == []


async def test_a_cut_line_is_shown_and_mends_itself(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        ana = await scene.customer()
        await ana.says("I want to talk to a person")
        kim = await enter("kim", "/inbox?id=c-1")
        await kim.button("Take over").click()
        await kim.page.locator("#reply").fill("A long answer that must not be lost")
        await kim.page.context.set_offline(True)
        await kim.page.evaluate("() => dispatchEvent(new Event('online'))")  # it looks at the line
        await expect(kim.page.locator(".cut-line")).to_be_visible()
        await ana.session.say(client_message_id="typed", text="Are you there?", locale="en")
        await kim.page.context.set_offline(False)
        await expect(kim.page.locator(".cut-line")).to_have_count(0)
        await expect(kim.page.locator(".said.customer").last).to_contain_text("Are you there?")
        await expect(kim.page.locator("#reply")).to_have_value("A long answer that must not be lost")


async def test_the_inbox_works_by_keyboard_alone(page: Page, tmp_path: Path) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        for name in ("c-1", "c-2"):
            await (await scene.customer(name)).says("I want to talk to a person")
        kim = await enter("kim", "/inbox")
        keyboard = kim.page.keyboard
        await expect(kim.page.locator("[data-row]")).to_have_count(2)
        await keyboard.press("j")
        await expect(kim.page.locator("[data-row]").first).to_be_focused()
        await keyboard.press("j")
        await expect(kim.page.locator("[data-row]").nth(1)).to_be_focused()
        await keyboard.press("Enter")
        await expect(kim.button("Take over")).to_be_visible()
        await keyboard.press("t")
        await expect(kim.page.locator("#reply")).to_be_focused()
        await keyboard.type("Hello")
        await keyboard.press("Control+Enter")
        await expect(kim.page.locator(".said.person")).to_contain_text("Hello")
        await kim.page.locator("h1").focus()
        await keyboard.press("e")
        await expect(kim.dialog).to_contain_text("Close this conversation?")
        await kim.dialog.get_by_role("button", name="Close").click()
        await expect(kim.page.locator(".inbox-conversation > .head")).to_contain_text("Closed")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 900, 390])
async def test_the_inbox_is_accessible_at_every_size(
    page: Page, axe: Axe, tmp_path: Path, width: int
) -> None:
    browser = page.context.browser
    assert browser is not None
    async with (
        open_inbox_office(tmp_path, *ASKED, web_dir=shipped("web")) as scene,
        _colleagues(scene, browser) as enter,
    ):
        await (await scene.customer()).says("I want to talk to a person")
        kim = await enter("kim", "/inbox?id=c-1")
        await kim.page.set_viewport_size({"width": width, "height": 800})
        await kim.button("Take over").click()
        await kim.page.locator("#reply").fill("Hello")
        await kim.button("Send").click()
        await expect(kim.page.locator(".said.person")).to_be_visible()

        assert await axe(kim.page) == {}
        assert await kim.outside() == []
        if width == 390:
            await kim.page.get_by_role("link", name="Back to the list").click()
            await expect(kim.page.locator(".inbox-list")).to_be_visible()
            assert await kim.outside() == []

"""One customer, two tabs: both show everything, nothing is sent twice, and signing out applies to both."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import OpenTab
from tests.browser.fake_server import FakeServer, Frame, Line, welcome
from tests.browser.scenes import Numbered, assistants, snapshot
from tests.browser.site import site_token
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

NEWS_ARE_LATE = """() => {
    const { getItem } = Storage.prototype;
    const then = { ...localStorage };
    const late = [];
    const hold = (event) => {
        event.stopImmediatePropagation();
        late.push(event);
    };
    addEventListener("storage", hold, true);
    Storage.prototype.getItem = function (key) {
        return this === localStorage ? (then[key] ?? null) : getItem.call(this, key);
    };
    window.newsArrive = () => {
        Storage.prototype.getItem = getItem;
        removeEventListener("storage", hold, true);
        for (const { key, newValue } of late) dispatchEvent(new StorageEvent("storage", { key, newValue }));
    };
}"""
"""What other tabs write into the storage is not to be seen in this one, until ``newsArrive``."""


async def _both(ana: Visitor, server: FakeServer, open_tab: OpenTab) -> tuple[Line, Visitor, Line]:
    """The first tab's line; the second tab, and its line."""
    await ana.opens_chat()
    first = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    other = await open_tab(server.url)
    await other.opens_chat()
    second = await server.line()
    assert (await second.hears("hello"))["token"] == "t1"
    await second.says(welcome())
    await expect(other.button("When are you open?")).to_be_visible()
    return first, other, second


async def _waits_in_both(at: Visitor, line: Line, other: Visitor) -> Frame:
    """What was written at the one, and has been sent from there."""
    await at.says("Hello?")
    said = await line.hears("message")
    await other.sees("You: Hello?Waiting to be sent")
    return said


async def _refuse(said: Frame, line: Line, at: Visitor) -> None:
    await line.says({"type": "rejected", "id": said["id"], "code": "busy", "message": "busy"})
    await expect(at.button("Try again")).to_be_visible()


async def test_a_message_in_one_tab_is_shown_in_both(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    await ana.says("Hello")
    said = await first.hears("message")
    frames = Numbered()
    for frame in (frames.accepted(said["id"], "Hello"), *frames.told("m1", "response", "Hi.")):
        await first.says(frame)
        await second.says(frame)
    for tab in (ana, other):
        await tab.sees("You: Hello", "Robin: Hi.")


async def test_a_waiting_message_is_shown_in_both_tabs_and_sent_once(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    server.away = True
    first.cut()
    second.cut()
    for tab in (ana, other):
        await expect(tab.panel.locator(".link")).to_have_text("Connection lost. Reconnecting…")
    await ana.says("One")
    await other.sees("You: OneWaiting to be sent")
    await other.says("Two")
    await ana.sees("You: OneWaiting to be sent", "You: TwoWaiting to be sent")
    server.away = False

    lines = [await server.welcomed("replay"), await server.welcomed("replay")]
    for tab in (ana, other):
        await expect(tab.panel.locator(".link")).to_be_hidden()
    await ana.says("Last")
    await other.says("Last")

    heard = [text for line in lines for text in await _up_to("Last", line)]
    assert sorted(heard) == ["Last", "Last", "One", "Two"]
    ana.forgive("503")


async def test_a_tab_sends_what_a_closed_tab_could_not_send(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    said = await _waits_in_both(other, second, ana)

    await other.page.close()

    assert await first.hears("message") == said


async def test_a_message_settled_in_one_tab_waits_in_no_other(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    said = await _waits_in_both(other, second, ana)
    await _refuse(said, second, other)
    await ana.sees()
    await ana.says("Something else.")
    assert (await first.hears("message"))["text"] == "Something else."


async def test_a_message_settled_in_one_tab_is_not_sent_by_a_late_one(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    said = await _waits_in_both(ana, first, other)
    await other.page.evaluate(NEWS_ARE_LATE)
    await _refuse(said, first, ana)
    # Whatever the browser had to tell the other tab about the turn to send, it has told it by now.
    await other.page.evaluate("() => navigator.locks.query()")
    await other.page.evaluate("() => newsArrive()")
    await other.sees()
    await other.says("Something else.")
    assert (await second.hears("message"))["text"] == "Something else."

    await ana.button("Try again").click()

    assert await first.hears("message") == said
    await other.sees("You: Something else.Waiting to be sent", "You: Hello?Waiting to be sent")


async def test_a_message_seen_in_one_tab_is_not_unread_in_the_other(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    first, other, second = await _both(ana, server, open_tab)
    await ana.button("Close chat").click()
    await other.button("Close chat").click()
    for line in (first, second):
        await line.says(*Numbered().told("m1", "response", "Hi."))
    for tab in (ana, other):
        await expect(tab.launcher).to_have_accessible_name("Chat with us, 1 new message")

    await other.launcher.click()

    await expect(ana.launcher).to_have_accessible_name("Chat with us")
    assert (await second.hears("seen"))["seq"] == 4


async def test_signing_out_in_one_signs_out_the_other(
    ana: Visitor, server: FakeServer, open_tab: OpenTab
) -> None:
    await ana.visits()
    await ana.tells("setUser", site_token("anna"))
    await ana.tells("open")
    line = await server.welcomed(token="anna's")
    await line.says(*Numbered().told("m1", "response", "Hello, Anna."))
    await ana.sees("Robin: Hello, Anna.")
    other = await open_tab(server.url)
    await other.visits()
    await other.tells("setUser", site_token("anna", "2"))
    await other.tells("open")
    second = await server.line()
    assert (await second.hears("hello"))["token"] == "anna's"
    await second.says(welcome("snapshot"), snapshot(4, assistants("m1", "Hello, Anna.")))
    await other.sees("Robin: Hello, Anna.")

    await other.tells("setUser", None)

    for _ in range(2):
        hello = await (await server.line()).hears("hello")
        assert "token" not in hello
    await ana.sees()
    await other.sees()


async def test_each_tab_keeps_its_own_draft(ana: Visitor, server: FakeServer, open_tab: OpenTab) -> None:
    _first, other, _second = await _both(ana, server, open_tab)
    await ana.field.fill("mine")
    await other.field.fill("mine too")
    await ana.visits()
    await expect(ana.field).to_have_value("mine")


async def _up_to(last: str, line: Line) -> list[str]:
    """All the messages that come over this line, up to this one."""
    heard: list[str] = []
    while last not in heard:
        heard.append(str((await line.hears("message"))["text"]))
    return heard

"""What a page can call and which events it gets, before and after the chat has loaded."""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, welcome
from tests.browser.scenes import Numbered, take_message
from tests.browser.site import LISTEN, OPEN_POLICY, introduced, site_token, told
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

EVENTS = ["ready", "open", "close", "message", "turn", "unread", "customer", "error"]
EARLY = """<!doctype html><title>shop</title>
<script>
    window.Meanwhile = window.Meanwhile || [];
    Meanwhile.push(["setLocale", "de"], ["open"], ["send", "Hallo"]);
</script>
<script type="module" src="/meanwhile-chat.js" data-create></script>"""


async def test_calls_before_the_chat_has_loaded_are_made_afterwards(
    arrive: Arrive, server: FakeServer
) -> None:
    server.hosts["/early"] = (EARLY, OPEN_POLICY)
    visitor = await arrive(f"{server.url}early")
    await visitor.visits()

    line = await server.line()

    assert (await line.hears("hello"))["locale"] == "de"
    await line.says(welcome())
    assert (await line.hears("message"))["text"] == "Hallo"
    await expect(visitor.panel).to_be_visible()
    assert visitor.complaints == []


async def test_the_page_opens_and_closes_the_chat(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.tells("open")
    await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.tells("close")
    await expect(ana.panel).to_be_hidden()


async def test_the_page_can_send_a_message_without_opening_the_chat(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.tells("send", "  Where is my order?  ")
    line = await server.welcomed()
    assert (await line.hears("message"))["text"] == "Where is my order?"
    await expect(ana.panel).to_be_hidden()


async def test_the_page_gets_events(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.visits()
    await ana.page.evaluate(LISTEN, EVENTS)
    await ana.tells("open")
    line = await server.welcomed()
    await ana.says("When are you open?")
    await take_message(line, frames)
    await line.says(*frames.told("m1", "response", "Until six."), frames.turn_completed())
    await ana.sees("You: When are you open?", "Robin: Until six.")
    await ana.tells("close")
    await line.says(*frames.told("m2", "response", "Anything else?"))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")

    assert await told(ana) == [
        ["open", None],
        ["customer", {"id": "v1", "level": "anonymous", "name": None}],
        ["message", {"id": "m1", "kind": "response", "text": "Until six.", "interrupted": False}],
        ["turn", {"id": "t1", "how": "answered"}],
        ["close", None],
        ["unread", {"count": 1}],
        ["message", {"id": "m2", "kind": "response", "text": "Anything else?", "interrupted": False}],
    ]


async def test_an_early_listener_gets_the_ready_event(arrive: Arrive, server: FakeServer) -> None:
    early = """<!doctype html><title>shop</title><script>
        window.told = [];
        window.Meanwhile = [["on", "ready", () => told.push("ready")]];
    </script><script type="module" src="/meanwhile-chat.js"></script><meanwhile-chat></meanwhile-chat>"""
    server.hosts["/early"] = (early, OPEN_POLICY)
    visitor = await arrive(f"{server.url}early")
    await visitor.visits()
    await expect(visitor.launcher).to_be_visible()
    assert await told(visitor) == ["ready"]


async def test_a_failing_listener_does_not_affect_the_others(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate("() => Meanwhile.on('open', () => { throw new Error('the page is broken'); })")
    await ana.page.evaluate(LISTEN, ["open"])
    await ana.tells("open")
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    assert await told(ana) == [["open", None]]
    ana.forgive("the page is broken")


async def test_a_listener_can_be_removed(ana: Visitor) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """() => {
            window.told = [];
            const listener = () => told.push("open");
            Meanwhile.on("open", listener);
            Meanwhile.off("open", listener);
            Meanwhile.open();
        }"""
    )
    await expect(ana.panel).to_be_visible()
    assert await told(ana) == []


async def test_a_misspelt_call_is_reported_with_the_known_ones(ana: Visitor) -> None:
    await ana.visits()
    said = await ana.page.evaluate(
        "() => { try { Meanwhile.push(['opne']); } catch (e) { return e.message; } }"
    )
    assert "opne" in str(said)
    assert "open" in str(said)


async def test_the_language_can_be_changed_while_connected(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()

    await ana.tells("setLocale", "de-AT")

    line, hello = await introduced(server)
    assert (hello["locale"], hello["token"]) == ("de-AT", "t1")
    await line.says(welcome("replay", assistant={"name": "Robin", "greeting": "Grüß Gott!", "starters": []}))
    await expect(ana.panel.get_by_text("Grüß Gott!")).to_be_visible()
    await expect(ana.page.get_by_role("textbox", name="Ihre Nachricht")).to_be_visible()


async def test_the_theme_can_be_set(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    colours: list[str] = []
    for theme in ("dark", "light"):
        await ana.tells("setTheme", theme)
        await expect(ana.page.locator("meanwhile-chat .root")).to_have_attribute("data-theme", theme)
        colours.append(await ana.panel.evaluate("node => getComputedStyle(node).backgroundColor"))
    assert colours[0] != colours[1]


async def test_a_destroyed_chat_is_removed_and_disconnects(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()

    await ana.tells("destroy")

    assert await line.is_closed() in {1000, 1005}
    await expect(ana.page.locator("meanwhile-chat")).to_have_count(0)


async def test_a_later_element_gets_the_lasting_state_again(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(LISTEN, ["open"])
    await ana.tells("setUser", site_token("anna"))
    await ana.page.evaluate(
        """async () => {
            document.querySelector("meanwhile-chat").remove();
            await null;
            document.body.append(document.createElement("meanwhile-chat"));
            Meanwhile.open();
        }"""
    )
    _, hello = await introduced(server)
    assert hello["user"] == site_token("anna")
    assert await told(ana) == [["open", None]]

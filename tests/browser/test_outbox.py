"""A written message is sent once and in order, whatever happens to the connection, the page or the browser's
storage.
"""

import pytest
from playwright.async_api import expect

from tests.browser.conftest import Arrive
from tests.browser.fake_server import FakeServer, Frame, Line
from tests.browser.scenes import Numbered, snapshot
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

THREE = ["One", "Two", "Three"]
WAITING = [f"You: {text}Waiting to be sent" for text in THREE]
BLOCKED = """Object.defineProperty(window, "NAME", {
    get() { throw new DOMException("The operation is insecure.", "SecurityError"); },
});"""
FULL = """Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); };"""


async def _offline(ana: Visitor, server: FakeServer) -> None:
    """The chat is open, and the line is gone."""
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    server.away = True
    line.cut()
    await expect(ana.panel.locator(".link")).to_have_text("Connection lost. Reconnecting…")


async def _writes_three(ana: Visitor) -> None:
    for text in THREE:
        await ana.says(text)
    await ana.sees(*WAITING)


async def _takes_three(line: Line) -> list[Frame]:
    frames = Numbered()
    said = [await line.hears("message") for _ in THREE]
    await line.says(*(frames.accepted(one["id"], str(one["text"])) for one in said))
    return said


async def test_messages_written_offline_are_sent_in_order(ana: Visitor, server: FakeServer) -> None:
    await _offline(ana, server)
    await _writes_three(ana)
    server.away = False

    line = await server.welcomed("replay")

    assert [one["text"] for one in await _takes_three(line)] == THREE
    await ana.sees(*(f"You: {text}" for text in THREE))
    ana.forgive("503")


async def test_messages_written_offline_are_sent_after_a_reload_too(ana: Visitor, server: FakeServer) -> None:
    await _offline(ana, server)
    await _writes_three(ana)
    await ana.opens_chat()
    await ana.sees(*WAITING)
    server.away = False

    line = await server.welcomed("snapshot")
    await line.says(snapshot(0))

    assert [one["text"] for one in await _takes_three(line)] == THREE
    await ana.sees(*(f"You: {text}" for text in THREE))
    ana.forgive("503")


async def test_a_second_loss_sends_only_unanswered_messages_again(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await _writes_three(ana)
    said = [await line.hears("message") for _ in THREE]
    await line.says(Numbered().accepted(said[0]["id"], "One"))
    await ana.sees("You: One", *WAITING[1:])
    line.cut()

    line = await server.welcomed("replay")

    assert [await line.hears("message") for _ in THREE[1:]] == said[1:]


async def test_a_waiting_message_is_below_the_running_answer(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello?")
    said = await line.hears("message")
    frames = Numbered()
    await line.says(*frames.told("m1", "response", "Anything else?"))
    await ana.sees("Robin: Anything else?", "You: Hello?Waiting to be sent")
    await line.says(frames.accepted(said["id"], "Hello?"), *frames.told("m2", "response", "Hello!"))
    await ana.sees("Robin: Anything else?", "You: Hello?", "Robin: Hello!")


async def test_the_draft_survives_a_reload(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.field.fill("I was about to")
    await ana.opens_chat()
    await expect(ana.field).to_have_value("I was about to")


async def test_an_open_panel_is_open_again_on_the_next_page(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await ana.visits()
    await expect(ana.panel).to_be_visible()
    await ana.button("Close chat").click()
    await ana.visits()
    await server.line()
    await expect(ana.launcher).to_be_visible()
    await expect(ana.panel).to_be_hidden()


async def test_on_a_phone_the_panel_does_not_open_by_itself(arrive: Arrive, server: FakeServer) -> None:
    visitor = await arrive(server.url, width=390, height=800)
    await visitor.opens_chat()
    await server.welcomed()
    await visitor.visits()
    await expect(visitor.launcher).to_be_visible()
    await expect(visitor.panel).to_be_hidden()


@pytest.mark.parametrize(
    "broken",
    [BLOCKED.replace("NAME", "localStorage") + BLOCKED.replace("NAME", "sessionStorage"), FULL],
    ids=["blocked", "full"],
)
async def test_a_browser_without_storage_still_has_a_conversation(
    ana: Visitor, server: FakeServer, broken: str
) -> None:
    html = f"""<!doctype html><title>shop</title><script>{broken}</script>
        <script type="module" src="/meanwhile-chat.js"></script><meanwhile-chat></meanwhile-chat>"""
    server.hosts["/forgetful"] = (
        html,
        "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'",
    )
    await ana.page.goto(f"{server.url}forgetful")
    await ana.launcher.click()
    line = await server.welcomed()
    await ana.says("One")
    said = await line.hears("message")
    line.cut()

    line = await server.line()

    hello = await line.hears("hello")
    assert (hello["token"], hello["conversation_id"]) == ("t1", "k1")
    await ana.page.goto("about:blank")
    assert said["text"] == "One"


async def test_stored_nonsense_is_ignored(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """key => { localStorage.setItem(key, "[null]"); sessionStorage.setItem(key, "nonsense{"); }""",
        f"meanwhile:127.0.0.1:{server.port}/:",
    )
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello")
    assert (await line.hears("message"))["text"] == "Hello"

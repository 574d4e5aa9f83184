"""Connection losses: a cut in the middle of a message, a reload, a server that is down, an expired token."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Frame, welcome
from tests.browser.scenes import READ_BACK, Numbered, assistants, customers, snapshot, take_message
from tests.browser.visitor import Visitor

HELLO: Frame = {"type": "hello", "locale": "en", "capabilities": {"notices": True}}

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_the_first_hello_has_no_earlier_state(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.line()
    assert await line.hears("hello") == HELLO | {"last_seq": 0}


async def test_a_cut_in_the_middle_of_a_message_loses_and_repeats_nothing(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("When are you open?")
    await take_message(line, frames)
    first, last = frames.started("m1"), frames.delta("m1", "We are open ")
    await line.says(first, last)
    await ana.sees("You: When are you open?", "Robin: We are open ")

    line.cut()
    line = await server.line()

    assert await line.hears("hello") == HELLO | {
        "token": "t1",
        "conversation_id": "k1",
        "last_seq": last["seq"],
        "epoch": "e1",
    }
    await line.says(welcome("replay", seq=frames.seq), last)
    await line.says(frames.delta("m1", "until six."))
    await line.says(frames.completed("m1", "response", "We are open until six."), frames.turn_completed())
    await ana.sees("You: When are you open?", "Robin: We are open until six.")
    await expect(ana.panel.get_by_text("Connection lost")).to_have_count(1)  # once, as an announcement
    await expect(ana.status).to_contain_text("Connected again.")


async def test_a_loss_is_shown_and_messages_written_meanwhile_are_sent_later(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    server.away = True
    line.cut()
    await expect(ana.panel.locator(".link")).to_have_text("Connection lost. Reconnecting…")
    await ana.says("Are you there?")
    await ana.sees("You: Are you there?Waiting to be sent")
    server.away = False

    line = await server.welcomed("replay")

    said = await line.hears("message")
    assert said["text"] == "Are you there?"
    await line.says(Numbered().accepted(said["id"], "Are you there?"))
    await ana.sees("You: Are you there?")
    await expect(ana.panel.locator(".link")).to_be_hidden()
    ana.forgive("503")


async def test_a_message_without_an_answer_is_sent_again_with_its_id(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello")
    said = await line.hears("message")
    line.cut()

    line = await server.welcomed("replay")

    assert await line.hears("message") == said
    await line.says(Numbered().accepted(said["id"], "Hello"))
    await ana.sees("You: Hello")


async def test_an_accepted_message_is_not_sent_again(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("One")
    said = await line.hears("message")
    await line.says(Numbered().accepted(said["id"], "One"))
    await ana.sees("You: One")
    line.cut()

    line = await server.welcomed("replay")

    await ana.says("Two")
    assert (await line.hears("message"))["text"] == "Two"


async def test_a_reload_restores_the_conversation(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await ana.opens_chat()

    line = await server.line()

    hello = await line.hears("hello")
    assert (hello["token"], hello["conversation_id"], hello["last_seq"]) == ("t1", "k1", 0)
    await line.says(
        welcome("snapshot", seq=20),
        snapshot(
            20,
            customers("c1", "Cancel my appointment"),
            assistants("m1", "Let me see.", "acknowledgement"),
            assistants("m2", READ_BACK),
            omitted=3,
            turn_id="t4",
            open_message={"message_id": "m3", "turn_id": "t4", "text": "I am", "at": 0},
            tools=[{"call_id": "t4/c1.1", "hint": "checking your billing"}],
            confirmation={"confirmation_id": "q1", "read_back": READ_BACK, "calls": [], "expires_at": 1},
        ),
    )
    await ana.sees("You: Cancel my appointment", "Robin: Let me see.", f"Robin: {READ_BACK}", "Robin: I am")
    await expect(ana.chips).to_have_text(["Checking your billing…"])
    await expect(ana.button("Yes")).to_be_visible()
    await expect(ana.button("Stop")).to_be_visible()
    await expect(ana.log).to_contain_text("3 earlier messages are not shown.")
    await expect(ana.status).to_have_text("")

    old: Frame = {"type": "message.delta", "message_id": "m3", "text": "twice", "seq": 20}
    await line.says(old, old | {"seq": 21, "text": " on it."})
    await expect(ana.message("I am on it.")).to_be_visible()


async def test_an_unsent_message_is_sent_after_a_reload(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.says("Hello")
    said = await line.hears("message")
    await ana.opens_chat()

    line = await server.welcomed("snapshot")
    await line.says(snapshot(0))

    assert await line.hears("message") == said
    await ana.sees("You: HelloWaiting to be sent")


async def test_an_unknown_conversation_starts_again(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Of long ago."))
    await ana.sees("Robin: Of long ago.")
    line.cut()

    line = await server.welcomed("new", conversation_id="k2", epoch="e2")

    await ana.sees()
    await line.says(*Numbered().told("m1", "response", "A new beginning."))
    await ana.sees("Robin: A new beginning.")


async def test_a_refused_token_is_not_tried_again(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await line.says({"type": "error", "code": "token_invalid", "retryable": False, "message": "expired"})
    await line.close(4401)

    line = await server.line()

    hello = await line.hears("hello")
    assert "token" not in hello
    assert "conversation_id" not in hello
    await line.says(welcome())
    await ana.says("Hello again")
    assert (await line.hears("message"))["text"] == "Hello again"


async def test_an_invalid_frame_is_ignored(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says_raw("not JSON")
    await line.says_raw("[1, null]")
    await line.says({"type": "toString"}, {"type": "handoff.offered", "seq": 1, "to": "a human"})
    await line.says(
        *[frame | {"seq": 2 + n} for n, frame in enumerate(Numbered().told("m1", "response", "Hi."))]
    )
    await ana.sees("Robin: Hi.")


@pytest.mark.parametrize("shown", [True, False])
async def test_a_moved_element_keeps_its_conversation(ana: Visitor, server: FakeServer, shown: bool) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Still here."))
    await ana.sees("Robin: Still here.")
    if not shown:
        await ana.page.keyboard.press("Escape")
    await ana.page.evaluate(
        "() => document.querySelector('main').append(document.querySelector('meanwhile-chat'))"
    )

    await line.says(*frames.told("m2", "response", "On the same line."))

    await expect(ana.panel).to_be_visible(visible=shown)
    if not shown:
        await ana.launcher.click()
    await ana.sees("Robin: Still here.", "Robin: On the same line.")


async def test_a_client_that_the_server_does_not_understand_stays_disconnected(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    line = await server.line()
    await line.close(4400)
    await expect(ana.panel.locator(".link")).to_have_text("The chat is not available here.")
    await ana.page.evaluate("() => dispatchEvent(new Event('online'))")
    await ana.says("Hello?")
    await ana.sees("You: Hello?Waiting to be sent")
    assert server.waiting == 0


async def test_a_client_over_its_limit_waits_even_if_the_network_returns(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """() => {
            const before = setTimeout;
            window.waits = [];
            window.setTimeout = (call, ms) => (waits.push(ms), before(call, ms));
        }"""
    )
    await ana.launcher.click()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await line.close(4429)
    await expect(ana.panel.locator(".link")).to_have_text("Connection lost. Reconnecting…")
    await ana.page.evaluate("() => dispatchEvent(new Event('online'))")
    assert (await ana.page.evaluate("() => waits"))[-1] == 60_000
    assert server.waiting == 0


@pytest.mark.parametrize("code", [1000, 1001, 1011, 1012, 4408, 4409])
async def test_after_any_other_close_code_the_chat_reconnects(
    ana: Visitor, server: FakeServer, code: int
) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await line.close(code)
    assert (await (await server.line()).hears("hello"))["token"] == "t1"


async def test_a_message_is_reported_as_seen_when_it_is_complete(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(*frames.told("m1", "response", "Hi."))
    assert (await line.hears("seen"))["seq"] == frames.seq
    await ana.button("Close chat").click()
    await line.says(*frames.told("m2", "response", "Are you there?"))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")
    await ana.launcher.click()
    assert await line.hears("seen") == {"type": "seen", "seq": frames.seq}


async def test_a_message_in_a_background_page_does_not_count_as_seen(
    ana: Visitor, server: FakeServer
) -> None:
    frames = Numbered()
    await ana.opens_chat()
    line = await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    hidden = "value => Object.defineProperty(document, 'hidden', { value, configurable: true })"
    await ana.page.evaluate(hidden, True)
    await line.says(*frames.told("m1", "response", "Hi."))
    await ana.sees("Robin: Hi.")
    await ana.page.evaluate(hidden, False)
    await line.says(frames.turn_started())
    assert (await line.hears("seen"))["seq"] == frames.seq

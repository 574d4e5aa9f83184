"""A question that waits for a yes or no: by mouse, by keyboard, and when it is replaced."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Line
from tests.browser.scenes import READ_BACK, Numbered, take_message
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def _asked(ana: Visitor, server: FakeServer, frames: Numbered) -> Line:
    await ana.opens_chat()
    line = await server.welcomed()
    await line.says(
        frames.turn_started(), *frames.asked(), frames.turn_completed(how="awaiting_confirmation")
    )
    await expect(ana.page.get_by_role("group", name=READ_BACK)).to_be_visible()
    return line


async def test_a_click_answers_and_removes_the_buttons(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    line = await _asked(ana, server, frames)

    await ana.button("Yes").click()

    answer = await line.hears("confirm")
    assert (answer["confirmation_id"], answer["answer"], answer["label"]) == ("q1", "yes", "Yes")
    await expect(ana.button("Yes")).to_be_hidden()
    await expect(ana.button("No")).to_be_hidden()
    await line.says(
        frames.accepted(answer["id"], "Yes"),
        frames.turn_started("t2", answer["id"]),
        *frames.told("m9", "response", "Done, it is cancelled."),
        frames.turn_completed("t2"),
    )
    await ana.sees(f"Robin: {READ_BACK}", "You: Yes", "Robin: Done, it is cancelled.")


async def test_the_keyboard_alone_can_say_no(ana: Visitor, server: FakeServer) -> None:
    line = await _asked(ana, server, Numbered())
    await ana.has_focus_on("Your message")
    await ana.page.keyboard.press("Shift+Tab")
    await ana.has_focus_on("No")
    await ana.page.keyboard.press("Shift+Tab")
    await ana.has_focus_on("Yes")
    await ana.page.keyboard.press("Tab")

    await ana.page.keyboard.press("Space")

    assert (await line.hears("confirm"))["answer"] == "no"
    await expect(ana.button("No")).to_be_hidden()
    await ana.has_focus_on("Your message")


async def test_a_new_turn_removes_the_buttons(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    line = await _asked(ana, server, frames)
    await line.says(frames.turn_started("t2"))
    await expect(ana.button("Yes")).to_be_hidden()


async def test_a_repeated_question_has_buttons_again(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    line = await _asked(ana, server, frames)
    await line.says(frames.turn_started("t2"), *frames.asked("Shall I, yes or no?", "q2"))
    await ana.page.get_by_role("group", name="Shall I, yes or no?").get_by_role("button", name="Yes").click()
    assert (await line.hears("confirm"))["confirmation_id"] == "q2"


async def test_a_late_answer_is_shown_as_too_late(ana: Visitor, server: FakeServer) -> None:
    line = await _asked(ana, server, Numbered())
    await ana.button("Yes").click()
    answer = await line.hears("confirm")
    await line.says(
        {"type": "rejected", "id": answer["id"], "code": "confirmation_closed", "message": "closed"}
    )
    await ana.sees(f"Robin: {READ_BACK}", "You: YesNot sent. That question is no longer open.")
    await expect(ana.button("Try again")).to_have_count(0)


async def test_the_question_is_repeated_only_if_it_is_not_visible(ana: Visitor, server: FakeServer) -> None:
    frames = Numbered()
    line = await _asked(ana, server, frames)
    await expect(ana.panel.locator(".asked")).to_have_count(0)
    await line.says(frames.turn_started("t2"), frames.asked("And the other one?", "q2")[-1])
    await expect(ana.panel.locator(".asked")).to_have_text("And the other one?")


async def test_a_whole_conversation_by_keyboard_alone(ana: Visitor, server: FakeServer) -> None:
    frames, keys = Numbered(), ana.page.keyboard
    await ana.visits()
    await expect(ana.launcher).to_be_visible()
    for _ in range(30):
        await keys.press("Tab")
        if await ana.focused() == "Chat with us":
            break
    await keys.press("Enter")
    line = await server.welcomed()
    await expect(ana.panel).to_be_visible()
    await ana.has_focus_on("Your message")
    await expect(ana.button("When are you open?")).to_be_visible()
    await keys.press("Shift+Tab")
    await ana.has_focus_on("When are you open?")
    await keys.press("Tab")
    await keys.type("Cancel my Tuesday appointment")
    await keys.press("Enter")
    await take_message(line, frames)
    await line.says(
        *frames.told("m1", "acknowledgement", "Let me see."),
        *frames.asked(),
        frames.turn_completed(how="awaiting_confirmation"),
    )
    await expect(ana.button("Yes")).to_be_visible()
    await keys.press("Shift+Tab")
    await keys.press("Shift+Tab")
    await ana.has_focus_on("Yes")
    await keys.press("Enter")
    answer = await line.hears("confirm")
    await expect(ana.button("Yes")).to_be_hidden()
    await ana.has_focus_on("Your message")
    await line.says(
        frames.accepted(answer["id"], "Yes"),
        frames.turn_started("t2", answer["id"]),
        *frames.told("m2", "response", "Done. See [what we charge](https://shop.example/fees)."),
        frames.turn_completed("t2"),
    )
    await expect(ana.page.get_by_role("link", name="what we charge")).to_be_visible()
    for _ in range(8):
        await keys.press("Shift+Tab")
        if await ana.focused() == "what we charge":
            break
    await ana.has_focus_on("what we charge")
    await keys.press("Escape")
    await expect(ana.panel).to_be_hidden()
    await ana.has_focus_on("Chat with us")

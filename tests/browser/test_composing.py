"""Writing a message: several lines, input methods, and a field that grows."""

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_shift_and_enter_begins_a_new_line(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.field.press_sequentially("one")
    await ana.field.press("Shift+Enter")
    await ana.field.press_sequentially("two")
    await ana.field.press("Enter")
    assert (await line.hears("message"))["text"] == "one\ntwo"
    await expect(ana.field).to_have_value("")
    await ana.field.press("Enter")
    await ana.sees("You: one\ntwoWaiting to be sent")


async def test_a_text_that_is_too_long_stays_in_the_field(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    line = await server.welcomed(max_text=10)
    await expect(ana.button("When are you open?")).to_be_visible()
    await ana.says("This is too long")
    await expect(ana.field).to_have_value("This is too long")
    await ana.says("This is ok")
    assert (await line.hears("message"))["text"] == "This is ok"


async def test_the_field_grows_with_its_text_to_a_limit(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    heights: list[float] = []
    for text in ("one", "one\ntwo\nthree", "word " * 400):
        await ana.field.fill(text)
        await expect(ana.panel.locator(".field")).to_have_attribute("data-text", text)
        box = await ana.field.bounding_box()
        assert box is not None
        heights.append(box["height"])
    assert heights[0] < heights[1] < heights[2] <= 136
    assert await ana.field.evaluate("node => node.getAttribute('style')") is None


@pytest.mark.parametrize("taken", ["isComposing: true", "keyCode: 229"])
async def test_enter_that_chooses_a_word_sends_nothing(ana: Visitor, server: FakeServer, taken: str) -> None:
    await ana.opens_chat()
    line = await server.welcomed()
    await ana.field.fill("こんにち")
    press = f"node => node.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', {taken} }}))"
    await ana.field.evaluate(press)
    await expect(ana.field).to_have_value("こんにち")
    await ana.says("こんにちは")
    assert (await line.hears("message"))["text"] == "こんにちは"


async def test_escape_ends_a_composition_before_it_closes_the_panel(ana: Visitor, server: FakeServer) -> None:
    await ana.opens_chat()
    await server.welcomed()
    pressed = "(node, composing) => node.dispatchEvent(new KeyboardEvent('keydown', composing))"
    for key in ("Escape", "Enter"):
        composing = {"key": key, "isComposing": True, "bubbles": True, "composed": True, "cancelable": True}
        await ana.field.fill("n")
        await ana.field.evaluate(pressed, composing)
        await expect(ana.field).to_have_value("n")
        await expect(ana.panel).to_be_visible()


async def test_typed_text_is_not_passed_to_the_shops_page(ana: Visitor, server: FakeServer) -> None:
    await ana.visits()
    await ana.page.evaluate(
        """() => {
            window.overheard = [];
            for (const type of ["keydown", "keyup", "paste"]) {
                document.addEventListener(type, event => overheard.push(event.key));
            }
        }"""
    )
    await ana.launcher.click()
    await ana.field.press_sequentially("a/b")
    assert await ana.page.evaluate("() => window.overheard") == []

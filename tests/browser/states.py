"""Twelve states of the chat, from closed to a long history, each made by frames of the server."""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from playwright.async_api import FilePayload, expect

from tests.browser.fake_server import FakeServer, Frame, Line, Value
from tests.browser.scenes import Numbered, assistants, attachment, customers, snapshot, take_message
from tests.browser.visitor import Visitor

State: TypeAlias = Callable[[Visitor, FakeServer], Awaitable[None]]

ANSWER = """Here is what I found, **all of it**:

| What | When | Amount |
|------|------|-------:|
| Eye test with Dr. Lee | Tue, 2 pm | $60.00 |
| Progressive lenses | due 1 Dec | $150.00 |

1. Bring your *old glasses*.
2. See [how to find us](https://shop.example/visit) or write to [the desk](mailto:desk@shop.example).

> Cancel up to a day before.

Your code is `WF-2041`."""


async def closed(ana: Visitor, server: FakeServer) -> None:
    """Nothing but the launcher, with one message unread."""
    line = await _opened(ana, server)
    await ana.page.keyboard.press("Escape")
    await line.says(*Numbered().told("m1", "response", "Are you still there?"))
    await expect(ana.launcher).to_have_accessible_name("Chat with us, 1 new message")


async def intro(ana: Visitor, server: FakeServer) -> None:
    """Greeting and starters."""
    await _opened(ana, server)


async def typing(ana: Visitor, server: FakeServer) -> None:
    """A text of several lines in the field, longer than is taken."""
    await _opened(ana, server, max_text=60)
    await ana.field.fill("I would like to know when my next appointment is\nand what I owe you.")
    await expect(ana.panel.get_by_text("Please shorten your message by")).to_be_visible()


async def acknowledging(ana: Visitor, server: FakeServer) -> None:
    """An acknowledgement that is still growing."""
    line, frames = await _asked_for_two_things(ana, server)
    await line.says(frames.started("m1"), frames.delta("m1", "Sure, I'll look up your appointments"))
    await expect(ana.log.get_by_text("Sure, I'll look up your appointments")).to_be_visible()


async def looking_up(ana: Visitor, server: FakeServer) -> None:
    """Tools running, and done in every way there is."""
    line, frames = await _asked_for_two_things(ana, server)
    await line.says(*_looking_up(frames))
    for number, outcome in enumerate(["ok", "empty", "failed", "unknown"]):
        call = f"t1/c2.{number}"
        await line.says(
            frames.tool_started(call, "checking your billing"), frames.tool_finished(call, outcome)
        )
    await expect(ana.chips).to_have_count(6)


async def answered(ana: Visitor, server: FakeServer) -> None:
    """An answer with everything that Markdown can be, rated."""
    line, frames = await _asked_for_two_things(ana, server)
    await line.says(*_looking_up(frames), *_looked_up(frames), *frames.told("m2", "response", ANSWER))
    await line.says(frames.turn_completed(), frames.frame("rated", message_id="m2", rating="up"))
    await expect(ana.log.get_by_role("table")).to_be_visible()
    await expect(ana.button("Helpful")).to_have_attribute("aria-pressed", "true")


async def files(ana: Visitor, server: FakeServer) -> None:
    """Files that were refused, below the last that were sent."""
    line = await _opened(
        ana, server, resumed="snapshot", uploads={"max_bytes": 1000, "max_files": 1, "endings": [".txt"]}
    )
    sent: Frame = {**customers("c1", "Look"), "attachments": [{"ref": "document:1", "name": "letter.txt"}]}
    await line.says(snapshot(1, sent))
    refused: FilePayload = {"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": b"x"}
    await ana.panel.locator("input[type=file]").set_input_files(refused)
    await expect(ana.button("Remove photo.jpg")).to_be_visible()


async def attached(ana: Visitor, server: FakeServer) -> None:
    """An answer with a picture and a file."""
    line, frames = await _asked_for_two_things(ana, server)
    given: list[Value] = [
        attachment("Your parcel at the door", "icon.svg", (480, 360)),
        attachment("invoice.pdf", "v1/attachments/two"),
    ]
    await line.says(frames.started("m1"), frames.completed("m1", "response", "Here.", attachments=given))
    await expect(ana.log.get_by_role("link")).to_have_count(2)


async def asked_back(ana: Visitor, server: FakeServer) -> None:
    """A question that waits for a yes or no."""
    line, frames = await _asked_for_two_things(ana, server)
    await line.says(*frames.asked(), frames.turn_completed(how="awaiting_confirmation"))
    await expect(ana.button("Yes")).to_be_visible()


async def cut_off(ana: Visitor, server: FakeServer) -> None:
    """No connection, and two messages that wait for it."""
    line = await _opened(ana, server)
    server.away = True
    line.cut()
    await expect(ana.panel.locator(".link")).to_contain_text("Connection lost.")
    await ana.says("Are you there?")
    await ana.says("I need to change my appointment.")
    await expect(ana.panel.locator(".link")).to_contain_text("Your 2 messages will be sent then.")
    ana.forgive("WebSocket connection")


async def in_trouble(ana: Visitor, server: FakeServer) -> None:
    """A refused message, an error, and an edit that was refused."""
    line = await _opened(ana, server)
    await ana.says("Hello?")
    said = await line.hears("message")
    await line.says(
        {"type": "rejected", "id": said["id"], "code": "busy", "message": "too much"},
        {"type": "error", "code": "not_supported", "retryable": False, "message": "no audio"},
        {"type": "notice", "problem": True, "message": "prompts/narrator.j2:4: unexpected '}'"},
    )
    await expect(ana.panel.get_by_text("prompts/narrator.j2:4")).to_be_visible()
    await expect(ana.button("Try again")).to_be_visible()


async def scrolled_up(ana: Visitor, server: FakeServer) -> None:
    """The beginning of a long history, of which the oldest part is not shown."""
    line = await _opened(ana, server, "snapshot")
    pairs = [
        message
        for number in range(24)
        for message in (
            customers(f"c{number}", f"Question {number}?"),
            assistants(f"m{number}", f"Answer {number}. " + "We are open until six. " * 4),
        )
    ]
    await line.says(snapshot(90, *pairs, omitted=12))
    await expect(ana.message("Question 23?")).to_be_in_viewport()
    await ana.panel.locator(".scroller").evaluate("node => { node.scrollTop = 0; }")
    await expect(ana.button("Newest messages")).to_be_visible()


STATES: Mapping[str, State] = MappingProxyType(
    {
        state.__name__: state
        for state in (
            closed,
            intro,
            typing,
            acknowledging,
            looking_up,
            answered,
            attached,
            files,
            asked_back,
            cut_off,
            in_trouble,
            scrolled_up,
        )
    }
)


async def _opened(ana: Visitor, server: FakeServer, resumed: str = "new", **changes: Value) -> Line:
    await ana.opens_chat()
    line = await server.welcomed(resumed, **changes)
    await expect(ana.panel.get_by_text("Hello, this is Robin.")).to_be_visible()
    return line


async def _asked_for_two_things(ana: Visitor, server: FakeServer) -> tuple[Line, Numbered]:
    line, frames = await _opened(ana, server), Numbered()
    await ana.says("Check my appointments and billing")
    await take_message(line, frames)
    return line, frames


def _looking_up(frames: Numbered) -> list[Frame]:
    return [
        *frames.told("m1", "acknowledgement", "Sure, I'll look up your appointments and check your billing."),
        frames.tool_started("t1/c1.1", "looking up your appointments"),
        frames.tool_started("t1/c1.2", "checking your billing"),
    ]


def _looked_up(frames: Numbered) -> list[Frame]:
    return [frames.tool_finished("t1/c1.1", "ok"), frames.tool_finished("t1/c1.2", "ok")]

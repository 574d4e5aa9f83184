"""The states of a chat with voice, each made by frames of the server."""

from collections.abc import Mapping
from types import MappingProxyType

from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Line
from tests.browser.scenes import Numbered
from tests.browser.states import State
from tests.browser.visitor import Visitor
from tests.browser.voice import activity, doing, heard, microphone, opened, played, sound, speaking

SAID = "You're booked for an eye test on Tuesday at 2 pm. Please bring your old glasses along."


async def silent_so_far(ben: Visitor, server: FakeServer) -> None:
    """The microphone's button, not pressed yet, next to all other buttons."""
    await opened(ben, server)


async def starting(ben: Visitor, server: FakeServer) -> None:
    """The server has not answered yet."""
    line = await opened(ben, server)
    await microphone(ben).click()
    await line.hears("audio.start")


async def understood(ben: Visitor, server: FakeServer) -> None:
    """The customer speaks, and sees what is understood."""
    line, _ = await _talked(ben, server)
    await line.says(activity("hearing"))
    await line.says({"type": "audio.caption", "text": "And what do I still have to", "final": False})
    await expect(doing(ben)).to_have_text("Hearing you")


async def answering(ben: Visitor, server: FakeServer) -> None:
    """The first half of an answer is being spoken."""
    line, frames = await _talked(ben, server)
    await line.says(frames.turn_started("t2"), *frames.told("m1", "response", SAID))
    await line.says(frames.frame("message.heard", **heard(0)), activity("speaking"))
    await line.speaks(1, sound(5.0), message_id="m1", start=0, end=49)
    await played(line, 1)
    await expect(ben.log.get_by_text("eye test on Tuesday")).to_be_visible()


async def interrupted(ben: Visitor, server: FakeServer) -> None:
    """An answer that was interrupted, and the microphone muted."""
    line, frames = await _talked(ben, server)
    await line.says(*frames.told("m1", "response", SAID), frames.frame("message.heard", **heard(29)))
    await ben.button("Mute the microphone").click()
    await expect(doing(ben)).to_have_text("Muted")


async def holding(ben: Visitor, server: FakeServer) -> None:
    """Push to talk, with the button held."""
    await pushing(ben, server)
    await ben.panel.locator(".talk").hover()
    await ben.page.mouse.down()
    await expect(ben.panel.locator(".talk")).to_have_attribute("aria-pressed", "true")


async def pushing(ben: Visitor, server: FakeServer) -> None:
    """Push to talk."""
    await ben.visits()
    await ben.page.evaluate("() => localStorage.setItem('meanwhile:voice', '{\"mode\": \"push_to_talk\"}')")
    await speaking(ben, server)


async def refused(ben: Visitor, server: FakeServer) -> None:
    """The customer has not allowed the microphone."""
    await ben.page.context.clear_permissions()
    await opened(ben, server)
    await microphone(ben).click()
    await expect(ben.panel.locator("[part=voice-problem]")).to_be_visible()


VOICE_STATES: Mapping[str, State] = MappingProxyType(
    {
        state.__name__: state
        for state in (
            silent_so_far,
            starting,
            understood,
            answering,
            interrupted,
            pushing,
            holding,
            refused,
        )
    }
)


async def _talked(ben: Visitor, server: FakeServer) -> tuple[Line, Numbered]:
    line, frames = await speaking(ben, server), Numbered()
    await line.says(frames.accepted("v-1", "When is my next appointment?") | {"spoken": True})
    await ben.sees("You: When is my next appointment?")
    return line, frames

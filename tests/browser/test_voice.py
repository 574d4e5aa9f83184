"""The microphone: turned on, allowed, refused, muted, lost; and which sound goes to the server."""

import re

import numpy as np
import pytest
from playwright.async_api import Route, expect

from tests.browser.fake_server import FakeServer, Line
from tests.browser.scenes import Numbered, take_message
from tests.browser.sound import pitch, samples
from tests.browser.visitor import Visitor
from tests.browser.voice import (
    KEEP_TRACK,
    activity,
    doing,
    microphone,
    opened,
    played,
    ready,
    silent,
    sound,
    speaking,
)

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

REFUSE = (
    "name => { navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('no', name)); }"
)
UNAVAILABLE = "Speaking is not available just now. You can go on in writing."


async def test_without_voice_on_the_server_there_is_no_microphone_button(
    ana: Visitor, server: FakeServer
) -> None:
    await ana.opens_chat()
    await server.welcomed()
    await expect(ana.button("When are you open?")).to_be_visible()
    await expect(microphone(ana)).to_have_count(0)


async def test_missing_voice_support_is_reported_to_developers(ana: Visitor, server: FakeServer) -> None:
    missing = "pip install 'meanwhile-assistant[voice]'"
    await ana.opens_chat()
    await server.welcomed(voice={"ready": False, "problem": missing})
    await ana.page.evaluate(
        "() => { window.told = []; Meanwhile.on('error', told => window.told.push(told)); }"
    )
    await microphone(ana).click()
    await expect(ana.panel.locator("[part=voice-problem]")).to_have_text(UNAVAILABLE)
    await expect(ana.page.get_by_role("alert")).to_have_text(UNAVAILABLE)
    await expect(microphone(ana)).to_have_attribute("aria-pressed", "false")
    assert await ana.page.evaluate("told") == [{"code": "voice_not_ready", "message": missing}]
    assert [complaint for complaint in ana.complaints if missing in complaint]
    await expect(ana.panel).not_to_contain_text("pip")
    ana.forgive(missing)


async def test_the_microphones_sound_goes_to_the_server(ben: Visitor, server: FakeServer) -> None:
    line = await opened(ben, server)
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "false")
    await microphone(ben).click()
    start = await line.hears("audio.start")
    assert start == {"type": "audio.start", "mode": "hands_free", "speak": True, "tempo": 1}
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "true")
    await expect(doing(ben)).to_have_text("One moment…")
    assert line.sound == []

    await line.says(ready())
    await expect(doing(ben)).to_have_text("Listening")
    await expect(ben.status).to_have_text("The microphone is on. You can speak now.")
    whistle = await line.listens(1.0)
    assert pitch(whistle, 16_000) == pytest.approx(1_000, abs=2)
    assert 0.2 < float(np.abs(samples(whistle)).max()) <= 1
    lengths = {len(frame) for frame in line.sound}
    assert lengths <= {1_024}
    quiet = await ben.panel.locator(".level path").get_attribute("d")
    assert quiet is not None
    assert not quiet.startswith("M3 10.5")

    await microphone(ben).click()
    await line.hears("audio.stop")
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "false")
    await expect(ben.panel.locator(".voice")).to_have_count(0)
    await expect(ben.status).to_contain_text("The microphone is off.")


async def test_the_voice_module_is_loaded_when_it_is_needed(ben: Visitor, server: FakeServer) -> None:
    files = ["/voice.js", "/capture.js"]
    line = await opened(ben, server)
    assert [file for file in files if file in server.asked] == []
    await microphone(ben).click()
    await line.hears("audio.start")
    # Once each, and not once more for the integrity.
    assert [path for path in server.asked if path in files] == files


async def test_a_voice_module_of_another_build_is_refused(ben: Visitor, server: FakeServer) -> None:
    async def another(route: Route) -> None:
        headers = {"Access-Control-Allow-Origin": "*"}
        await route.fulfill(body="export class Voice {}", content_type="text/javascript", headers=headers)

    line = await opened(ben, server)
    await ben.page.route("**/voice.js*", another)
    await microphone(ben).click()
    await expect(ben.panel.locator("[part=voice-problem]")).to_have_text(UNAVAILABLE)
    await ben.page.unroute("**/voice.js*")
    await microphone(ben).click()
    await line.hears("audio.start")
    await expect(ben.panel.locator("[part=voice-problem]")).to_have_count(0)
    ben.forgive("integrity")
    ben.forgive("voice.js")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("NotAllowedError", "The microphone is not allowed here."),
        ("NotFoundError", "No microphone was found."),
        ("NotReadableError", "Perhaps another program is using it."),
        ("TypeError", "Speaking does not work just now."),
    ],
)
async def test_an_unavailable_microphone_is_explained_in_a_sentence(
    ben: Visitor, server: FakeServer, name: str, sentence: str
) -> None:
    await opened(ben, server)
    await ben.page.evaluate(REFUSE, name)
    await microphone(ben).click()
    await expect(ben.panel.locator("[part=voice-problem]")).to_contain_text(sentence)
    await expect(ben.page.get_by_role("alert")).to_contain_text(sentence)
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "false")
    await ben.tells("setLocale", "de")
    await expect(ben.panel.locator("[part=voice-problem]")).not_to_contain_text(sentence)
    await ben.page.get_by_role("textbox", name="Ihre Nachricht").fill("Dann eben so")
    await ben.page.keyboard.press("Enter")
    await expect(ben.panel.locator("[part=voice-problem]")).to_have_count(0)


async def test_a_customer_may_refuse_the_microphone(ben: Visitor, server: FakeServer) -> None:
    await ben.page.context.clear_permissions()
    await opened(ben, server)
    await microphone(ben).click()
    await expect(ben.panel.locator("[part=voice-problem]")).to_contain_text(
        "The microphone is not allowed here."
    )


async def test_an_insecure_page_has_no_microphone(ben: Visitor, server: FakeServer) -> None:
    there = Visitor(ben.page, f"http://shop.test:{server.port}/")
    await opened(there, server)
    await microphone(there).click()
    await expect(there.panel.locator("[part=voice-problem]")).to_contain_text("a secure page (https)")


async def test_a_microphone_that_disappears_is_reported(ben: Visitor, server: FakeServer) -> None:
    line = await opened(ben, server)
    await ben.page.evaluate(KEEP_TRACK)
    await microphone(ben).click()
    await line.hears("audio.start")
    await line.says(ready())
    await expect(doing(ben)).to_have_text("Listening")
    await ben.page.evaluate("() => track.dispatchEvent(new Event('ended'))")
    await line.hears("audio.stop")
    await expect(ben.panel.locator("[part=voice-problem]")).to_contain_text(
        "The microphone was disconnected."
    )


async def test_a_server_that_cannot_listen_after_all_is_reported(ben: Visitor, server: FakeServer) -> None:
    line = await opened(ben, server)
    await microphone(ben).click()
    await line.hears("audio.start")
    await line.says({"type": "error", "code": "not_supported", "retryable": False, "message": "no room"})
    await expect(ben.panel.locator("[part=voice-problem]")).to_contain_text(
        "Speaking does not work just now."
    )
    await expect(ben.panel.locator("[part=error]")).to_have_count(0)


async def test_the_last_window_that_turned_the_microphone_on_has_it(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.says({"type": "error", "code": "not_supported", "retryable": False, "message": "elsewhere"})
    await expect(ben.panel.locator("[part=voice-problem]")).to_contain_text("on in another window")
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "false")
    await expect(ben.panel.locator("[part=error]")).to_have_count(0)


async def test_speech_that_was_not_understood_is_shown_until_the_next_speech(
    ben: Visitor, server: FakeServer
) -> None:
    line = await speaking(ben, server)
    sentence = "Sorry, I did not get that."
    await line.says({"type": "error", "code": "not_heard", "retryable": False, "message": sentence})
    await expect(ben.panel.get_by_text(sentence)).to_be_visible()
    await expect(ben.panel.locator("[part=error]")).to_have_count(0)
    await line.says({"type": "audio.caption", "text": "Again", "final": False})
    await expect(ben.panel.get_by_text(sentence)).to_have_count(0)


async def test_a_closed_panel_does_not_listen(ben: Visitor, server: FakeServer) -> None:
    line = await opened(ben, server)
    await ben.page.evaluate(KEEP_TRACK)
    await microphone(ben).click()
    await line.hears("audio.start")
    await line.says(ready())
    await expect(doing(ben)).to_have_text("Listening")
    assert await ben.page.evaluate("track.readyState") == "live"
    await ben.button("Close chat").click()
    await line.hears("audio.stop")
    assert await ben.page.evaluate("track.readyState") == "ended"


async def test_a_muted_microphone_sends_nothing(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    mute = ben.button("Mute the microphone")
    await mute.click()
    await expect(mute).to_have_attribute("aria-pressed", "true")
    await expect(doing(ben)).to_have_text("Muted")
    # What was on its way still comes; then, for a while, there is silence.
    assert not any((await line.listens(1.0))[-8_000:])
    await mute.click()
    await expect(mute).to_have_attribute("aria-pressed", "false")
    await expect(doing(ben)).to_have_text("Listening")
    assert pitch((await line.listens(1.5))[-16_000:], 16_000) == pytest.approx(1_000, abs=5)


async def test_the_way_of_speaking_is_chosen_and_remembered(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await ben.panel.get_by_label("How to talk").select_option("Push to talk")
    start = await line.hears("audio.start")
    assert (start["mode"], start["tempo"]) == ("push_to_talk", 1)
    await line.says(ready("push_to_talk"))
    await ben.panel.get_by_label("How fast answers are spoken").select_option("1.25×")
    start = await line.hears("audio.start")
    assert (start["mode"], start["tempo"]) == ("push_to_talk", 1.25)
    await line.says(ready("push_to_talk"))
    await expect(ben.button("Hold to talk")).to_be_visible()

    line = await opened(ben, server)
    await microphone(ben).click()
    start = await line.hears("audio.start")
    assert (start["mode"], start["tempo"]) == ("push_to_talk", 1.25)


@pytest.mark.parametrize("key", [None, "Space", "Enter"])
async def test_holding_the_button_sends_the_sound(ben: Visitor, server: FakeServer, key: str | None) -> None:
    line = await _pushing(ben, server)
    talk = ben.panel.locator(".talk")
    # While something is played, time goes by in which nothing may be heard.
    await line.speaks(1, sound(0.6))
    assert await silent(line, 1) == 600
    assert line.sound == []

    await (talk.focus() if key else talk.hover())
    await (ben.page.keyboard.down(key) if key else ben.page.mouse.down())
    await expect(talk).to_have_attribute("aria-pressed", "true")
    await expect(talk).to_have_text("Let go when you are done")
    await line.speaks(2, sound(0.4))
    await silent(line, 2)
    await (ben.page.keyboard.up(key) if key else ben.page.mouse.up())
    await line.hears("audio.end")
    await expect(talk).to_have_attribute("aria-pressed", "false")
    before_ms = 300
    assert len(b"".join(line.sound)) > (before_ms + 400) * 32
    assert pitch(b"".join(line.sound), 16_000) == pytest.approx(1_000, abs=5)


@pytest.mark.parametrize("how", ["click", "key", "screen reader"])
async def test_the_button_can_be_tapped_instead_of_held(ben: Visitor, server: FakeServer, how: str) -> None:
    line = await _pushing(ben, server)
    talk = ben.panel.locator(".talk")

    async def taps() -> None:
        if how == "click":
            await talk.click()
        elif how == "key":
            await talk.press("Enter")
        else:
            await talk.dispatch_event("click")

    await taps()
    await expect(talk).to_have_text("Tap when you are done")
    await expect(talk).to_have_attribute("aria-pressed", "true")
    await line.listens(0.5)
    await taps()
    await line.hears("audio.end")
    await expect(talk).to_have_text("Hold to talk")


async def test_voice_continues_after_a_lost_connection(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.speaks(1, sound(3.0))
    await played(line, 1, past_ms=200)
    line.cut()
    await expect(doing(ben)).to_have_text("One moment…")
    line = await server.welcomed("replay", voice={"ready": True, "problem": None})
    assert (await line.hears("audio.start"))["mode"] == "hands_free"
    await line.says(ready(), activity("listening"))
    await expect(doing(ben)).to_have_text("Listening")
    assert len(await line.listens(0.3)) > 0
    # A clip's number counts anew, and nothing of the old one is left.
    await line.speaks(1, sound(0.2))
    assert await silent(line, 1) == 200
    ben.forgive("WebSocket")


async def test_the_microphone_is_off_when_another_customer_signs_in(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await ben.page.evaluate(
        "() => Meanwhile.setUser(() => new Promise(resolve => { window.tell = resolve; }))"
    )
    line.cut()
    line = await server.welcomed("new", conversation_id="k2", voice={"ready": True, "problem": None})
    await line.hears("audio.stop")
    await expect(microphone(ben)).to_have_attribute("aria-pressed", "false")
    ben.forgive("WebSocket")


async def test_the_activity_is_shown_and_not_announced(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    for what, shown in [("hearing", "Hearing you"), ("thinking", "Thinking"), ("speaking", "Speaking")]:
        await line.says(activity(what))
        await expect(doing(ben)).to_have_text(shown)
    await expect(ben.status).to_have_text("The microphone is on. You can speak now.")
    await ben.tells("setLocale", "de")
    # The line is a new one then, in the other language.
    await expect(doing(ben)).to_have_text("Einen Moment…")


async def test_the_transcript_is_shown_where_the_message_will_be(ben: Visitor, server: FakeServer) -> None:
    line, frames = await speaking(ben, server), Numbered()
    draft = ben.panel.locator("[part~=draft]")
    for text, final in [("When are", False), ("When are you open", False), ("When are you open?", True)]:
        await line.says({"type": "audio.caption", "text": text, "final": final})
        await expect(draft).to_have_text(re.compile(rf"You:\s+{re.escape(text)}$"))
    await line.says(frames.accepted("v-1", "When are you open?") | {"spoken": True})
    await expect(draft).to_have_count(0)
    await ben.sees("You: When are you open?")
    await line.says({"type": "audio.caption", "text": "Um", "final": False})
    await expect(draft).to_have_count(1)
    await line.says({"type": "audio.caption", "text": "", "final": False})
    await expect(draft).to_have_count(0)


async def test_a_customer_can_write_while_speaking(ben: Visitor, server: FakeServer) -> None:
    line, frames = await speaking(ben, server), Numbered()
    await line.speaks(1, sound(5.0))
    await played(line, 1, past_ms=100)
    await ben.says("Never mind")
    # It is silent before the server has heard of the message, and stays so.
    assert await silent(line, 1) < 2_500
    await take_message(line, frames)
    await line.says({"type": "audio.clear"})
    await line.speaks(2, sound(0.2))
    assert await silent(line, 2) == 200


async def test_speech_that_continues_after_its_turn_can_be_stopped(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await expect(ben.button("Stop")).to_be_hidden()
    await line.speaks(1, sound(5.0))
    await line.says(activity("speaking"))
    await played(line, 1)

    await ben.button("Stop").click()

    assert await silent(line, 1) < 5_000
    assert (await line.hears("cancel"))["turn_id"] is None
    await line.says({"type": "audio.clear"}, activity("listening"))
    await expect(ben.button("Stop")).to_be_hidden()


async def test_speech_that_was_paused_for_nothing_continues(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.speaks(1, sound(1.2))
    await played(line, 1, past_ms=100)
    await ben.says("Never mind")
    await silent(line, 1)
    said = await line.hears("message")
    await line.says({"type": "rejected", "id": said["id"], "code": "busy", "message": "too much"})
    assert await silent(line, 1) == 1_200


async def _pushing(ben: Visitor, server: FakeServer) -> Line:
    await opened(ben, server)
    await ben.page.evaluate("() => localStorage.setItem('meanwhile:voice', '{\"mode\": \"push_to_talk\"}')")
    return await speaking(ben, server)

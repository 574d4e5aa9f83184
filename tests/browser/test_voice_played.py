"""The assistant's speech: played, reported, and shown no sooner than it is spoken."""

from itertools import pairwise

import pytest
from playwright.async_api import expect

from tests.browser.fake_server import FakeServer, Line
from tests.browser.scenes import Numbered, assistants, snapshot
from tests.browser.visitor import Visitor
from tests.browser.voice import activity, all_of, heard, opened, played, silent, sound, speaking

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SAID = "Your appointment is on Tuesday. Please bring your old glasses."
FIRST = len("Your appointment is on Tuesday.")
SLACK_MS = 700
"""How much later than it should a busy machine may do something, by the clock of the sound."""


async def test_the_heard_position_is_reported_from_beginning_to_end(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.speaks(1, sound(1.5))
    await line.speaks(2, sound(0.4))
    told = await all_of(line, 1)
    assert told == sorted(told)
    assert told[0] < SLACK_MS
    assert told[-1] == 1_500
    # Twice a second, by the clock of the sound.
    assert all(later - earlier <= 500 + SLACK_MS for earlier, later in pairwise(told))
    assert len(told) >= 3
    assert (await all_of(line, 2))[-1] == 400


async def test_a_pause_remembers_its_position(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.speaks(1, sound(2.0))
    before = (await played(line, 1, past_ms=200))["ms"]
    await line.says({"type": "audio.pause"})
    paused = await silent(line, 1)
    assert isinstance(before, int)
    assert before <= paused < before + SLACK_MS
    await line.says({"type": "audio.resume"})
    after = await played(line, 1)
    assert after["playing"]
    assert isinstance(after["ms"], int)
    assert paused <= after["ms"] < paused + SLACK_MS
    assert await silent(line, 1) == 2_000


async def test_cleared_clips_are_forgotten(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.speaks(1, sound(4.0))
    await line.speaks(2, sound(4.0))
    await played(line, 1, past_ms=200)
    await line.says({"type": "audio.clear"})
    assert 200 <= await silent(line, 1) < 200 + 400 + SLACK_MS
    await line.speaks(3, sound(0.3))
    # The next that is heard of is the third: nothing of the second was ever played.
    assert (await line.hears("audio.played"))["clip"] == 3
    assert await silent(line, 3) == 300


async def test_a_dropped_clip_fades_and_the_next_one_is_heard(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    for clip in (1, 2):
        await line.speaks(clip, sound(4.0))
    await line.speaks(3, sound(0.3))
    await played(line, 1, past_ms=200)
    await line.says({"type": "audio.drop", "clips": [1, 2, 9], "fade_ms": 200})
    assert 400 <= await silent(line, 1) < 200 + 600 + SLACK_MS
    assert (await line.hears("audio.played"))["clip"] == 3
    assert await silent(line, 3) == 300


async def test_an_invalid_clip_is_not_played_and_does_no_harm(ben: Visitor, server: FakeServer) -> None:
    line = await speaking(ben, server)
    await line.says_bytes(b"")
    await line.says_bytes(b"\x07\x00\x00\x00ab")
    await line.says({"type": "audio.clip_end", "clip": 7, "ms": 10}, {"type": "audio.resume"})
    await line.says(
        {"type": "audio.clip", "clip": 1, "rate": 24_000, "message_id": None, "start": 0, "end": 0}
    )
    await line.says_bytes(b"\x01\x00\x00\x00a")
    await line.says({"type": "audio.clip_end", "clip": 1, "ms": 0})
    assert await silent(line, 1) == 0
    await line.speaks(2, sound(0.2))
    assert await silent(line, 2) == 200


async def _answers(line: Line, frames: Numbered) -> None:
    """All of the answer is written before a word of it is spoken."""
    await line.says(frames.turn_started(), activity("thinking"), *frames.told("m1", "response", SAID))
    await line.says(frames.turn_completed(), frames.frame("message.heard", **heard(0)), activity("speaking"))


async def test_a_message_is_shown_as_far_as_it_is_spoken(ben: Visitor, server: FakeServer) -> None:
    line, frames = await speaking(ben, server), Numbered()
    await _answers(line, frames)
    await expect(ben.panel.locator(".doing")).to_have_text("Speaking")
    await ben.sees()
    await line.speaks(1, sound(1.0), message_id="m1", start=0, end=FIRST)
    await line.speaks(2, sound(0.5), message_id="m1", start=FIRST, end=len(SAID))
    await played(line, 1)
    await ben.sees(f"Robin: {SAID[:FIRST]}")
    await expect(ben.button("Helpful")).to_have_count(0)
    await silent(line, 1)
    await line.says(frames.frame("message.heard", **heard(FIRST)))
    await played(line, 2)
    await ben.sees(f"Robin: {SAID}")
    await silent(line, 2)
    await line.says(frames.frame("message.heard", **heard(len(SAID))), activity("listening"))
    await ben.sees(f"Robin: {SAID}")
    await expect(ben.button("Helpful")).to_have_count(1)
    # What was spoken, a screen reader does not say once more.
    await expect(ben.status).not_to_contain_text("Tuesday")


async def test_an_interrupted_message_is_shown_as_far_as_it_was_heard(
    ben: Visitor, server: FakeServer
) -> None:
    line, frames = await speaking(ben, server), Numbered()
    await _answers(line, frames)
    await line.speaks(1, sound(1.0), message_id="m1", start=0, end=FIRST)
    await played(line, 1, past_ms=200)
    await ben.sees(f"Robin: {SAID[:FIRST]}")
    await line.says({"type": "audio.pause"})
    await silent(line, 1)
    await ben.sees(f"Robin: {SAID[:FIRST]}")
    await line.says({"type": "audio.clear"}, frames.frame("message.heard", **heard(16)))
    await ben.sees("Robin: Your appointment…")
    await microphone_off(ben, line)
    await ben.sees("Robin: Your appointment…")


async def test_a_dropped_acknowledgement_is_shown_as_far_as_it_was_heard(
    ben: Visitor, server: FakeServer
) -> None:
    line, frames = await speaking(ben, server), Numbered()
    await _answers(line, frames)
    await line.speaks(1, sound(3.0), message_id="m1", start=0, end=FIRST)
    await line.speaks(2, sound(3.0), message_id="m1", start=FIRST, end=len(SAID))
    await played(line, 1, past_ms=200)
    await line.says({"type": "audio.drop", "clips": [1, 2], "fade_ms": 100})
    await silent(line, 1)
    await line.says(frames.frame("message.heard", **heard(4)))
    await ben.sees("Robin: Your…")


async def test_an_unspoken_message_is_shown_in_the_end(ben: Visitor, server: FakeServer) -> None:
    line, frames = await speaking(ben, server), Numbered()
    await line.says(frames.turn_started(), activity("thinking"), *frames.told("m1", "response", SAID))
    await line.says(frames.turn_completed())
    await line.speaks(1, sound(0.3))
    await silent(line, 1)
    await ben.sees()
    await line.says(activity("listening"))
    await ben.sees(f"Robin: {SAID}")


async def test_a_question_can_be_answered_when_it_has_been_read_out(ben: Visitor, server: FakeServer) -> None:
    line, frames = await speaking(ben, server), Numbered()
    question = "Shall I cancel it?"
    await line.says(frames.turn_started(), activity("speaking"), *frames.asked(question))
    await line.says(frames.frame("message.heard", message_id="read-back-q1", up_to=0))
    await line.speaks(1, sound(0.5), message_id="read-back-q1", start=0, end=8)
    await played(line, 1)
    await ben.sees("Robin: Shall I")
    await expect(ben.button("Yes")).to_have_count(0)
    await line.speaks(2, sound(0.3), message_id="read-back-q1", start=8, end=len(question))
    await played(line, 2)
    await expect(ben.button("Yes")).to_be_visible()
    await ben.button("Yes").click()
    assert (await line.hears_but("audio.played", "confirm"))["answer"] == "yes"


async def test_after_a_reload_a_message_is_shown_as_far_as_it_was_heard(
    ben: Visitor, server: FakeServer
) -> None:
    line = await opened(ben, server, resumed="snapshot")
    whole = assistants("m0", "We are open.")
    await line.says(snapshot(9, whole, assistants("m1", SAID) | {"heard": 16}))
    await ben.sees("Robin: We are open.", "Robin: Your appointment…")


async def microphone_off(ben: Visitor, line: Line) -> None:
    """The customer goes on in writing."""
    await ben.button("Speak").click()
    await line.hears("audio.stop")

"""The sound for a telephone: what is sent, what is reported as played, and how it stops."""

import asyncio
from base64 import b64decode
from dataclasses import dataclass, field
from typing import Any

import pytest

from assistant.audio import decode_mulaw
from assistant.server.frames.frame import JsonFrame
from assistant.server.phone.media_call import RATE, StreamPlayer
from assistant.testing.virtual_time import VirtualClock
from assistant.voice.ports import Clip

LOUD = (9_000).to_bytes(2, "little")


@dataclass(slots=True)
class Rig:
    """A telephone at the end of a line that sends no marks back."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    frames: list[JsonFrame] = field(default_factory=list[JsonFrame])
    told: list[tuple[int, int, bool]] = field(default_factory=list[tuple[int, int, bool]])
    phone: StreamPlayer = field(init=False)

    def __post_init__(self) -> None:
        self.phone = StreamPlayer(self.frames.append, "MZ1", self.clock)
        self.phone.played = lambda number, ms, playing: self.told.append((number, ms, playing))

    def plays(self, number: int, seconds: float, *, rate: int = RATE) -> None:
        """A clip."""
        self.phone.begin_clip(Clip(number=number, message_id="m", start=0, end=1, text="x"), rate)
        self.phone.add_audio(number, LOUD * round(seconds * rate))
        self.phone.end_clip(number, round(seconds * 1_000))

    def sound(self, since: int = 0) -> bytes:
        """The samples that were sent."""
        sent: list[Any] = [frame["media"] for frame in self.frames[since:] if frame["event"] == "media"]
        return b"".join(decode_mulaw(b64decode(one["payload"])) for one in sent)

    def of(self, event: str) -> int:
        return sum(frame["event"] == event for frame in self.frames)


@pytest.fixture
def rig() -> Rig:
    return Rig()


async def test_sound_of_any_rate_is_converted_for_the_telephone(rig: Rig) -> None:
    rig.plays(1, 0.5, rate=24_000)
    assert len(rig.sound()) == RATE
    await rig.phone.close()


async def test_progress_of_a_clip_is_reported_at_least_twice_a_second(rig: Rig) -> None:
    rig.plays(1, 0.2)
    for _ in range(20):
        await asyncio.sleep(0.1)
        for frame in rig.frames:
            if frame["event"] == "mark":
                rig.phone.marked(str(frame["mark"]["name"]))  # pyright: ignore
    assert rig.told[-1] == (1, 200, False)
    assert rig.phone.rate is None


async def test_a_replaced_clip_fades_and_the_next_one_is_played(rig: Rig) -> None:
    rig.plays(1, 3.0)
    rig.plays(2, 3.0)
    await asyncio.sleep(0.35)
    before = len(rig.frames)
    rig.phone.drop((1,), 100)
    faded = rig.sound(before)
    samples = [abs(int.from_bytes(faded[at : at + 2], "little", signed=True)) for at in range(0, 1_600, 2)]
    assert samples[0] > 8_000
    assert samples[400] < 5_500
    assert samples[799] < 100
    assert rig.of("clear") == 1
    assert len(faded) > 1_600  # the other clip is on its way
    await asyncio.sleep(9)
    assert {number for number, _, _ in rig.told} == {1, 2}
    assert (2, 3_000, False) in rig.told
    await rig.phone.close()


async def test_a_clip_that_has_not_begun_is_dropped_silently(rig: Rig) -> None:
    rig.plays(1, 2.0)
    rig.plays(2, 2.0)
    rig.phone.drop((2, 7), 100)
    assert rig.of("clear") == 0
    await asyncio.sleep(9)
    assert len(rig.sound()) == 2 * 2 * RATE
    assert {number for number, _, _ in rig.told} == {1}


async def test_a_clip_dropped_while_paused_is_not_resumed(rig: Rig) -> None:
    rig.plays(1, 2.0)
    await asyncio.sleep(0.5)
    rig.phone.pause()
    rig.phone.pause()
    rig.phone.drop((1,), 100)
    before = len(rig.frames)
    rig.phone.resume()
    await asyncio.sleep(3)
    assert rig.sound(before) == b""
    assert rig.of("clear") == 1


async def test_a_forgotten_clip_accepts_no_more_sound(rig: Rig) -> None:
    rig.phone.begin_clip(Clip(number=1, message_id="m", start=0, end=1, text="x"), RATE)
    rig.phone.add_audio(1, LOUD * 100)
    rig.phone.clear()
    rig.phone.add_audio(1, LOUD * 100)
    rig.phone.end_clip(1, 10)
    await asyncio.sleep(2)
    assert len(rig.sound()) == 200


async def test_a_sound_without_words_is_played_and_not_shown(rig: Rig) -> None:
    rig.phone.show_caption("Where is", final=False)
    rig.phone.show_filler("One moment.")
    rig.phone.show_activity("thinking")
    rig.phone.marked("nonsense")
    assert rig.frames == []

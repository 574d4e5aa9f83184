"""The parts of voice, each run in the browser without an element."""

from typing import Any

import numpy as np
import pytest

from tests.browser.sound import Samples, samples, tone
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PLAYED = """async ([rate, clips, cuts]) => {
    const { Player } = await import("/src/voice/player.js");
    const context = new OfflineAudioContext(1, rate, rate);
    const said = [];
    const player = new Player(context, { onPlayed: (...told) => said.push(told), onBegin() {}, onDropped() {} });
    for (const [clip, sound] of clips.entries()) {
        player.begin({ type: "audio.clip", clip, rate, message_id: null, start: 0, end: 0 });
        for (let at = 0; at < sound.length; at += 1000) {
            const piece = Int16Array.from(sound.slice(at, at + 1000));
            const bytes = new Uint8Array(4 + piece.byteLength);
            new DataView(bytes.buffer).setUint32(0, clip, true);
            bytes.set(new Uint8Array(piece.buffer), 4);
            player.addSound(bytes.buffer);
        }
        player.end(clip);
    }
    for (const [at, order, ...given] of cuts)
        context.suspend(at).then(() => { player[order](...given); context.resume(); });
    const heard = await context.startRendering();
    player.clear();
    return [[...heard.getChannelData(0)], said];
}"""

PLAY_RATE = 24_000
LEAD = 480
"""Samples after which the first clip begins."""


async def _played(ana: Visitor, clips: list[bytes], *cuts: list[Any]) -> tuple[Samples, list[list[Any]]]:
    sounds = [np.frombuffer(clip, "<i2").tolist() for clip in clips]
    heard, said = await ana.page.evaluate(PLAYED, [PLAY_RATE, sounds, list(cuts)])
    return np.array(heard), said


async def test_clips_follow_one_another_without_a_gap(ana: Visitor) -> None:
    await ana.visits()
    clips = [tone(pitch, seconds=0.12, rate=PLAY_RATE) for pitch in (300, 700)]
    heard, _ = await _played(ana, clips)
    whole = samples(b"".join(clips))
    assert np.abs(heard[LEAD : LEAD + len(whole)] - whole).max() < 1e-6
    assert not heard[LEAD + len(whole) :].any()
    assert not heard[:LEAD].any()


async def test_a_pause_is_immediate_and_playback_continues_there(ana: Visitor) -> None:
    await ana.visits()
    clip = tone(300, seconds=0.2, rate=PLAY_RATE)
    heard, said = await _played(ana, [clip], [2_432 / PLAY_RATE, "pause"], [12_288 / PLAY_RATE, "resume"])
    whole = samples(clip)
    fade = 288
    assert np.abs(heard[LEAD:2_432] - whole[: 2_432 - LEAD]).max() < 1e-6
    assert 0.1 < np.abs(heard[2_432 + fade // 2 : 2_432 + fade]).max() < 0.3
    assert not heard[2_432 + fade : 12_288].any()
    rest = whole[2_432 + fade - LEAD :]
    assert np.abs(heard[12_288 + LEAD : 12_288 + LEAD + len(rest)] - rest).max() < 1e-6
    assert said[0] == [0, (2_432 - LEAD) * 1000 // PLAY_RATE, False]


async def test_a_dropped_clip_fades_and_the_next_begins_when_it_has(ana: Visitor) -> None:
    await ana.visits()
    clips = [tone(pitch, seconds=0.13, rate=PLAY_RATE) for pitch in (300, 500)]
    heard, _ = await _played(ana, clips, [1_536 / PLAY_RATE, "drop", [0], 40])
    over = 1_536 + PLAY_RATE * 40 // 1000
    assert np.abs(heard[LEAD:1_536] - samples(clips[0])[: 1_536 - LEAD]).max() < 1e-6
    assert [np.abs(heard[at : at + 240]).max() for at in range(1_536, over, 240)] == pytest.approx(
        [0.48, 0.36, 0.24, 0.12], abs=0.05
    )
    second = samples(clips[1])
    assert np.abs(heard[over : over + len(second)] - second).max() < 1e-6
    assert not heard[over + len(second) :].any()


async def test_a_clip_that_has_not_begun_is_dropped_silently(ana: Visitor) -> None:
    await ana.visits()
    clips = [tone(pitch, seconds=0.08, rate=PLAY_RATE) for pitch in (300, 500, 700)]
    heard, _ = await _played(ana, clips, [0.064, "drop", [1, 99], 300])
    whole = samples(clips[0] + clips[2])
    assert np.abs(heard[LEAD : LEAD + len(whole)] - whole).max() < 1e-6

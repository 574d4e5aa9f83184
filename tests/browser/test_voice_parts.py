"""What speaking is made of, each part by itself, run in the browser away from any element."""

from typing import Any

import numpy as np
import pytest

from tests.browser.sound import Samples, samples, tone
from tests.browser.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

RESAMPLED = """async ([pitch, from, block]) => {
    const { Resampler } = await import("/src/voice/resampler.js");
    const sound = Array.from({ length: from / 5 }, (_, at) => Math.sin(2 * Math.PI * pitch * at / from) / 2);
    const resampler = new Resampler(from, 16000);
    const made = [];
    for (let at = 0; at < sound.length; at += block)
        made.push(...resampler.push(Float32Array.from(sound.slice(at, at + block))));
    return made;
}"""

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

GATE = """async ([mode, steps]) => {
    const { MicrophoneGate } = await import("/src/voice/microphone.js");
    const said = [];
    const gate = new MicrophoneGate(frame => said.push(frame), () => said.push("end"));
    gate.reset(mode);
    let heard = 0;
    for (const step of steps) {
        if (typeof step === "number") for (let n = 0; n < step; n++) gate.handleFrame(heard++);
        else if (step === "mute" || step === "unmute") gate.muted = step === "mute";
        else gate[step]();
    }
    return said;
}"""

REVEALED = """async ([items, reach]) => {
    const { revealSpoken } = await import("/src/client/spoken-reveal.js");
    const given = items.map(([text, heard, messageKind]) =>
        ({ kind: "assistant", text, heard, messageKind, attachments: [] }));
    const twice = [1, 2].map(() => revealSpoken(given, () => reach ?? undefined));
    if (twice[0].some((item, n) => item !== twice[1][n])) throw new Error("drawn again for nothing");
    return twice[0].map(({ text, messageKind }) => [text, messageKind]);
}"""

PLAY_RATE = 24_000
LEAD = 480
"""Samples after which the first clip begins."""


async def _resampled(ana: Visitor, pitch: float, rate: int, block: int) -> Samples:
    """A fifth of a second of a tone, brought to 16 kHz in pieces of so many samples."""
    return np.array(await ana.page.evaluate(RESAMPLED, [pitch, rate, block]))


async def test_sound_of_any_rate_becomes_sound_of_16_khz(ana: Visitor) -> None:
    await ana.visits()
    expected = samples(tone(1_000, seconds=0.2, rate=16_000))
    for rate in (8_000, 16_000, 22_050, 44_100, 48_000, 96_000):
        heard = await _resampled(ana, 1_000, rate, 128)
        assert len(heard) == pytest.approx(3_200, abs=30)
        middle = slice(400, len(heard) - 400)
        assert float(np.abs(heard[middle] - expected[: len(heard)][middle]).max()) < 0.02


async def test_what_16_khz_cannot_hold_is_not_heard_as_something_else(ana: Visitor) -> None:
    await ana.visits()
    heard = await _resampled(ana, 10_000, 48_000, 128)
    assert float(np.abs(heard[400:-400]).max()) < 0.005


async def test_the_size_of_the_pieces_changes_nothing(ana: Visitor) -> None:
    await ana.visits()
    one = await _resampled(ana, 1_000, 44_100, 128)
    other = await _resampled(ana, 1_000, 44_100, 997)
    assert np.array_equal(one, other)


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


async def test_a_pause_is_silent_at_once_and_what_follows_goes_on_there(ana: Visitor) -> None:
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


async def test_a_clip_that_was_not_begun_is_dropped_without_a_sound(ana: Visitor) -> None:
    await ana.visits()
    clips = [tone(pitch, seconds=0.08, rate=PLAY_RATE) for pitch in (300, 500, 700)]
    heard, _ = await _played(ana, clips, [0.064, "drop", [1, 99], 300])
    whole = samples(clips[0] + clips[2])
    assert np.abs(heard[LEAD : LEAD + len(whole)] - whole).max() < 1e-6


async def test_in_push_to_talk_only_what_is_said_around_the_press_is_sent(ana: Visitor) -> None:
    await ana.visits()
    steps: list[tuple[str, list[object], list[object]]] = [
        ("hands_free", [3], [0, 1, 2]),
        ("push_to_talk", [3], []),
        ("push_to_talk", [30, "press", 2, "release", 5], [*range(20, 34), "end"]),
        ("push_to_talk", ["press", 1, "release", 1, "press", 1, "release", 9], [0, 1, 2, 3, 4, "end"]),
    ]
    for mode, given, sent in steps:
        assert await ana.page.evaluate(GATE, [mode, given]) == sent


async def test_after_muting_silence_is_sent_until_the_server_knows_that_it_is_silence(ana: Visitor) -> None:
    await ana.visits()
    sent = await ana.page.evaluate(GATE, ["hands_free", [1, "mute", 200, "unmute", 1]])
    assert sent == [*range(95), 201]


async def test_no_more_is_shown_than_is_heard(ana: Visitor) -> None:
    await ana.visits()
    cases: list[tuple[list[object], int | None, list[object]]] = [
        (["We are open.", None, "response"], None, ["We are open.", "response"]),
        (["We are open.", 12, "response"], None, ["We are open.", "response"]),
        (["We are open.", 6, "response"], None, ["We are…", "response"]),
        (["We are open.", 0, "response"], None, ["", "response"]),
        (["At two: bring it.", 7, "response"], None, ["At two…", "response"]),
        (["At two. Bring it.", 8, "response"], None, ["At two…", "response"]),
        (["We are open.", 7, "response"], None, ["We are…", "response"]),
        (["We are", 2, None], None, ["We", None]),
        (["We are open.", 2, "response"], 6, ["We are", None]),
        (["We are open.", None, "response"], 0, ["", None]),
        (["We are open.", 3, "response"], 40, ["We are open.", "response"]),
        (["👋🏽 Hello", 4, "response"], None, ["👋🏽 H…", "response"]),
        (["👋👋", 2, "response"], None, ["👋👋", "response"]),
    ]
    for message, reach, shown in cases:
        assert await ana.page.evaluate(REVEALED, [[message], reach]) == [shown]


async def test_every_language_has_every_word_about_speaking(ana: Visitor) -> None:
    await ana.visits()
    shapes = await ana.page.evaluate(
        """async () => {
            const { voiceLanguages, voiceStringsFor } = await import("/src/strings/index.js");
            const shape = words => Object.entries(words).sort().map(([key, value]) =>
                typeof value === "object" ? [key, shape(value)] : [key, Boolean(value.trim())]);
            const locales = ["de-AT", "fr"].map(locale => voiceStringsFor(locale).locale);
            if (locales.join() !== "de,en") throw new Error(locales.join());
            return voiceLanguages.map(words => JSON.stringify(shape(words)));
        }"""
    )
    assert len(shapes) >= 2
    assert len(set(shapes)) == 1
    assert "false" not in shapes[0]

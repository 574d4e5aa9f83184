import assert from "node:assert/strict";
import { test } from "node:test";
import { MicrophoneGate } from "../src/voice/microphone.js";
import { Resampler } from "../src/voice/resampler.js";

/** @param {number} from @param {number} to @returns {number[]} */
function range(from, to) {
  return Array.from({ length: to - from }, (_, n) => from + n);
}

/**
 * @param {"hands_free" | "push_to_talk"} mode
 * @param {(number | "press" | "release" | "mute" | "unmute")[]} steps a number: how many frames come
 * @returns {unknown[]} the numbers of the frames that were sent, and "end"
 */
function sent(mode, steps) {
  /** @type {unknown[]} */
  const frames = [];
  const gate = new MicrophoneGate(
    (frame) => frames.push(frame),
    () => frames.push("end"),
  );
  gate.reset(mode);
  let next = 0;
  for (const step of steps) {
    if (typeof step === "number") for (let n = 0; n < step; n++) gate.handleFrame(/** @type {any} */ (next++));
    else if (step === "mute" || step === "unmute") gate.muted = step === "mute";
    else gate[step]();
  }
  return frames;
}

test("push-to-talk sends only what is said around the press", () => {
  assert.deepEqual(sent("hands_free", [3]), [0, 1, 2]);
  assert.deepEqual(sent("push_to_talk", [3]), []);
  assert.deepEqual(sent("push_to_talk", [30, "press", 2, "release", 5]), [...range(20, 34), "end"]);
  const twice = sent("push_to_talk", ["press", 1, "release", 1, "press", 1, "release", 9]);
  assert.deepEqual(twice, [0, 1, 2, 3, 4, "end"]);
});

test("after muting, silence is sent until the server knows that it is silence", () => {
  assert.deepEqual(sent("hands_free", [1, "mute", 200, "unmute", 1]), [...range(0, 95), 201]);
});

/** @param {number} pitch @param {number} rate @returns {number[]} a fifth of a second of a tone */
function tone(pitch, rate) {
  return Array.from({ length: rate / 5 }, (_, at) => Math.sin((2 * Math.PI * pitch * at) / rate) / 2);
}

/** @param {number} pitch @param {number} rate @param {number} block @returns {number[]} the tone at 16 kHz, resampled in blocks */
function resampled(pitch, rate, block) {
  const sound = tone(pitch, rate);
  const resampler = new Resampler(rate, 16_000);
  const output = [];
  for (let at = 0; at < sound.length; at += block)
    output.push(...resampler.push(Float32Array.from(sound.slice(at, at + block))));
  return output;
}

test("sound of any rate becomes sound of 16 kHz", () => {
  const expected = tone(1_000, 16_000);
  for (const rate of [8_000, 16_000, 22_050, 44_100, 48_000, 96_000]) {
    const heard = resampled(1_000, rate, 128);
    assert.ok(Math.abs(heard.length - 3_200) <= 30, `${rate} Hz: ${heard.length} samples`);
    const wrong = range(400, heard.length - 400).find((at) => Math.abs(heard[at] - expected[at]) >= 0.02);
    assert.equal(wrong, undefined, `${rate} Hz`);
  }
});

test("what 16 kHz cannot hold is not heard as something else", () => {
  const heard = resampled(10_000, 48_000, 128).slice(400, -400);
  assert.ok(Math.max(...heard.map(Math.abs)) < 0.005);
});

test("the size of the blocks changes nothing", () => {
  assert.deepEqual(resampled(1_000, 44_100, 128), resampled(1_000, 44_100, 997));
});

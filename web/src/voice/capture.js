/**
 * The audio worklet: sends the microphone's sound to the page, in frames of 32 ms at 16 kHz.
 *
 * It is a separate file, because a strict content security policy allows worklets from files only.
 */

import { Resampler } from "./resampler.js";

const RATE = 16_000;
const SAMPLES = 512;

class Capture extends AudioWorkletProcessor {
  #resampler = new Resampler(Math.round(sampleRate), RATE);
  #frame = new Int16Array(SAMPLES);
  #filled = 0;

  /** @param {Float32Array[][]} inputs @returns {boolean} true: keeps the worklet running */
  process([[heard]]) {
    if (heard) this.#resampler.push(heard).forEach((sample) => this.#put(sample));
    return true;
  }

  /** @param {number} sample from -1 to 1 */
  #put(sample) {
    this.#frame[this.#filled++] = Math.max(-1, Math.min(1, sample)) * 0x7fff;
    if (this.#filled < SAMPLES) return;
    this.port.postMessage(this.#frame.buffer, [this.#frame.buffer]);
    this.#frame = new Int16Array(SAMPLES);
    this.#filled = 0;
  }
}

registerProcessor("meanwhile-capture", Capture);

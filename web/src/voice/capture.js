/**
 * Runs where the sound is, beside the page: hands on what the microphone hears, in frames of 32 ms at 16 kHz.
 *
 * A file of its own, because a strict policy lets a browser run sound in nothing else.
 */

import { Resampler } from "./resampler.js";

const RATE = 16_000;
const SAMPLES = 512;

class Capture extends AudioWorkletProcessor {
  #resampler = new Resampler(Math.round(sampleRate), RATE);
  #frame = new Int16Array(SAMPLES);
  #filled = 0;

  /** @param {Float32Array[][]} inputs @returns {boolean} whether there may be more */
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

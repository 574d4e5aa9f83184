/** Changes the sample rate of sound, piece by piece, with a filter against aliasing. */

/** Zero crossings of the filter on each side: steep enough for speech. */
const CROSSINGS = 10;

/** The part of the possible band that is kept: the filter needs room to fall off. */
const BAND = 0.92;

export class Resampler {
  /** Each output sample is `#step / #phases` input samples after the one before. */
  #step;
  #phases;
  #reach;
  /** @type {Float32Array[]} one filter for each position that an output sample can have between two input samples */
  #filters;
  /** @type {Float32Array} input that later output still needs */
  #rest;
  #at;
  #phase = 0;

  /** @param {number} from sample rate of the input @param {number} to sample rate of the output */
  constructor(from, to) {
    const shared = divisor(from, to);
    this.#step = from / shared;
    this.#phases = to / shared;
    const band = BAND * Math.min(1, to / from);
    this.#reach = Math.ceil(CROSSINGS / band);
    this.#filters = Array.from({ length: this.#phases }, (_, phase) =>
      filter(phase / this.#phases, this.#reach, band),
    );
    // Silence before the first sample.
    this.#rest = new Float32Array(this.#reach);
    this.#at = this.#reach;
  }

  /** @param {Float32Array} input of any length @returns {Float32Array} as much output as the input allows */
  push(input) {
    const sound = new Float32Array(this.#rest.length + input.length);
    sound.set(this.#rest);
    sound.set(input, this.#rest.length);
    const output = new Float32Array(Math.ceil(((sound.length - this.#at) * this.#phases) / this.#step) + 1);
    let made = 0;
    for (; this.#at + this.#reach < sound.length; made++) {
      output[made] = this.#sample(sound);
      this.#phase += this.#step;
      this.#at += Math.floor(this.#phase / this.#phases);
      this.#phase %= this.#phases;
    }
    const done = Math.min(this.#at - this.#reach, sound.length);
    this.#rest = sound.slice(done);
    this.#at -= done;
    return output.subarray(0, made);
  }

  /** @param {Float32Array} sound */
  #sample(sound) {
    const weights = this.#filters[this.#phase];
    const from = this.#at - this.#reach;
    let sum = 0;
    for (let tap = 0; tap < weights.length; tap++) sum += weights[tap] * sound[from + tap];
    return sum;
  }
}

/**
 * @param {number} shift of the output sample against the input sample before it, from 0 to 1
 * @param {number} reach in input samples
 * @param {number} band that passes, as a part of the input's band
 * @returns {Float32Array} weights of the surrounding input samples; their sum is 1
 */
function filter(shift, reach, band) {
  const weights = Float32Array.from({ length: 2 * reach + 1 }, (_, tap) => {
    const distance = tap - reach - shift;
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1));
    return window * sinc(band * distance);
  });
  const sum = weights.reduce((total, weight) => total + weight);
  return weights.map((weight) => weight / sum);
}

/** @param {number} x */
function sinc(x) {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

/** @param {number} a @param {number} b @returns {number} the greatest common divisor */
function divisor(a, b) {
  return b === 0 ? a : divisor(b, a % b);
}

/** One clip: what has come of it, what of that was set to play and when, and how far it got. */

/** @typedef {import("../conversation/frames.js").AudioClip} AudioClip */
/** @typedef {{at: number, from: number, samples: number, node: AudioBufferSourceNode, volume: AudioParam}} Part of the clip, set to play `at` a time of the context */

export class Clip {
  #context;
  #rate;
  /** @type {Int16Array[]} */
  #sound = [];
  /** All samples that have come, or that there are to be. */
  #samples = 0;
  /** From this sample on, nothing is set to play yet. */
  #due = 0;
  /** @type {Part[]} in the order in which they are played */
  #parts = [];
  /** No more will come. */
  complete = false;
  /** The customer has heard its beginning. */
  begun = false;

  /** @param {BaseAudioContext} context @param {AudioClip} about */
  constructor(context, about) {
    this.#context = context;
    this.#rate = about.rate;
    this.about = about;
  }

  get number() {
    return this.about.clip;
  }

  /** @returns {number} when what is set to play of it ends; 0 where nothing is */
  get endsAt() {
    const last = this.#parts.at(-1);
    return last ? last.at + last.samples / this.#rate : 0;
  }

  /** @param {Int16Array} sound more of it */
  take(sound) {
    this.#sound.push(sound);
    this.#samples += sound.length;
  }

  /** Sets all that has come to play. @param {number} at @returns {number} when that ends */
  schedule(at) {
    const samples = this.#samples - this.#due;
    if (samples <= 0) return at;
    // Between two samples of the device, a browser would begin with the next.
    const { sampleRate } = this.#context;
    const begin = Math.round(at * sampleRate) / sampleRate;
    const node = this.#context.createBufferSource();
    const gain = this.#context.createGain();
    node.buffer = this.#context.createBuffer(1, samples, this.#rate);
    this.#copy(node.buffer.getChannelData(0));
    node.connect(gain).connect(this.#context.destination);
    node.start(begin);
    this.#parts.push({ at: begin, from: this.#due, samples, node, volume: gain.gain });
    this.#due = this.#samples;
    return this.endsAt;
  }

  /** Falls silent; what was not played is to be set to play again. @param {number} at @param {number} fade seconds that it takes */
  cut(at, fade) {
    const last = at + fade;
    for (const part of this.#parts) {
      if (part.at + part.samples / this.#rate <= at) continue;
      part.volume.setValueAtTime(1, at);
      part.volume.linearRampToValueAtTime(0, last);
      part.samples = Math.min(part.samples, Math.max(0, Math.round((last - part.at) * this.#rate)));
      part.node.stop(last);
      if (part.samples === 0) part.node.disconnect();
    }
    this.#parts = this.#parts.filter(({ samples }) => samples > 0);
    const kept = this.#parts.at(-1);
    this.#due = kept ? kept.from + kept.samples : 0;
  }

  /** What was not set to play never will be. */
  close() {
    this.complete = true;
    this.#samples = this.#due;
  }

  /** @param {number} at @returns {boolean} whether it plays at that time, or has played */
  hasBegun(at) {
    return this.#parts.length > 0 && this.#parts[0].at < at;
  }

  /** @param {number} at @returns {boolean} whether all of it was played by then */
  isOver(at) {
    return this.complete && this.#due === this.#samples && this.endsAt <= at;
  }

  /** @param {number} at @returns {number} how much of it was played by then, in milliseconds */
  played(at) {
    const part = this.#parts.findLast((one) => one.at < at);
    const samples = part ? part.from + Math.min(part.samples, (at - part.at) * this.#rate) : 0;
    return Math.floor((samples * 1000) / this.#rate);
  }

  /** @param {Float32Array} goal is filled with what is due */
  #copy(goal) {
    let from = -this.#due;
    for (const sound of this.#sound) {
      for (let n = Math.max(0, -from); n < sound.length; n++) goal[from + n] = sound[n] / 0x8000;
      from += sound.length;
    }
  }
}

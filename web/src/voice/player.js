/** Plays clips one after the other without a gap, and says exactly how much of each was heard. */

/** What is set to play begins so much later, in seconds: sooner, its beginning may come too late. */
const LEAD = 0.02;

/** So much is set to play ahead; the rest waits, and is joined to what comes meanwhile. */
const AHEAD = 0.3;

/** Silence at once, but without a click. */
const FADE_OUT = 0.012;

const TICK_MS = 40;
const REPORT_EVERY_MS = 400;

/**
 * @typedef {object} Owner
 * @property {(clip: number, ms: number, playing: boolean) => void} onPlayed so much of a clip was heard
 * @property {(clip: Clip) => void} onBegin the customer hears it
 * @property {(clip: Clip) => void} onDropped it was cut short, and is over
 */

export class Player {
  #context;
  #owner;
  /** @type {Clip[]} in the order in which they are played */
  #clips = [];
  /** @type {Set<Clip>} that play no longer than their end is softened */
  #dropped = new Set();
  /** When all that is set to play ends. */
  #end = 0;
  #paused = false;
  #timer = 0;
  #reportedAt = 0;

  /** @param {AudioContext} context @param {Owner} owner */
  constructor(context, owner) {
    this.#context = context;
    this.#owner = owner;
  }

  /** @param {import("../client/frames.js").AudioClip} about a clip that follows */
  begin(about) {
    this.#clips.push(new Clip(this.#context, about));
  }

  /** @param {ArrayBuffer} bytes the number of a clip in four bytes, little-endian, and more of its sound */
  addSound(bytes) {
    if (bytes.byteLength < 6) return;
    const clip = this.#clip(new DataView(bytes).getUint32(0, true));
    clip?.addSound(new Int16Array(bytes, 4, (bytes.byteLength - 4) >> 1));
    this.#schedule();
  }

  /** @param {number} number of the clip that is complete */
  end(number) {
    const clip = this.#clip(number);
    if (clip) clip.complete = true;
    this.#schedule();
  }

  /** Falls silent, and remembers where. */
  pause() {
    if (this.#paused) return;
    this.#paused = true;
    this.#cutAll();
    this.#reportCurrent();
  }

  /** Goes on there. */
  resume() {
    this.#paused = false;
    this.#reportedAt = 0;
    this.#schedule();
  }

  /** @param {number[]} numbers of clips that need not be played @param {number} fade_ms in which one of them that plays falls silent */
  drop(numbers, fade_ms) {
    const now = this.#context.currentTime;
    const unwanted = new Set(numbers);
    const begun = this.#clips.filter((clip) => clip.hasBegun(now));
    const others = this.#clips.filter((clip) => !clip.hasBegun(now));
    // What has not begun may begin sooner.
    for (const clip of others) clip.cut(now, 0);
    for (const clip of begun.filter(({ number }) => unwanted.has(number))) {
      clip.cut(now, fade_ms / 1000);
      clip.close();
      this.#dropped.add(clip);
    }
    this.#clips = [...begun, ...others.filter(({ number }) => !unwanted.has(number))];
    this.#end = Math.max(0, ...this.#clips.map((clip) => clip.endsAt));
    this.#schedule();
  }

  /** Falls silent, and forgets all. */
  clear() {
    if (!this.#paused) this.#reportCurrent();
    this.forget();
  }

  /** The same, where there is nobody to be told how much was heard. */
  forget() {
    this.#cutAll();
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#paused = false;
    this.#clips = [];
    this.#dropped.clear();
  }

  /** @param {number} number */
  #clip(number) {
    return this.#clips.find((clip) => clip.number === number && !this.#dropped.has(clip));
  }

  /** Sets to play what is near enough. */
  #schedule() {
    const now = this.#context.currentTime;
    let at = Math.max(this.#end, now + LEAD);
    for (const clip of this.#paused ? [] : this.#clips) {
      if (at - now > AHEAD) break;
      at = clip.schedule(at);
      if (!clip.complete) break;
    }
    this.#end = at;
    if (this.#clips.length > 0) this.#timer ||= setInterval(() => this.#tick(), TICK_MS);
  }

  /** Says what has been heard meanwhile. */
  #tick() {
    this.#schedule();
    const heard = this.#audibleTime;
    const over = this.#clips.filter((clip) => clip.isOver(heard));
    const playing = this.#clips.find((clip) => !clip.isOver(heard) && clip.hasBegun(heard));
    for (const clip of over) this.#finish(clip, heard);
    if (playing) this.#markBegun(playing);
    const due = performance.now() - this.#reportedAt > REPORT_EVERY_MS;
    if (playing && due && !this.#paused) this.#report(playing, playing.played(heard), true);
    if (this.#clips.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  /** @param {Clip} clip can be heard */
  #markBegun(clip) {
    if (clip.begun) return;
    clip.begun = true;
    this.#owner.onBegin(clip);
    this.#report(clip, clip.played(this.#audibleTime), true);
  }

  /** @param {Clip} clip @param {number} heard */
  #finish(clip, heard) {
    this.#markBegun(clip);
    this.#clips.splice(this.#clips.indexOf(clip), 1);
    this.#report(clip, clip.played(heard), false);
    if (this.#dropped.delete(clip)) this.#owner.onDropped(clip);
  }

  #cutAll() {
    const now = this.#context.currentTime;
    for (const clip of this.#clips) clip.cut(now, FADE_OUT);
    this.#end = 0;
  }

  /** Says how far the one got that was playing. */
  #reportCurrent() {
    const clip = this.#clips.find((one) => one.hasBegun(this.#audibleTime));
    if (clip) this.#report(clip, clip.played(this.#audibleTime), false);
  }

  /** @param {Clip} clip @param {number} ms @param {boolean} playing */
  #report(clip, ms, playing) {
    this.#reportedAt = performance.now();
    this.#owner.onPlayed(clip.number, ms, playing);
  }

  /** What is being played comes out of the loudspeaker a little later. */
  get #audibleTime() {
    return this.#context.currentTime - (this.#context.outputLatency || 0);
  }
}

// One clip: what has come of it, what of that was set to play and when, and how far it got.

/** @typedef {import("../client/frames.js").AudioClip} AudioClip */
/** @typedef {{at: number, from: number, samples: number, node: AudioBufferSourceNode, volume: AudioParam}} Part of the clip, set to play `at` a time of the context */

class Clip {
  #context;
  #rate;
  /** @type {Int16Array[]} */
  #sound = [];
  /** All samples that have come, or that there are to be. */
  #samples = 0;
  /** From this sample on, nothing is set to play yet. */
  #scheduledSamples = 0;
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
  addSound(sound) {
    this.#sound.push(sound);
    this.#samples += sound.length;
  }

  /** Sets all that has come to play. @param {number} at @returns {number} when that ends */
  schedule(at) {
    const samples = this.#samples - this.#scheduledSamples;
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
    this.#parts.push({ at: begin, from: this.#scheduledSamples, samples, node, volume: gain.gain });
    this.#scheduledSamples = this.#samples;
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
    this.#scheduledSamples = kept ? kept.from + kept.samples : 0;
  }

  /** What was not set to play never will be. */
  close() {
    this.complete = true;
    this.#samples = this.#scheduledSamples;
  }

  /** @param {number} at @returns {boolean} whether it plays at that time, or has played */
  hasBegun(at) {
    return this.#parts.length > 0 && this.#parts[0].at < at;
  }

  /** @param {number} at @returns {boolean} whether all of it was played by then */
  isOver(at) {
    return this.complete && this.#scheduledSamples === this.#samples && this.endsAt <= at;
  }

  /** @param {number} at @returns {number} how much of it was played by then, in milliseconds */
  played(at) {
    const part = this.#parts.findLast((one) => one.at < at);
    const samples = part ? part.from + Math.min(part.samples, (at - part.at) * this.#rate) : 0;
    return Math.floor((samples * 1000) / this.#rate);
  }

  /** @param {Float32Array} goal is filled with what is due */
  #copy(goal) {
    let from = -this.#scheduledSamples;
    for (const sound of this.#sound) {
      for (let n = Math.max(0, -from); n < sound.length; n++) goal[from + n] = sound[n] / 0x8000;
      from += sound.length;
    }
  }
}

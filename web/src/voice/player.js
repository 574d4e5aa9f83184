/** Plays clips one after the other without a gap, and reports exactly how much of each was heard. */

/** @typedef {import("../client/frames.js").AudioClip} AudioClip */

/** Sound is scheduled this far ahead, in seconds: with less, its beginning could be lost. */
const LEAD_S = 0.02;

/** At most this much is scheduled ahead, in seconds; the rest waits and is joined with later pieces. */
const AHEAD_S = 0.3;

/** The fade that avoids a click, in seconds. */
const FADE_OUT_S = 0.012;

const TICK_MS = 40;
const REPORT_EVERY_MS = 400;

/**
 * @typedef {object} Owner
 * @property {(clip: number, ms: number, playing: boolean) => void} onPlayed how much of a clip was heard
 * @property {(clip: Clip) => void} onBegin the customer hears the clip now
 * @property {(clip: Clip) => void} onDropped the clip was cut short and has ended
 */

export class Player {
  #context;
  #owner;
  /** @type {Clip[]} in the order in which they are played */
  #clips = [];
  /** @type {Set<Clip>} that are fading out */
  #dropped = new Set();
  /** When the scheduled sound ends. */
  #end = 0;
  #paused = false;
  #timer = 0;
  #reportedAt = 0;

  /** @param {AudioContext} context @param {Owner} owner */
  constructor(context, owner) {
    this.#context = context;
    this.#owner = owner;
  }

  /** @param {AudioClip} about a clip that follows */
  begin(about) {
    this.#clips.push(new Clip(this.#context, about));
  }

  /** @param {ArrayBuffer} bytes the number of a clip in four bytes, little-endian, then more of its sound */
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

  /** Stops, and keeps the position. */
  pause() {
    if (this.#paused) return;
    this.#paused = true;
    this.#cutAll();
    this.#reportCurrent();
  }

  /** Continues at that position. */
  resume() {
    this.#paused = false;
    this.#reportedAt = 0;
    this.#schedule();
  }

  /**
   * @param {number[]} numbers of clips that must not be played
   * @param {number} fade_ms how long one that plays fades out
   */
  drop(numbers, fade_ms) {
    const now = this.#context.currentTime;
    const unwanted = new Set(numbers);
    const begun = this.#clips.filter((clip) => clip.hasBegun(now));
    const others = this.#clips.filter((clip) => !clip.hasBegun(now));
    // Clips that have not begun may begin earlier now.
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

  /** Stops, reports, and removes all clips. */
  clear() {
    if (!this.#paused) this.#reportCurrent();
    this.forget();
  }

  /** The same without a report. */
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

  /** Schedules the sound of the near future. */
  #schedule() {
    const now = this.#context.currentTime;
    let at = Math.max(this.#end, now + LEAD_S);
    for (const clip of this.#paused ? [] : this.#clips) {
      if (at - now > AHEAD_S) break;
      at = clip.schedule(at);
      if (!clip.complete) break;
    }
    this.#end = at;
    if (this.#clips.length > 0) this.#timer ||= setInterval(() => this.#tick(), TICK_MS);
  }

  /** Reports progress. */
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

  /** @param {Clip} clip that is audible now */
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
    for (const clip of this.#clips) clip.cut(now, FADE_OUT_S);
    this.#end = 0;
  }

  /** Reports the progress of the clip that was playing. */
  #reportCurrent() {
    const clip = this.#clips.find((one) => one.hasBegun(this.#audibleTime));
    if (clip) this.#report(clip, clip.played(this.#audibleTime), false);
  }

  /** @param {Clip} clip @param {number} ms @param {boolean} playing */
  #report(clip, ms, playing) {
    this.#reportedAt = performance.now();
    this.#owner.onPlayed(clip.number, ms, playing);
  }

  /** The time of the sound that is audible now: the loudspeaker is a little behind. */
  get #audibleTime() {
    return this.#context.currentTime - (this.#context.outputLatency || 0);
  }
}

/** @typedef {{at: number, from: number, samples: number, node: AudioBufferSourceNode, volume: AudioParam}} Part of the clip, scheduled for the context's time `at` */

/** One clip: its received samples, the scheduled parts, and the progress. */
class Clip {
  #context;
  #rate;
  /** @type {Int16Array[]} */
  #sound = [];
  /** How many samples were received, or are wanted. */
  #samples = 0;
  /** How many samples are scheduled. */
  #scheduledSamples = 0;
  /** @type {Part[]} in the order in which they are played */
  #parts = [];
  /** All samples were received. */
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

  /** @returns {number} when its scheduled sound ends; 0 if none is scheduled */
  get endsAt() {
    const last = this.#parts.at(-1);
    return last ? last.at + last.samples / this.#rate : 0;
  }

  /** @param {Int16Array} sound more of it */
  addSound(sound) {
    this.#sound.push(sound);
    this.#samples += sound.length;
  }

  /** Schedules all received samples. @param {number} at @returns {number} when that ends */
  schedule(at) {
    const samples = this.#samples - this.#scheduledSamples;
    if (samples <= 0) return at;
    // Browsers round up to the device's next sample: round here, to know the exact time.
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

  /**
   * Stops the sound; samples that were not played can be scheduled again.
   *
   * @param {number} at
   * @param {number} fade in seconds
   */
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

  /** Drops all samples that are not scheduled. */
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

  /** @param {Float32Array} goal is filled with the samples that are not scheduled yet */
  #copy(goal) {
    let from = -this.#scheduledSamples;
    for (const sound of this.#sound) {
      for (let n = Math.max(0, -from); n < sound.length; n++) goal[from + n] = sound[n] / 0x8000;
      from += sound.length;
    }
  }
}

/** What the assistant says aloud: played, told to the server, and shown no sooner than it is heard. */

import { Player } from "./player.js";

/** @typedef {import("../client/frames.js").ServerFrame} Frame */

export class Playback {
  #owner;
  #player;
  #progress = new SpokenProgress();
  /** Silent on this side already, before the server has said so. */
  #muted = false;

  /** @param {AudioContext} context @param {import("../lazy-module.js").VoiceOwner} owner */
  constructor(context, owner) {
    this.#owner = owner;
    this.#player = new Player(context, {
      onPlayed: (clip, ms, playing) => {
        // What is said over a lost line, the server would not know that anybody has heard.
        if (!owner.sendNow({ type: "audio.played", clip, ms, playing })) this.forget();
      },
      onBegin: ({ about }) => {
        this.#progress.begin(about);
        owner.onChange();
      },
      onDropped: ({ about }) => {
        this.#progress.drop(about);
        owner.onChange();
      },
    });
  }

  /** @param {Frame} frame of any kind */
  handleFrame(frame) {
    switch (frame.type) {
      case "message.started":
        return this.#progress.expect(frame.message_id);
      case "accepted":
      case "rejected":
      case "turn.completed":
        return this.#unmute();
      case "audio.clip":
        return this.#player.begin(frame);
      case "audio.clip_end":
        return this.#player.end(frame.clip);
      case "audio.pause":
        return this.#player.pause();
      case "audio.resume":
        return this.#player.resume();
      case "audio.drop":
        return this.#player.drop(frame.clips, frame.fade_ms);
      case "audio.clear":
        return this.clear();
    }
  }

  /** @param {ArrayBuffer} sound of a clip */
  addSound(sound) {
    this.#player.addSound(sound);
  }

  /** Falls silent before the server has said so. */
  mute() {
    this.#muted = true;
    this.#player.pause();
  }

  /** Falls silent, and says how much was heard. */
  clear() {
    this.#muted = false;
    this.#player.clear();
    this.#progress.clear();
    this.#owner.onChange();
  }

  /** Falls silent, where there is nobody to be told. */
  forget() {
    this.#muted = false;
    this.#player.forget();
    this.#progress.end();
  }

  /** @param {import("../client/items.js").AssistantItem} item @param {boolean} quiet nobody speaks, and nobody is about to @returns {number | undefined} how many of its characters may be shown; undefined: speaking holds nothing back */
  visibleLength(item, quiet) {
    return this.#progress.visibleLength(item, quiet);
  }

  /** The server has had reason to say that there is silence, and has not. */
  #unmute() {
    if (this.#muted) this.#player.resume();
    this.#muted = false;
  }
}

// How much of each message may be shown while it is spoken: what is being said now, and what was.

/** @typedef {import("../client/items.js").AssistantItem} AssistantItem */

class SpokenProgress {
  /** @type {Map<string, number>} so many characters, for each message of which something was begun */
  #begun = new Map();
  /** @type {Set<string>} messages that began while they were to be spoken */
  #expected = new Set();

  /** @param {string} id of a message that will be spoken */
  expect(id) {
    this.#expected.add(id);
  }

  /** @param {import("../client/frames.js").AudioClip} clip the customer hears it */
  begin({ message_id: id, end }) {
    if (id !== null) this.#begun.set(id, Math.max(end, this.#begun.get(id) ?? 0));
  }

  /** @param {import("../client/frames.js").AudioClip} clip was cut short: what was heard of it, the server says */
  drop({ message_id: id }) {
    if (id !== null) this.#begun.delete(id);
  }

  /** All was cut short. */
  clear() {
    this.#begun.clear();
  }

  /** Nothing is spoken any more. */
  end() {
    this.clear();
    this.#expected.clear();
  }

  /**
   * @param {AssistantItem} item
   * @param {boolean} quiet nobody speaks, and nobody is about to
   * @returns {number | undefined} characters; undefined where speaking holds nothing back
   */
  visibleLength({ id, heard }, quiet) {
    const begun = this.#begun.get(id);
    if (begun !== undefined) return Math.max(begun, heard ?? 0);
    return heard === null && !quiet && this.#expected.has(id) ? 0 : undefined;
  }
}

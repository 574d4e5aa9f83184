/**
 * The assistant's speech: plays it, reports progress to the server, and limits the shown text to what was heard.
 */

import { Player } from "./player.js";

/** @typedef {import("../client/items.js").AssistantItem} AssistantItem */
/** @typedef {import("../client/frames.js").ServerFrame} Frame */

export class Playback {
  #owner;
  #player;
  #progress = new SpokenProgress();
  /** Muted by this page, before the server has confirmed it. */
  #muted = false;

  /** @param {AudioContext} context @param {import("../lazy-module.js").VoiceOwner} owner */
  constructor(context, owner) {
    this.#owner = owner;
    this.#player = new Player(context, {
      onPlayed: (clip, ms, playing) => {
        // Without a connection the server would not learn what was heard.
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

  /** Stops the sound before the server confirms it. */
  mute() {
    this.#muted = true;
    this.#player.pause();
  }

  /** Stops, and reports how much was heard. */
  clear() {
    this.#muted = false;
    this.#player.clear();
    this.#progress.clear();
    this.#owner.onChange();
  }

  /** Stops without a report. */
  forget() {
    this.#muted = false;
    this.#player.forget();
    this.#progress.end();
  }

  /**
   * @param {AssistantItem} item
   * @param {boolean} quiet neither side speaks, or is about to
   * @returns {number | undefined} how many of its characters may be shown; undefined: all
   */
  visibleLength(item, quiet) {
    return this.#progress.visibleLength(item, quiet);
  }

  /** The server continues without having confirmed the mute. */
  #unmute() {
    if (this.#muted) this.#player.resume();
    this.#muted = false;
  }
}

/** How much of each message may be shown while it is spoken. */

class SpokenProgress {
  /** @type {Map<string, number>} for each message whose speech has begun, how many characters */
  #begun = new Map();
  /** @type {Set<string>} messages that started while speech was on */
  #expected = new Set();

  /** @param {string} id of a message that will be spoken */
  expect(id) {
    this.#expected.add(id);
  }

  /** @param {import("../client/frames.js").AudioClip} clip that the customer hears now */
  begin({ message_id: id, end }) {
    if (id !== null) this.#begun.set(id, Math.max(end, this.#begun.get(id) ?? 0));
  }

  /**
   * @param {import("../client/frames.js").AudioClip} clip that was cut short: the server reports how much was heard
   */
  drop({ message_id: id }) {
    if (id !== null) this.#begun.delete(id);
  }

  /** All speech was cut short. */
  clear() {
    this.#begun.clear();
  }

  /** Speech is over. */
  end() {
    this.clear();
    this.#expected.clear();
  }

  /**
   * @param {AssistantItem} item
   * @param {boolean} quiet neither side speaks, or is about to
   * @returns {number | undefined} characters; undefined: all
   */
  visibleLength({ id, heard }, quiet) {
    const begun = this.#begun.get(id);
    if (begun !== undefined) return Math.max(begun, heard ?? 0);
    return heard === null && !quiet && this.#expected.has(id) ? 0 : undefined;
  }
}

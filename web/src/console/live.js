/**
 * The live line: one websocket, on which the screens follow what they show. A line that is cut mends itself, and each
 * screen goes on where it was, or is told to read everything again.
 */

import { Connection } from "../client/connection.js";

const SUBPROTOCOL = "meanwhile.console.v1";
const SIGNED_OUT = 4401;
const GIVE_UP = new Set(["not_allowed", "unknown", "too_many"]);
const AGAIN_MS = 5000;

/** @typedef {import("./contract.js").LiveFrame} LiveFrame */
/** @typedef {import("./contract.js").LiveListener} LiveListener */

/**
 * @typedef {object} Followed
 * @property {string} topic
 * @property {string} id
 * @property {string} epoch
 * @property {number} seq the newest news that this page has
 * @property {boolean} begun the server has answered, on this line or an earlier one
 * @property {Set<LiveListener>} listeners
 */

/**
 * @typedef {object} LiveOwner
 * @property {() => void} changed the line was cut, or is whole again
 * @property {() => Promise<boolean>} signedOut settles when there is a session again; false: there is none
 */

export class Live {
  #owner;
  #connection;
  /** @type {Map<string, Followed>} */
  #followed = new Map();
  /** The line is cut, and is being mended. */
  cut = false;

  /** @param {string} url of the websocket @param {LiveOwner} owner */
  constructor(url, owner) {
    this.#owner = owner;
    this.#connection = new Connection(
      url,
      {
        getIdentity: async () => ({}),
        getHello: () => /** @type {any} */ ({}),
        onFrame: (frame) => this.#onFrame(/** @type {any} */ (frame)),
        onSound: () => {},
        onLink: (link, code) => this.#onLink(link, code),
      },
      SUBPROTOCOL,
    );
    addEventListener("online", () => this.#connection.check());
    addEventListener("visibilitychange", () => document.hidden || this.#connection.check());
  }

  /**
   * Follows a topic until the returned function is called.
   *
   * @param {string} topic
   * @param {string} id what of the topic; "" if there is only one
   * @param {LiveListener} listener
   * @returns {() => void}
   */
  follow(topic, id, listener) {
    const key = `${topic} ${id}`;
    const known = this.#followed.get(key);
    const one = known ?? { topic, id, epoch: "", seq: 0, begun: false, listeners: new Set() };
    one.listeners.add(listener);
    if (!known) {
      this.#followed.set(key, one);
      this.#ask(one);
      this.#connection.start();
    } else if (one.begun) {
      listener.following?.({ type: "following", topic, id, resumed: "new", epoch: one.epoch, seq: one.seq });
    }
    return () => {
      one.listeners.delete(listener);
      if (one.listeners.size > 0 || this.#followed.get(key) !== one) return;
      this.#followed.delete(key);
      this.send({ type: "unfollow", topic, id });
    };
  }

  /** Sends a frame now or never. @param {object} frame */
  send(frame) {
    this.#connection.send(/** @type {any} */ (frame));
  }

  /** No one is signed in any more. */
  stop() {
    this.#followed.clear();
    this.#connection.stop();
  }

  /** @param {Followed} one */
  #ask({ topic, id, epoch, seq }) {
    this.send({ type: "follow", topic, id, epoch, seq });
  }

  /** @param {import("../client/state.js").Link} link @param {number} [code] */
  #onLink(link, code) {
    if (link === "open") for (const one of this.#followed.values()) this.#ask(one);
    const cut = link === "lost" || link === "refused" || (link === "connecting" && this.cut);
    if (cut !== this.cut) {
      this.cut = cut;
      this.#owner.changed();
    }
    if (code === SIGNED_OUT) void this.#onSignedOut();
  }

  async #onSignedOut() {
    this.#connection.stop();
    if ((await this.#owner.signedOut()) && this.#followed.size > 0) this.#connection.start();
  }

  /** @param {LiveFrame} frame */
  #onFrame(frame) {
    const one = this.#followed.get(`${frame.topic} ${frame.id}`);
    if (!one) return;
    if (frame.type === "following") {
      one.begun = true;
      one.epoch = frame.epoch;
      if (frame.resumed !== "replay") one.seq = frame.seq;
      for (const listener of one.listeners) listener.following?.(frame);
    } else if (frame.type === "news") {
      one.seq = frame.seq;
      for (const listener of one.listeners) listener.news?.(frame);
    } else if (frame.type === "typing") {
      for (const listener of one.listeners) listener.typing?.();
    } else if (frame.type === "refused") {
      for (const listener of one.listeners) listener.refused?.(frame);
      if (!GIVE_UP.has(frame.code)) setTimeout(() => this.#followed.get(`${one.topic} ${one.id}`) === one && this.#ask(one), AGAIN_MS);
    }
  }
}

/** How many customers wait for a person, wherever in the console this one is. */
export class WaitingCount {
  #live;
  #changed;
  #heard;
  #followed = false;
  count = 0;

  /** @param {Live} live @param {() => void} changed @param {(row: import("./contract.js").InboxRow) => void} heard each row that changes */
  constructor(live, changed, heard) {
    this.#live = live;
    this.#changed = changed;
    this.#heard = heard;
  }

  follow() {
    if (this.#followed) return;
    this.#followed = true;
    const count = (/** @type {any} */ { waiting }) => {
      this.count = Number(waiting) || 0;
      this.#changed();
    };
    const news = (/** @type {any} */ frame) => {
      count(frame);
      if (frame.row) this.#heard(frame.row);
    };
    this.#live.follow("inbox", "", { following: count, news });
  }

  /** No one is signed in any more, or someone else. */
  stop() {
    this.#live.stop();
    this.#followed = false;
    this.count = 0;
  }
}

/**
 * What outlives a reload: who we are, which conversation, what was seen of it, and what has not reached the server.
 *
 * All tabs share it. The outbox is kept in the order in which things were said.
 */

import { Keep } from "./keep.js";

/** @typedef {import("./frames.js").Message | import("./frames.js").Confirm} Outgoing */
/**
 * @typedef {object} Kept
 * @property {string} token
 * @property {string} conversation_id
 * @property {string} epoch
 * @property {string} seen the id of the newest message that was seen
 * @property {Outgoing[]} outbox
 */

export class Memory {
  #keep;
  #elsewhere;

  /**
   * @param {string} key `meanwhile:<server>:<tenant>:<customer>`
   * @param {(forgotten: boolean) => void} elsewhere called when another tab has changed it, or forgotten it
   */
  constructor(key, elsewhere) {
    this.#keep = /** @type {Keep<Kept>} */ (new Keep("localStorage", key));
    this.#elsewhere = elsewhere;
  }

  /** The name under which tabs agree about this memory. */
  get key() {
    return this.#keep.key;
  }

  /** Listens to other tabs, until `unwatch`. */
  watch() {
    addEventListener("storage", this.#notice);
  }

  unwatch() {
    removeEventListener("storage", this.#notice);
  }

  /** @param {StorageEvent} event */
  #notice = ({ key, newValue }) => {
    if (key === this.key || key === null) this.#elsewhere(newValue === null);
  };

  /** @returns {{token?: string, conversation_id?: string}} */
  get identity() {
    const { token, conversation_id } = this.#keep.read();
    return { token, conversation_id };
  }

  /** @param {import("./frames.js").Welcome} frame */
  welcomed({ token, conversation_id, epoch }) {
    this.#keep.write({ token, conversation_id, epoch });
  }

  /** Who we were is not believed any more; unsent messages stay. */
  forgetIdentity() {
    this.#keep.write({ token: undefined, conversation_id: undefined, epoch: undefined });
  }

  /** @returns {string | undefined} the id of the newest message that was seen */
  get seen() {
    return this.#keep.read().seen;
  }

  set seen(seen) {
    if (seen !== this.seen) this.#keep.write({ seen });
  }

  /** @returns {readonly Outgoing[]} oldest first */
  get outbox() {
    return this.#keep.read().outbox ?? [];
  }

  /** @param {Outgoing} frame */
  post(frame) {
    this.#keep.write({ outbox: [...this.outbox.filter((other) => other.id !== frame.id), frame] });
  }

  /** @param {string} id of what the server has answered for */
  settle(id) {
    if (this.holds(id)) this.#keep.write({ outbox: this.outbox.filter((frame) => frame.id !== id) });
  }

  /** @param {string} id @returns {boolean} whether it still has to be sent */
  holds(id) {
    return this.outbox.some((frame) => frame.id === id);
  }

  /** As if nobody had been here. */
  forget() {
    this.#keep.forget();
  }
}

/** What outlives a reload: who we are, which conversation, and what has not reached the server. */

/**
 * @typedef {{type: "message", id: string, text: string}
 *   | {type: "confirm", id: string, confirmation_id: string, answer: "yes" | "no", label: string}} Outgoing
 */
/** @typedef {{token?: string, conversation_id?: string, epoch?: string, outbox?: Outgoing[]}} Kept */

export class Memory {
  #key;
  /** @type {Kept} used where the browser keeps nothing: private windows, blocked storage */
  #fallback = {};

  /** @param {string} key `meanwhile:<server>:<tenant>:<customer>` */
  constructor(key) {
    this.#key = key;
  }

  /** @returns {Kept} */
  read() {
    try {
      return JSON.parse(localStorage.getItem(this.#key) ?? "{}");
    } catch {
      return this.#fallback;
    }
  }

  /** @param {Kept} changes are merged in, so that two tabs do not wipe each other's fields */
  write(changes) {
    const kept = { ...this.read(), ...changes };
    this.#fallback = kept;
    try {
      localStorage.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // The conversation then lasts as long as the page.
    }
  }

  /** @returns {Outgoing[]} oldest first */
  get outbox() {
    return this.read().outbox ?? [];
  }

  /** @param {Outgoing} frame */
  post(frame) {
    this.write({ outbox: [...this.outbox.filter((other) => other.id !== frame.id), frame] });
  }

  /** @param {string} id of what the server has answered for */
  settle(id) {
    this.write({ outbox: this.outbox.filter((frame) => frame.id !== id) });
  }

  /** Who we were is not believed any more; unsent messages stay. */
  forgetIdentity() {
    this.write({ token: undefined, conversation_id: undefined, epoch: undefined });
  }
}

/**
 * Sends what waits in the memory's outbox: again after each loss, until the server has answered for it.
 *
 * Tabs share the outbox. A lock per message lets only one of them send it; when that one goes away before there was
 * an answer, the next takes over. After an answer the lock stays where it is for as long as the line is open: who
 * waits for it hears of the answer from the storage, and that may be later than a lock would be there. Without locks
 * (pages that are not served over https) all send, and the server takes one: that costs nothing but bytes.
 */

/** @typedef {import("./storage.js").Outgoing} Outgoing */

export class Outbox {
  #memory;
  #send;
  /** @type {Map<string, AbortController>} what this tab sends, or would if another did not */
  #taken = new Map();
  /** @type {Set<string>} what of that no other tab can send: it is our turn, or it was and there was an answer */
  #ours = new Set();
  /** @type {Map<string, Outgoing>} what this tab has just been told to send: others see it once the lock is ours */
  #fresh = new Map();
  #open = false;

  /**
   * @param {import("./storage.js").Memory} memory
   * @param {(frame: Outgoing) => void} send
   */
  constructor(memory, send) {
    this.#memory = memory;
    this.#send = send;
  }

  /** The line is open: whatever waits is sent, oldest first. */
  open() {
    this.#open = true;
    this.look();
  }

  /** Another tab has posted something, or had its answer. */
  look() {
    if (!this.#open) return;
    for (const id of [...this.#taken.keys()])
      if (!this.#memory.holds(id) && !this.#fresh.has(id)) this.#giveUp(id);
    for (const frame of this.#memory.outbox) this.#take(frame);
  }

  /** The line is gone. */
  close() {
    this.#open = false;
    for (const id of [...this.#fresh.keys()]) this.#keep(id);
    for (const id of [...this.#taken.keys()]) this.#release(id);
  }

  /** @param {Outgoing} frame is sent now, or as soon as the line is open */
  post(frame) {
    this.#fresh.set(frame.id, frame);
    if (this.#open) this.#take(frame);
    else this.#keep(frame.id);
  }

  /** @param {string} id of what the server has answered for */
  settle(id) {
    this.#memory.settle(id);
    this.#giveUp(id);
  }

  /** @param {string} id */
  #keep(id) {
    const frame = this.#fresh.get(id);
    if (frame) this.#memory.post(frame);
    this.#fresh.delete(id);
  }

  /** @param {string} id of what this tab need not wait for any more */
  #giveUp(id) {
    if (!this.#ours.has(id)) this.#release(id);
  }

  /** @param {string} id */
  #release(id) {
    this.#taken.get(id)?.abort();
    this.#taken.delete(id);
    this.#ours.delete(id);
  }

  /** @param {Outgoing} frame */
  #take(frame) {
    if (this.#ours.has(frame.id)) return this.#sendAgain(frame);
    if (this.#taken.has(frame.id)) return;
    const turn = new AbortController();
    this.#taken.set(frame.id, turn);
    const { signal } = turn;
    const deliver = () => this.#deliver(frame, signal);
    if (!navigator.locks) void deliver();
    else
      navigator.locks.request(`${this.#memory.key}:${frame.id}`, { signal }, deliver).catch(() => {
        // Given up while it waited; or the browser has no locks for this page, which is no reason to be silent.
        void deliver();
      });
  }

  /** @param {Outgoing} frame was refused, where the customer has told us to send it once more */
  #sendAgain(frame) {
    if (!this.#fresh.has(frame.id)) return;
    this.#keep(frame.id);
    this.#send(frame);
  }

  /** @param {Outgoing} frame @param {AbortSignal} signal @returns {Promise<void>} done when the lock may go */
  async #deliver(frame, signal) {
    this.#keep(frame.id);
    // While we waited for the lock another tab may have had the answer.
    if (signal.aborted || !this.#memory.holds(frame.id)) return;
    this.#ours.add(frame.id);
    this.#send(frame);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
}

// A fresh id for a message, unique for good: the server knows a resend by it.

/** @returns {string} */
export function newId() {
  // randomUUID exists only on https and localhost.
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

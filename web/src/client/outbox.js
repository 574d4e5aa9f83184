/**
 * Sends what waits in the stored outbox: again after each loss, until the server has answered for it.
 *
 * Tabs share the outbox. A lock per message lets only one of them send it; when that one goes away before there was
 * an answer, the next takes over. After an answer the lock stays where it is for as long as the line is open: who
 * waits for it hears of the answer from the storage, and that may be later than a lock would be there. Without locks
 * (pages that are not served over https) all send, and the server takes one: that costs nothing but bytes.
 */

/** @typedef {import("./storage.js").Outgoing} Outgoing */

export class Outbox {
  #storage;
  #send;
  /** @type {Map<string, AbortController>} what this tab sends, or would if another did not */
  #claimed = new Map();
  /** @type {Set<string>} what of that no other tab can send: it is our turn, or it was and there was an answer */
  #locked = new Set();
  /** @type {Map<string, Outgoing>} what this tab has just been told to send: others see it once the lock is ours */
  #unsaved = new Map();
  #open = false;

  /**
   * @param {import("./storage.js").ConversationStorage} storage
   * @param {(frame: Outgoing) => void} send
   */
  constructor(storage, send) {
    this.#storage = storage;
    this.#send = send;
  }

  /** The line is open: whatever waits is sent, oldest first. */
  open() {
    this.#open = true;
    this.sync();
  }

  /** Another tab has posted something, or had its answer. */
  sync() {
    if (!this.#open) return;
    for (const id of [...this.#claimed.keys()])
      if (!this.#storage.isInOutbox(id) && !this.#unsaved.has(id)) this.#releaseUnlessLocked(id);
    for (const frame of this.#storage.outbox) this.#claim(frame);
  }

  /** The line is gone. */
  close() {
    this.#open = false;
    for (const id of [...this.#unsaved.keys()]) this.#persist(id);
    for (const id of [...this.#claimed.keys()]) this.#release(id);
  }

  /** @param {Outgoing} frame is sent now, or as soon as the line is open */
  enqueue(frame) {
    this.#unsaved.set(frame.id, frame);
    if (this.#open) this.#claim(frame);
    else this.#persist(frame.id);
  }

  /** @param {string} id of what the server has answered for */
  acknowledge(id) {
    this.#storage.removeFromOutbox(id);
    this.#releaseUnlessLocked(id);
  }

  /** @param {string} id */
  #persist(id) {
    const frame = this.#unsaved.get(id);
    if (frame) this.#storage.addToOutbox(frame);
    this.#unsaved.delete(id);
  }

  /** @param {string} id of what this tab need not wait for any more */
  #releaseUnlessLocked(id) {
    if (!this.#locked.has(id)) this.#release(id);
  }

  /** @param {string} id */
  #release(id) {
    this.#claimed.get(id)?.abort();
    this.#claimed.delete(id);
    this.#locked.delete(id);
  }

  /** @param {Outgoing} frame */
  #claim(frame) {
    if (this.#locked.has(frame.id)) return this.#sendAgain(frame);
    if (this.#claimed.has(frame.id)) return;
    const turn = new AbortController();
    this.#claimed.set(frame.id, turn);
    const { signal } = turn;
    const deliver = () => this.#deliver(frame, signal);
    if (!navigator.locks) void deliver();
    else
      navigator.locks.request(`${this.#storage.key}:${frame.id}`, { signal }, deliver).catch(() => {
        // Given up while it waited; or the browser has no locks for this page, which is no reason to be silent.
        void deliver();
      });
  }

  /** @param {Outgoing} frame was refused, where the customer has told us to send it once more */
  #sendAgain(frame) {
    if (!this.#unsaved.has(frame.id)) return;
    this.#persist(frame.id);
    this.#send(frame);
  }

  /** @param {Outgoing} frame @param {AbortSignal} signal @returns {Promise<void>} done when the lock may go */
  async #deliver(frame, signal) {
    this.#persist(frame.id);
    // While we waited for the lock another tab may have had the answer.
    if (signal.aborted || !this.#storage.isInOutbox(frame.id)) return;
    this.#locked.add(frame.id);
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

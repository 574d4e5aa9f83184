/**
 * Sends the messages of the stored outbox, again after each loss, until the server has acknowledged them.
 *
 * Tabs share the outbox. With a lock per message only one tab sends it; if that tab is closed before the
 * acknowledgement, the next one takes over. After the acknowledgement the tab keeps the lock while it is connected:
 * other tabs learn of the acknowledgement from the storage, which may be later than they would get the lock. Without
 * locks (on pages without https) every tab sends, and the server accepts the message once.
 */

/** @typedef {import("./storage.js").Outgoing} Outgoing */

export class Outbox {
  #storage;
  #send;
  /** @type {Map<string, AbortController>} messages that this tab has, or wants, the lock for */
  #claimed = new Map();
  /** @type {Set<string>} messages that this tab has the lock for */
  #locked = new Set();
  /** @type {Map<string, Outgoing>} messages that are not stored yet: other tabs see them once this tab has the lock */
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

  /** Connected: sends all messages that wait, oldest first. */
  open() {
    this.#open = true;
    this.sync();
  }

  /** Another tab has added or removed a message. */
  sync() {
    if (!this.#open) return;
    for (const id of [...this.#claimed.keys()])
      if (!this.#storage.isInOutbox(id) && !this.#unsaved.has(id)) this.#releaseUnlessLocked(id);
    for (const frame of this.#storage.outbox) this.#claim(frame);
  }

  /** Disconnected. */
  close() {
    this.#open = false;
    for (const id of [...this.#unsaved.keys()]) this.#persist(id);
    for (const id of [...this.#claimed.keys()]) this.#release(id);
  }

  /** @param {Outgoing} frame is sent now, or once connected */
  enqueue(frame) {
    this.#unsaved.set(frame.id, frame);
    if (this.#open) this.#claim(frame);
    else this.#persist(frame.id);
  }

  /** @param {string} id of a message that the server has accepted or rejected */
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

  /** @param {string} id of a message that this tab need not send any more */
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
    const abort = new AbortController();
    this.#claimed.set(frame.id, abort);
    const { signal } = abort;
    const deliver = () => this.#deliver(frame, signal);
    if (!navigator.locks) void deliver();
    else
      navigator.locks.request(`${this.#storage.key}:${frame.id}`, { signal }, deliver).catch(() => {
        // Either this tab gave the message up, or the browser denies locks to this page: then send without one.
        void deliver();
      });
  }

  /** @param {Outgoing} frame was refused before, and the customer retries it */
  #sendAgain(frame) {
    if (!this.#unsaved.has(frame.id)) return;
    this.#persist(frame.id);
    this.#send(frame);
  }

  /**
   * @param {Outgoing} frame
   * @param {AbortSignal} signal
   * @returns {Promise<void>} settles when the lock can be released
   */
  async #deliver(frame, signal) {
    this.#persist(frame.id);
    // Another tab may have got the acknowledgement while this one waited for the lock.
    if (signal.aborted || !this.#storage.isInOutbox(frame.id)) return;
    this.#locked.add(frame.id);
    this.#send(frame);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
}

/** @returns {string} a unique id for a message, by which the server recognises a resend */
export function newId() {
  // randomUUID exists only on https and localhost.
  if (crypto.randomUUID) return crypto.randomUUID();
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * What outlives a reload: who we are, which conversation, what was seen of it, and what has not reached the server.
 *
 * All tabs share it. The outbox is kept in the order in which things were said.
 */

/** @typedef {import("./frames.js").Message | import("./frames.js").Confirm} Outgoing */
/**
 * @typedef {object} Stored
 * @property {string} token
 * @property {string} conversation_id
 * @property {string} epoch
 * @property {string} seen the id of the newest message that was seen
 * @property {Outgoing[]} outbox
 */

export class ConversationStorage {
  #stored;
  #onOtherTab;

  /**
   * @param {string} key `meanwhile:<server>:<tenant>:<customer>`
   * @param {(forgotten: boolean) => void} onOtherTab called when another tab has changed it, or forgotten it
   */
  constructor(key, onOtherTab) {
    this.#stored = /** @type {StoredValue<Stored>} */ (new StoredValue("localStorage", key));
    this.#onOtherTab = onOtherTab;
  }

  /** The name under which tabs agree about this memory. */
  get key() {
    return this.#stored.key;
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
    if (key === this.key || key === null) this.#onOtherTab(newValue === null);
  };

  /** @returns {{token?: string, conversation_id?: string}} */
  get identity() {
    const { token, conversation_id } = this.#stored.read();
    return { token, conversation_id };
  }

  /** @param {import("./frames.js").Welcome} frame */
  storeWelcome({ token, conversation_id, epoch }) {
    this.#stored.write({ token, conversation_id, epoch });
  }

  /** Who we were is not believed any more; unsent messages stay. */
  forgetIdentity() {
    this.#stored.write({ token: undefined, conversation_id: undefined, epoch: undefined });
  }

  /** @returns {string | undefined} the id of the newest message that was seen */
  get seen() {
    return this.#stored.read().seen;
  }

  set seen(seen) {
    if (seen !== this.seen) this.#stored.write({ seen });
  }

  /** @returns {readonly Outgoing[]} oldest first */
  get outbox() {
    return this.#stored.read().outbox ?? [];
  }

  /** @param {Outgoing} frame */
  addToOutbox(frame) {
    this.#stored.write({ outbox: [...this.outbox.filter((other) => other.id !== frame.id), frame] });
  }

  /** @param {string} id of what the server has answered for */
  removeFromOutbox(id) {
    if (this.isInOutbox(id)) this.#stored.write({ outbox: this.outbox.filter((frame) => frame.id !== id) });
  }

  /** @param {string} id @returns {boolean} whether it still has to be sent */
  isInOutbox(id) {
    return this.outbox.some((frame) => frame.id === id);
  }

  /** As if nobody had been here. */
  forget() {
    this.#stored.forget();
  }
}

// Keeps one JSON value in the browser's storage, or as long as the page lives where the browser keeps nothing.

/**
 * @template {object} T
 */
export class StoredValue {
  #area;
  #key;
  /** @type {Partial<T> | null} instead of what is stored, from the first time that storing failed */
  #fallback = null;

  /**
   * @param {"localStorage" | "sessionStorage"} area shared by all tabs, or this tab's own
   * @param {string} key
   */
  constructor(area, key) {
    this.#area = area;
    this.#key = key;
  }

  get key() {
    return this.#key;
  }

  /** @returns {Partial<T>} */
  read() {
    if (this.#fallback) return this.#fallback;
    try {
      return asObject(JSON.parse(window[this.#area].getItem(this.#key) ?? "{}"));
    } catch {
      return {};
    }
  }

  /** @param {Partial<T>} changes are merged in, so that two tabs do not wipe each other's fields */
  write(changes) {
    const merged = { ...this.read(), ...changes };
    try {
      window[this.#area].setItem(this.#key, JSON.stringify(merged));
    } catch {
      // Blocked or full: what is stored is old from here on.
      this.#fallback = merged;
    }
  }

  forget() {
    this.#fallback &&= {};
    try {
      window[this.#area].removeItem(this.#key);
    } catch {
      // Then nothing was kept.
    }
  }
}

/** @param {unknown} value whatever stood there @returns {object} */
function asObject(value) {
  return typeof value === "object" && value !== null ? value : {};
}

// Forgets what the browser keeps under names that begin like this one and go on, for all tabs and for this one.

/** @param {string} beginning what stands under exactly this name stays */
export function forgetKeysUnder(beginning) {
  for (const area of /** @type {const} */ (["localStorage", "sessionStorage"]))
    try {
      for (const key of Object.keys(window[area]))
        if (key.startsWith(beginning) && key !== beginning) window[area].removeItem(key);
    } catch {
      // Blocked: then nothing was kept.
    }
}

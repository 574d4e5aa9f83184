/**
 * What the browser stores: values that survive a reload, or last as long as the page if storage is blocked.
 *
 * `ConversationStorage` holds the token, the conversation's id, the newest message seen, and the outbox in the order of
 * writing. All tabs share it.
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
   * @param {string} key `meanwhile:<server>:<customer>`
   * @param {(forgotten: boolean) => void} onOtherTab called when another tab has changed it, or deleted it
   */
  constructor(key, onOtherTab) {
    this.#stored = /** @type {StoredValue<Stored>} */ (new StoredValue("localStorage", key));
    this.#onOtherTab = onOtherTab;
  }

  /** The key in the browser's storage; also the prefix of the outbox's locks. */
  get key() {
    return this.#stored.key;
  }

  /** Listens for changes by other tabs, until `unwatch`. */
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

  /** The server rejects the token: deletes it, and keeps unsent messages. */
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

  /** @param {string} id of a message that the server has accepted or rejected */
  removeFromOutbox(id) {
    if (this.isInOutbox(id)) this.#stored.write({ outbox: this.outbox.filter((frame) => frame.id !== id) });
  }

  /** @param {string} id @returns {boolean} whether it still has to be sent */
  isInOutbox(id) {
    return this.outbox.some((frame) => frame.id === id);
  }

  /** Deletes all of it. */
  forget() {
    this.#stored.forget();
  }
}

/**
 * One JSON object in the browser's storage, or in this page if storage is blocked.
 *
 * @template {object} T
 */
export class StoredValue {
  #area;
  #key;
  /** @type {Partial<T> | null} replaces the stored value once storing has failed */
  #fallback = null;

  /**
   * @param {"localStorage" | "sessionStorage"} area shared by all tabs, or of this tab only
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

  /** @param {Partial<T>} changes are merged in, so that two tabs do not overwrite each other's fields */
  write(changes) {
    const merged = { ...this.read(), ...changes };
    try {
      window[this.#area].setItem(this.#key, JSON.stringify(merged));
    } catch {
      // Blocked or full: the stored value is outdated from now on.
      this.#fallback = merged;
    }
  }

  forget() {
    this.#fallback &&= {};
    try {
      window[this.#area].removeItem(this.#key);
    } catch {
      // Blocked: nothing was stored.
    }
  }
}

/** @param {unknown} value anything that was stored @returns {object} */
function asObject(value) {
  return typeof value === "object" && value !== null ? value : {};
}

/**
 * Deletes all values whose key starts with this one.
 *
 * @param {string} prefix the value with exactly this key stays
 */
export function forgetKeysUnder(prefix) {
  for (const area of /** @type {const} */ (["localStorage", "sessionStorage"]))
    try {
      for (const key of Object.keys(window[area]))
        if (key.startsWith(prefix) && key !== prefix) window[area].removeItem(key);
    } catch {
      // Blocked: nothing was stored.
    }
}

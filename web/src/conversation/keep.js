/** Keeps one JSON value in the browser's storage, or as long as the page lives where the browser keeps nothing. */

/**
 * @template {object} T
 */
export class Keep {
  #area;
  #key;
  /** @type {Partial<T> | null} instead of what is stored, from the first time that storing failed */
  #instead = null;

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
    if (this.#instead) return this.#instead;
    try {
      return asObject(JSON.parse(window[this.#area].getItem(this.#key) ?? "{}"));
    } catch {
      return {};
    }
  }

  /** @param {Partial<T>} changes are merged in, so that two tabs do not wipe each other's fields */
  write(changes) {
    const kept = { ...this.read(), ...changes };
    try {
      window[this.#area].setItem(this.#key, JSON.stringify(kept));
    } catch {
      // Blocked or full: what is stored is old from here on.
      this.#instead = kept;
    }
  }

  forget() {
    this.#instead &&= {};
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

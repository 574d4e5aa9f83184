/** How much of each message may be shown while it is spoken: what is being said now, and what was. */

/** @typedef {import("../conversation/state.js").AssistantItem} AssistantItem */

export class Told {
  /** @type {Map<string, number>} so many characters, for each message of which something was begun */
  #begun = new Map();
  /** @type {Set<string>} messages that began while they were to be spoken */
  #expected = new Set();

  /** @param {string} id of a message that will be spoken */
  expect(id) {
    this.#expected.add(id);
  }

  /** @param {import("../conversation/frames.js").AudioClip} clip the customer hears it */
  begin({ message_id: id, end }) {
    if (id !== null) this.#begun.set(id, Math.max(end, this.#begun.get(id) ?? 0));
  }

  /** @param {import("../conversation/frames.js").AudioClip} clip was cut short: what was heard of it, the server says */
  drop({ message_id: id }) {
    if (id !== null) this.#begun.delete(id);
  }

  /** All was cut short. */
  clear() {
    this.#begun.clear();
  }

  /** Nothing is spoken any more. */
  end() {
    this.clear();
    this.#expected.clear();
  }

  /**
   * @param {AssistantItem} item
   * @param {boolean} quiet nobody speaks, and nobody is about to
   * @returns {number | undefined} characters; undefined where speaking holds nothing back
   */
  reach({ id, heard }, quiet) {
    const begun = this.#begun.get(id);
    if (begun !== undefined) return Math.max(begun, heard ?? 0);
    return heard === null && !quiet && this.#expected.has(id) ? 0 : undefined;
  }
}

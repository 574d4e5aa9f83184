/** Shortcuts: single keys, and two keys one after the other such as `g i`. */

/** @typedef {import("./contract.js").Shortcut} Shortcut */

/** The second key must follow within this time. */
const SEQUENCE_MS = 1500;

/** Where letters are text. */
const WRITABLE = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

export class Keyboard {
  #shortcuts;
  #enabled;
  #first = "";
  #firstAt = 0;

  /**
   * @param {() => readonly Shortcut[]} shortcuts those that work now
   * @param {() => boolean} enabled whether the person wants single keys to do something
   */
  constructor(shortcuts, enabled) {
    this.#shortcuts = shortcuts;
    this.#enabled = enabled;
  }

  start() {
    document.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const { target, timeStamp } = event;
    const writes = target instanceof Element && target.closest(WRITABLE) !== null;
    if (writes || !this.#enabled() || document.querySelector("dialog[open]")) return;
    const keys = timeStamp - this.#firstAt < SEQUENCE_MS ? `${this.#first} ${event.key}` : event.key;
    const shortcuts = this.#shortcuts();
    const found = shortcuts.find((one) => one.keys === keys) ?? shortcuts.find((one) => one.keys === event.key);
    this.#first = shortcuts.some((one) => one.keys.startsWith(`${event.key} `)) ? event.key : "";
    this.#firstAt = this.#first ? timeStamp : -SEQUENCE_MS;
    if (!found) return;
    event.preventDefault();
    this.#first = "";
    this.#firstAt = -SEQUENCE_MS;
    found.run();
  }
}

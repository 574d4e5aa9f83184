/** A long list of which only the rows near the window are in the page. All rows are equally high. */

import { html } from "lit";
import { repeat } from "lit/directives/repeat.js";

/** Rows above and below those that are seen. */
const BEYOND = 16;
/** The window moves by so many rows at once, so that most scrolling draws nothing. */
const STEP = 8;
/** The most rows that are ever in the page. */
export const MOST = 80;

/**
 * @typedef {object} VirtualListOptions
 * @property {string} label
 * @property {readonly { readonly id: string }[]} rows those that are loaded, from the first
 * @property {number} total how many there are, also those that are not loaded
 * @property {(row: any, index: number) => unknown} draw
 * @property {(index: number) => void} [need] rows up to this one are needed
 */

export class VirtualList {
  #changed;
  #first = 0;
  #seen = 20;
  #height = 0;
  /** @type {HTMLElement | null} */
  #element = null;

  /** @param {() => void} changed other rows are needed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {VirtualListOptions} options */
  view({ label, rows, total, draw, need }) {
    const height = this.#height || 72;
    const first = Math.max(0, Math.min(this.#first, rows.length - 1) - BEYOND);
    const last = Math.min(rows.length, this.#first + this.#seen + BEYOND, first + MOST);
    if (need && this.#first + this.#seen + BEYOND >= rows.length && rows.length < total) need(this.#first + this.#seen + BEYOND);
    requestAnimationFrame(() => this.#measure());
    // The height is set from the script: the page's policy forbids style attributes.
    return html`<div class="virtual" @scroll=${this.#onScroll} tabindex="-1">
      <div .style=${/** @type {any} */ (`height: ${Math.max(total, rows.length) * height}px`)}>
        <ul class="list" role="list" aria-label=${label} .style=${/** @type {any} */ (`transform: translateY(${first * height}px)`)}>
          ${repeat(
            rows.slice(first, last),
            ({ id }) => id,
            (row, index) => html`<li aria-setsize=${total > rows.length ? total : rows.length} aria-posinset=${first + index + 1}>${draw(row, first + index)}</li>`,
          )}
        </ul>
      </div>
    </div>`;
  }

  /** Scrolls a row into sight. @param {number} index */
  reveal(index) {
    const element = this.#element;
    const height = this.#height;
    if (!element || !height) return;
    const top = index * height;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
  }

  /** Shows the beginning. */
  toStart() {
    this.#first = 0;
    if (this.#element) this.#element.scrollTop = 0;
  }

  #onScroll = (/** @type {Event} */ { currentTarget }) => {
    this.#element = /** @type {HTMLElement} */ (currentTarget);
    this.#place();
  };

  #place() {
    const element = this.#element;
    if (!element || !this.#height) return;
    const first = Math.floor(element.scrollTop / this.#height / STEP) * STEP;
    const seen = Math.ceil(element.clientHeight / this.#height) + STEP;
    if (first === this.#first && seen === this.#seen) return;
    this.#first = first;
    this.#seen = Math.min(seen, MOST - 2 * BEYOND);
    this.#changed();
  }

  #measure() {
    this.#element = document.querySelector(".virtual");
    const row = this.#element?.querySelector("li");
    const height = row?.offsetHeight ?? 0;
    if (!height || height === this.#height) return;
    this.#height = height;
    this.#place();
    this.#changed();
  }
}

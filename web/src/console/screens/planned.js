/** A place that is not built yet, an address that leads nowhere, and an account that may see nothing. */

import { html } from "lit";
import { empty } from "../parts/messages.js";

/** @typedef {import("../contract.js").Context} Context */
/** @typedef {import("../contract.js").Screen} Screen */
/** @typedef {import("../strings/index.js").Strings} Strings */
/** @typedef {import("../parts/icons.js").IconName} IconName */

/** One heading and one sentence. */
export class SentenceScreen {
  #context;
  #texts;
  #icon;

  /**
   * @param {Context} context
   * @param {IconName} icon
   * @param {(strings: Strings) => { heading: string, title: string, text: string, action?: { text: string, address: string } }} texts
   */
  constructor(context, icon, texts) {
    this.#context = context;
    this.#icon = icon;
    this.#texts = texts;
  }

  heading() {
    return this.#texts(this.#context.strings).heading;
  }

  view() {
    const { heading, title, text, action } = this.#texts(this.#context.strings);
    const actions = action && html`<a class="button" href=${action.address}>${action.text}</a>`;
    return html`<div class="screen">
      <div class="head"><h1 tabindex="-1">${heading}</h1></div>
      ${empty({ icon: this.#icon, title, text, actions })}
    </div>`;
  }
}

/** @param {Context} context @param {import("../places.js").Place} place @returns {Screen} */
export function plannedScreen(context, { name, icon }) {
  const sentence = /** @type {keyof Strings["planned"]} */ (name);
  return new SentenceScreen(context, icon, ({ places, planned }) => ({
    heading: places[name],
    title: planned.title,
    text: planned[sentence],
  }));
}

/** @param {Context} context @returns {Screen} */
export function unknownScreen(context) {
  return new SentenceScreen(context, "search", ({ unknown, toStart }) => ({
    heading: unknown.title,
    title: unknown.title,
    text: unknown.text,
    action: { text: toStart, address: context.address("") },
  }));
}

/** @param {Context} context @returns {Screen} */
export function noPlacesScreen(context) {
  return new SentenceScreen(context, "people", ({ noPlaces, console: name }) => ({ heading: name, ...noPlaces }));
}

/** The dialog with all keyboard shortcuts that work now. */

import { html } from "lit";
import { button, segments } from "../parts/controls.js";
import { prefer, preference } from "../preferences.js";

/** @typedef {import("../contract.js").Shortcut} Shortcut */

/** @typedef {import("../contract.js").Dialog} Dialog */

/** @implements {Dialog} */
export class ShortcutsDialog {
  #context;
  #shortcuts;

  /** @param {import("../contract.js").Context} context @param {readonly Shortcut[]} shortcuts */
  constructor(context, shortcuts) {
    this.#context = context;
    this.#shortcuts = shortcuts;
  }

  view() {
    const { strings, close, changed } = this.#context;
    const { keyboard } = strings;
    return html`<div>
      <h2 id="dialog-title" tabindex="-1" autofocus>${keyboard.title}</h2>
      <dl class="shortcuts">
        ${this.#shortcuts.map(({ keys, label }) => html`<dt>${this.#keys(keys)}</dt><dd>${label}</dd>`)}
      </dl>
      ${segments({
        name: "shortcuts",
        label: keyboard.toggle,
        value: preference("shortcuts"),
        options: [
          ["on", keyboard.on],
          ["off", keyboard.off],
        ],
        choose: (value) => {
          prefer("shortcuts", value);
          changed();
        },
      })}
      <div class="buttons">${button({ text: strings.close, run: close })}</div>
    </div>`;
  }

  /** @param {string} keys such as `g i` */
  #keys(keys) {
    const { then } = this.#context.strings.keyboard;
    return keys.split(" ").map((key, at) => html`${at > 0 ? html` <span class="soft small">${then}</span> ` : ""}<kbd>${key}</kbd>`);
  }
}

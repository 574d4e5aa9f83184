/** Draws the whole widget: the launcher and, above it, the panel with the conversation. */

import { html, nothing } from "lit";
import { directionOf, wordsFor } from "../strings/index.js";
import { icon } from "./icons.js";
import { panel } from "./panel.js";

export { settle } from "./after-render.js";

/** @type {import("./contract.js").ChatView} */
export function chatView(state, actions) {
  const words = wordsFor(state.locale);
  const scene = { state, actions, words };
  return html`
    <div
      class="root"
      part="root"
      lang=${words.locale}
      dir=${directionOf(state.locale)}
      data-theme=${state.theme}
    >
      ${launcher(scene)}${panel(scene)}
    </div>
  `;
}

// Draws the round button at the corner; its name says how much is unread.

/** @param {import("./contract.js").Scene} scene */
export function launcher({ state: { open, unread }, actions, words }) {
  const label = unread === 0 ? words.openChat : `${words.openChat}, ${words.unread(unread)}`;
  return html`
    <button
      class="launcher"
      part="launcher"
      type="button"
      aria-haspopup="dialog"
      aria-controls="panel"
      aria-expanded=${open}
      aria-label=${label}
      @click=${open ? actions.close : actions.open}
    >
      ${icon("chat")}${icon("down")}
      ${unread === 0 ? nothing : html`<span class="unread" part="unread" aria-hidden="true">${unread}</span>`}
    </button>
  `;
}

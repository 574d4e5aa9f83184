/** Draws the round button at the corner; its name says how much is unread. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";

/** @param {import("./scene.js").Scene} scene */
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

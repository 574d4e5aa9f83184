/** Draws the whole widget: the launcher and, above it, the panel with the conversation. */

import { html, nothing } from "lit";
import { directionOf, stringsFor } from "../strings/index.js";
import { icon } from "./icons.js";
import { panel } from "./panel.js";

/** @type {import("./contract.js").ChatView} */
export function chatView(state, actions) {
  const strings = stringsFor(state.locale);
  const context = { state, actions, strings };
  return html`
    <div
      class="root"
      part="root"
      lang=${strings.locale}
      dir=${directionOf(state.locale)}
      data-theme=${state.theme}
    >
      ${launcher(context)}${panel(context)}
    </div>
  `;
}

/** The round button in the corner. Its accessible name contains the number of unread messages. */
/** @param {import("./contract.js").ViewContext} context */
function launcher({ state: { open, unread }, actions, strings }) {
  const label = unread === 0 ? strings.openChat : `${strings.openChat}, ${strings.unread(unread)}`;
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

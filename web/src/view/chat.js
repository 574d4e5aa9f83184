/** Draws the whole widget: the launcher and, above it, the panel with the conversation. */

import { html } from "lit";
import { directionOf, wordsFor } from "../words/words.js";
import { launcher } from "./launcher.js";
import { panel } from "./panel.js";

export { settle } from "./settle.js";

/** @type {import("../view-contract.js").ChatView} */
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

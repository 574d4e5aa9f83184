/** Draws how the connection is, and the button that stops what is under way. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";

/** @param {import("./scene.js").Scene} scene */
export function activity({ state, actions, words }) {
  const line = connection(state, words);
  // What is spoken goes on for a while after its turn.
  const stops = state.turn !== null || state.microphone.sounds;
  if (line === "" && !stops) return nothing;
  return html`
    <div class="activity">
      ${line === "" ? nothing : html`<p class="link" part="connection" data-link=${state.link}>${line}</p>`}
      ${stops
        ? html`<button class="stop" part="stop-button" type="button" @click=${actions.stop}>
            ${icon("stop")}<span>${words.stop}</span>
          </button>`
        : nothing}
    </div>
  `;
}

/**
 * @param {import("../view-contract.js").ViewState} state
 * @param {import("../words/words.js").Words} words
 * @returns {string} empty where there is nothing to say
 */
function connection({ link, items }, words) {
  if (link === "idle" || link === "open") return "";
  if (link !== "lost") return words[link];
  const unsent = items.filter((item) => item.kind === "customer" && item.delivery === "waiting").length;
  return unsent === 0 ? words.lost : `${words.lost} ${words.unsent(unsent)}`;
}

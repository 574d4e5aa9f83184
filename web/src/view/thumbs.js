/** Draws two buttons to say whether an answer helped. */

import { html } from "lit";
import { icon } from "./icon.js";

/** @typedef {import("../view-contract.js").AssistantItem} AssistantItem */
/** @typedef {import("./scene.js").Scene} Scene */

/** @param {AssistantItem} item @param {Scene} scene */
export function thumbs(item, scene) {
  return html`<div class="thumbs" part="thumbs">
    ${thumb("up", item, scene)}${thumb("down", item, scene)}
  </div>`;
}

/** @param {"up" | "down"} rating @param {AssistantItem} item @param {Scene} scene */
function thumb(rating, { id, rating: rated }, { actions, words }) {
  const label = rating === "up" ? words.helpful : words.notHelpful;
  const rate = () => actions.rate(id, rating === rated ? null : rating);
  return html`
    <button
      class="thumb ${rating}"
      part="thumb"
      type="button"
      aria-label=${label}
      title=${label}
      aria-pressed=${rated === rating}
      @click=${rate}
    >
      ${icon("up")}
    </button>
  `;
}

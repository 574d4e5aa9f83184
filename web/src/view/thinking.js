/** Draws three dots while a turn is under way that shows nothing moving by itself. */

import { html, nothing } from "lit";

/** @param {import("./scene.js").Scene} scene */
export function thinking({ state, words }) {
  if (!isThinking(state)) return nothing;
  return html`
    <div class="thinking" part="thinking" role="img" aria-label=${words.thinking}><i></i><i></i><i></i></div>
  `;
}

/** @param {import("../view-contract.js").ViewState} state @returns {boolean} */
function isThinking({ turn, items }) {
  if (turn === null) return false;
  const last = items.at(-1);
  if (last?.kind === "assistant") return last.says !== null || last.text.trim() === "";
  return last?.kind !== "tools" || last.calls.every((call) => call.outcome !== null);
}

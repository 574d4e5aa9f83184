/** Draws what is there before the first message: that it is a machine, its greeting, and how one might begin. */

import { html, nothing } from "lit";

/** @param {import("./scene.js").Scene} scene */
export function intro({ state: { assistant } }) {
  if (assistant === null) return nothing;
  const { disclosure, greeting } = assistant;
  return html`
    <div class="intro" part="intro">
      ${disclosure ? html`<p class="disclosure" part="disclosure" dir="auto">${disclosure}</p>` : nothing}
      ${greeting ? html`<p class="greeting" part="greeting" dir="auto">${greeting}</p>` : nothing}
    </div>
  `;
}

/** @param {import("./scene.js").Scene} scene */
export function starters({ state: { assistant, items }, actions, words }) {
  // The first words are the customer's: from then on the suggestions would only be in the way.
  if (!assistant?.starters?.length || items.length > 0) return nothing;
  return html`
    <div class="starters" part="starters" role="group" aria-label=${words.starters}>
      ${assistant.starters.map((text) => starter(text, actions))}
    </div>
  `;
}

/** @param {string} text @param {import("../view-contract.js").Actions} actions */
function starter(text, actions) {
  const say = () => actions.send(text);
  return html`<button class="starter" part="starter" type="button" dir="auto" @click=${say}>${text}</button>`;
}

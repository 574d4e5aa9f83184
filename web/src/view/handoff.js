/** Draws how a request for a person stands: on the way, or there, with a way back to the assistant. */

import { html, nothing } from "lit";

/** @param {import("./scene.js").Scene} scene */
export function handoff({ state: { handoff }, actions, words }) {
  switch (handoff?.state) {
    case "requested":
    case "queued":
      return html`<p class="notice" part="handoff">${words.personAsked}</p>`;
    case "accepted":
      return html`
        <div class="notice handoff" part="handoff">
          <p dir="auto">${words.personThere(handoff.name ?? "")}</p>
          <button class="again" part="assistant-button" type="button" @click=${actions.giveBack}>
            ${words.backToAssistant}
          </button>
        </div>
      `;
    default:
      // What came of the others, the assistant says.
      return nothing;
  }
}

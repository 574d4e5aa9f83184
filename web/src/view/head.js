/** Draws the head of the panel: who speaks, and the buttons that concern the whole conversation. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";
import { transcriptText } from "./transcript-text.js";

/** @param {import("./scene.js").Scene} scene */
export function head(scene) {
  const { state, actions, words } = scene;
  return html`
    <div class="head" part="header">
      <span class="mark" part="mark" aria-hidden="true">${icon("chat")}</span>
      <h2 id="title" class="title" part="title"><bdi>${state.assistant?.name ?? words.assistant}</bdi></h2>
      ${state.items.length > 0 ? download(scene) : nothing}
      <button
        class="tool close"
        part="close-button"
        type="button"
        aria-label=${words.closeChat}
        @click=${actions.close}
      >
        ${icon("close")}
      </button>
    </div>
  `;
}

/** @param {import("./scene.js").Scene} scene */
function download({ state, actions, words }) {
  const save = () => actions.download(`${words.file}.txt`, transcriptText(state, words));
  return html`
    <button
      class="tool"
      part="download-button"
      type="button"
      aria-label=${words.download}
      title=${words.download}
      @click=${save}
    >
      ${icon("save")}
    </button>
  `;
}

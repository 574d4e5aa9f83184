/** Draws the button that switches the microphone on and off. */

import { html, nothing } from "lit";
import { icon } from "./icon.js";

/** @param {import("./scene.js").Scene} scene */
export function microphone({ state: { voice, microphone }, actions, words }) {
  if (voice === null) return nothing;
  return html`
    <button
      class="attach microphone"
      part="microphone-button"
      type="button"
      aria-label=${words.speak}
      title=${words.speak}
      aria-pressed=${microphone.on}
      @click=${actions.speak}
    >
      ${icon("mic")}
    </button>
  `;
}

/** @param {import("./scene.js").Scene} scene */
export function speaking(scene) {
  const { microphone } = scene.state;
  if (microphone.failed) return html`<p class="excess wrong" part="voice-problem">${scene.words.noVoice}</p>`;
  return microphone.voice?.bar(scene) ?? nothing;
}

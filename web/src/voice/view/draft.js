/** Draws what the customer is understood to say, where their message will stand. */

/** @param {import("../voice.js").Voice} voice @param {import("../../view/scene.js").Scene} scene @param {import("../kit.js").Kit} kit */
export function draft({ caption, notice }, { words }, { html, nothing }) {
  if (notice !== "") return html`<p class="notice" part="voice-notice" dir="auto">${notice}</p>`;
  if (caption === "") return nothing;
  return html`
    <div class="row customer">
      <article class="message" part="message draft" data-delivery="draft">
        <span class="aside">${words.you}: </span>
        <p class="says" part="customer-bubble" dir="auto">${caption}</p>
      </article>
    </div>
  `;
}

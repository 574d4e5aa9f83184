/** Draws what the customer is understood to say, where their message will stand. */

/** @param {string} text @param {import("../../view/scene.js").Scene} scene @param {import("../kit.js").Kit} kit */
export function draft(text, { words }, { html, nothing }) {
  if (text === "") return nothing;
  return html`
    <div class="row customer">
      <article class="message" part="message draft" data-delivery="draft">
        <span class="aside">${words.you}: </span>
        <p class="says" part="customer-bubble" dir="auto">${text}</p>
      </article>
    </div>
  `;
}

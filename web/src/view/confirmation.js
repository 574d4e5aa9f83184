/** Draws the two answers to what waits for a yes or no. */

import { html, nothing } from "lit";

/** @param {import("./contract.js").Scene} scene */
export function question({ state: { question, items, microphone }, actions, words }) {
  const last = items.findLast((item) => item.kind === "assistant");
  // What is still being read out cannot be answered yet.
  if (question === null || (microphone.aloud && last?.says === null)) return nothing;
  const { readBack } = question;
  const shown = last?.text.includes(readBack) ?? false;
  const yes = () => actions.answer("yes", words.yes);
  const no = () => actions.answer("no", words.no);
  return html`
    <div class="question" part="question" role="group" aria-label=${readBack}>
      ${shown ? nothing : html`<p class="asked" dir="auto">${readBack}</p>`}
      <button class="yes" part="yes-button" type="button" @click=${yes}>${words.yes}</button>
      <button class="no" part="no-button" type="button" @click=${no}>${words.no}</button>
    </div>
  `;
}

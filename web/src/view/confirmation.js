/** Draws the two buttons for a question that waits for a yes or no. */

import { html, nothing } from "lit";

/** @param {import("./contract.js").ViewContext} context */
export function confirmation({ state: { question, items, microphone }, actions, strings }) {
  const last = items.findLast((item) => item.kind === "assistant");
  // A question that is still being spoken cannot be answered yet.
  if (question === null || (microphone.speaksAnswers && last?.messageKind === null)) return nothing;
  const { readBack } = question;
  const shown = last?.text.includes(readBack) ?? false;
  const yes = () => actions.answer("yes", strings.yes);
  const no = () => actions.answer("no", strings.no);
  return html`
    <div class="question" part="question" role="group" aria-label=${readBack}>
      ${shown ? nothing : html`<p class="asked" dir="auto">${readBack}</p>`}
      <button class="yes" part="yes-button" type="button" @click=${yes}>${strings.yes}</button>
      <button class="no" part="no-button" type="button" @click=${no}>${strings.no}</button>
    </div>
  `;
}

/** Draws the two answers to what waits for a yes or no. */

import { make } from "./make.js";
import { words } from "./words.js";

/**
 * @param {HTMLElement} node the group of buttons; hidden while nothing is asked
 * @param {import("./state.js").State} state
 * @param {(answer: "yes" | "no") => void} answer
 */
export function drawQuestion(node, { confirmation, items }, answer) {
  if (confirmation === null) {
    node.hidden = true;
    node.replaceChildren();
    delete node.dataset.of;
    return;
  }
  if (node.dataset.of === confirmation.id) return;
  node.dataset.of = confirmation.id;
  node.hidden = false;
  node.setAttribute("aria-label", confirmation.readBack);
  const last = items.findLast((item) => item.kind === "assistant");
  const shown = last !== undefined && last.text.includes(confirmation.readBack);
  const asked = shown ? [] : [make("p", { class: "asked" }, confirmation.readBack)];
  node.replaceChildren(...asked, button("yes", answer), button("no", answer));
}

/** @param {"yes" | "no"} which @param {(answer: "yes" | "no") => void} answer @returns {HTMLElement} */
function button(which, answer) {
  const made = make("button", { class: which, type: "button" }, words[which]);
  made.addEventListener("click", () => answer(which));
  return made;
}

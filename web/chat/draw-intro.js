/** Draws what is there before the first message: who speaks, that it is a machine, and how one might begin. */

import { make } from "./make.js";

/**
 * @param {import("./skeleton.js").Parts} parts
 * @param {import("./state.js").State} state
 * @param {(text: string) => void} say
 */
export function drawIntro({ intro, starters, title, note }, { assistant, items }, say) {
  // The first words are the customer's: from then on the suggestions would only be in the way.
  starters.hidden = assistant === null || items.length > 0 || !assistant.starters?.length;
  if (assistant === null) return;
  const drawn = JSON.stringify(assistant);
  if (intro.dataset.of === drawn) return;
  intro.dataset.of = drawn;
  title.textContent = assistant.name;
  intro.replaceChildren(
    ...(assistant.disclosure ? [make("p", { class: "disclosure" }, assistant.disclosure)] : []),
    ...(assistant.greeting ? [make("p", { class: "greeting" }, assistant.greeting)] : []),
  );
  starters.replaceChildren(...(assistant.starters ?? []).map((text) => starter(text, say)));
  note.textContent = assistant.note ?? "";
  note.hidden = !assistant.note;
}

/** @param {string} text @param {(text: string) => void} say @returns {HTMLElement} */
function starter(text, say) {
  const button = make("button", { class: "starter", type: "button" }, text);
  button.addEventListener("click", () => say(text));
  return button;
}

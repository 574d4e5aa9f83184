/** Draws a group of calls as chips: running, done, or not, each in words beside its sign. */

import { icon } from "./icon.js";
import { make } from "./make.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").ToolsItem} ToolsItem */
/** @typedef {import("./state.js").CallItem} CallItem */

/**
 * @param {ToolsItem} item
 * @param {HTMLElement | undefined} old
 * @returns {HTMLElement}
 */
export function drawTools(item, old) {
  const list = old ?? make("ul", { class: "tools", role: "list" });
  item.calls.forEach((call, at) => {
    const chip = list.children[at] ?? list.appendChild(make("li", { class: "chip" }));
    if (chip.getAttribute("data-outcome") !== look(call)) drawChip(chip, call);
  });
  return list;
}

/** @param {CallItem} call */
function look(call) {
  return call.outcome ?? "running";
}

/** @param {Element} chip @param {CallItem} call */
function drawChip(chip, call) {
  chip.setAttribute("data-outcome", look(call));
  const hint = call.hint.trim() || words.working;
  const label = hint[0].toLocaleUpperCase() + hint.slice(1);
  chip.replaceChildren(
    icon(sign(call.outcome)),
    make("span", { class: "hint" }, call.outcome ? label : `${label}…`),
    ending(call.outcome),
  );
}

/** @param {CallItem["outcome"]} outcome */
function sign(outcome) {
  switch (outcome) {
    case null:
      return "spinner";
    case "ok":
    case "empty":
      return "ok";
    case "unknown":
      return "unsure";
    default:
      return "failed";
  }
}

/**
 * A tick is clear to the eye, but not to the ear; everything else is said to both.
 *
 * @param {CallItem["outcome"]} outcome
 */
function ending(outcome) {
  if (outcome === null) return "";
  const word = words.outcomes[outcome] ?? words.outcomes.unknown;
  return make("span", { class: outcome === "ok" ? "aside" : "ending" }, `: ${word}`);
}

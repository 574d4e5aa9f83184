/** Decides what there is to show after something the customer or the connection did: pure, like `reduce`. */

import { announce } from "./announce.js";
import { putItem } from "./put-item.js";
import { words } from "./words.js";

/** @typedef {import("./state.js").State} State */

/**
 * @typedef {{act: "say", id: string, text: string}
 *   | {act: "answer", id: string, text: string}
 *   | {act: "retry", id: string}
 *   | {act: "link", link: import("./state.js").Link}} Act
 */

/**
 * @param {State} state is left as it was
 * @param {Act} act
 * @returns {State}
 */
export function act(state, act) {
  switch (act.act) {
    case "say":
      return { ...state, items: putItem(state.items, waiting(act.id, act.text)) };
    case "answer":
      return { ...state, confirmation: null, items: putItem(state.items, waiting(act.id, act.text)) };
    case "retry":
      return { ...state, items: state.items.map((item) => again(item, act.id)) };
    case "link":
      return linked(state, act.link);
    default:
      throw new TypeError(`unknown act ${JSON.stringify(act)}`);
  }
}

/** @param {string} id @param {string} text @returns {import("./state.js").CustomerItem} */
function waiting(id, text) {
  return { kind: "customer", id, text, delivery: "waiting" };
}

/** @param {import("./state.js").Item} item @param {string} id @returns {import("./state.js").Item} */
function again(item, id) {
  return item.kind === "customer" && item.id === id ? waiting(id, item.text) : item;
}

/** @param {State} state @param {import("./state.js").Link} link @returns {State} */
function linked(state, link) {
  const next = { ...state, link };
  if (link === "lost" && state.link === "open") return announce(next, words.reconnecting);
  // Only a customer who has heard of the loss needs to hear of the return.
  if (link === "open" && state.link === "lost" && state.assistant !== null)
    return announce(next, words.reconnected);
  return next;
}

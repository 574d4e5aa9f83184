/** Decides what there is to show after something that happened on this side: pure, like `reduce`. */

import { announce } from "./announce.js";
import { putItem } from "./put-item.js";

/** @typedef {import("./state.js").State} State */

/**
 * `tell` has a screen reader say something. `withdraw` takes away a message that another tab had sent, or given up. `rate` shows a rating that is on its way.
 *
 * @typedef {{act: "say", id: string, text: string, files?: readonly import("./state.js").SentFile[]}
 *   | {act: "tell", news: import("./state.js").Announcement}
 *   | {act: "answer", id: string, text: string}
 *   | {act: "retry", id: string}
 *   | {act: "withdraw", id: string}
 *   | {act: "rate", id: string, rating: import("./state.js").Rating | null}
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
      return said(state, act.id, act.text, act.files);
    case "tell":
      return announce(state, act.news);
    case "answer":
      return { ...said(state, act.id, act.text), question: null };
    case "retry":
      return retried(state, act.id);
    case "withdraw":
      return { ...state, items: state.items.filter((item) => !isWaiting(item, act.id)) };
    case "rate":
      return rated(state, act.id, act.rating);
    case "link":
      return linked(state, act.link);
    default:
      throw new TypeError(`unknown act ${JSON.stringify(act)}`);
  }
}

/** @param {State} state @param {string} id @param {string} text @param {readonly import("./state.js").SentFile[]} [files] @returns {State} */
function said(state, id, text, files = []) {
  const item = { kind: "customer", id, text, files, at: null, delivery: "waiting", refusal: null };
  return { ...state, items: putItem(state.items, /** @type {import("./state.js").CustomerItem} */ (item)) };
}

/** @param {State} state @param {string} id @returns {State} */
function retried(state, id) {
  const refused = state.items.find((item) => item.kind === "customer" && item.id === id);
  return refused?.kind === "customer" ? said(state, id, refused.text, refused.files) : state;
}

/** @param {State} state @param {string} id @param {import("./state.js").Rating | null} rating @returns {State} */
function rated(state, id, rating) {
  const message = state.items.find((item) => item.kind === "assistant" && item.id === id);
  if (message?.kind !== "assistant") return state;
  return { ...state, items: putItem(state.items, { ...message, rating }) };
}

/** @param {import("./state.js").Item} item @param {string} id */
function isWaiting(item, id) {
  return item.kind === "customer" && item.id === id && item.delivery === "waiting";
}

/** @param {State} state @param {import("./state.js").Link} link @returns {State} */
function linked(state, link) {
  if (link === state.link) return state;
  const next = { ...state, link };
  if (link === "lost" && state.link === "open") return announce(next, { says: "lost" });
  // Only a customer who has heard of the loss needs to hear of the return.
  if (link === "open" && state.link === "lost" && state.assistant !== null)
    return announce(next, { says: "back" });
  return next;
}

/** Holds back what the customer is yet to hear, and cuts off what they never did: pure, like `reduce`. */

/** @typedef {import("./items.js").Item} Item */
/** @typedef {import("./items.js").AssistantItem} AssistantItem */
/** @typedef {{length: number | undefined, shown: AssistantItem}} Shown */

/** @type {WeakMap<AssistantItem, Shown>} what did not change stays the same object */
const cache = new WeakMap();

/**
 * @param {readonly Item[]} items
 * @param {(item: AssistantItem) => number | undefined} [lengthOf] how many characters of what is being spoken may be shown
 * @returns {readonly Item[]}
 */
export function revealSpoken(items, lengthOf) {
  return items.map((item) => (item.kind === "assistant" ? shown(item, lengthOf?.(item)) : item));
}

/** @param {AssistantItem} item @param {number | undefined} length @returns {AssistantItem} */
function shown(item, length) {
  const most = length ?? item.heard ?? Infinity;
  // Never fewer characters than code points: most items need not be looked at.
  if (most >= item.text.length) return item;
  const before = cache.get(item);
  if (before && before.length === length) return before.shown;
  const now = cut(item, most, length !== undefined);
  cache.set(item, { length, shown: now });
  return now;
}

/** @param {AssistantItem} item @param {number} most @param {boolean} stillSpoken @returns {AssistantItem} */
function cut(item, most, stillSpoken) {
  const characters = [...item.text];
  if (most >= characters.length) return item;
  const text = characters.slice(0, most).join("").trimEnd();
  // What is still being spoken looks like what is still being written.
  if (stillSpoken || item.messageKind === null) return { ...item, text, messageKind: null, attachments: [] };
  return { ...item, text: text.replace(/[\s,;:.–—-]*$/, (end) => (end === text ? "" : "…")) };
}

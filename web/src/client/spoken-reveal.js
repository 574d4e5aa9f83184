/**
 * Shows a spoken message only as far as it was heard: hides what is not spoken yet, and cuts off what never was.
 *
 * A pure function, like `reduce`.
 */

/** @typedef {import("./items.js").AssistantItem} AssistantItem */
/** @typedef {import("./items.js").Item} Item */

/** @typedef {{length: number | undefined, shown: AssistantItem}} Shown */

/** @type {WeakMap<AssistantItem, Shown>} so that an unchanged item stays the same object */
const cache = new WeakMap();

/**
 * @param {readonly Item[]} items
 * @param {(item: AssistantItem) => number | undefined} [lengthOf] how many characters of a message that is being spoken may be shown
 * @returns {readonly Item[]}
 */
export function revealSpoken(items, lengthOf) {
  return items.map((item) => (item.kind === "assistant" ? shown(item, lengthOf?.(item)) : item));
}

/** @param {AssistantItem} item @param {number | undefined} length @returns {AssistantItem} */
function shown(item, length) {
  const most = length ?? item.heard ?? Infinity;
  // A string has at least as many code units as characters, so most items need no split.
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
  // A message that is still being spoken looks like one that is still being streamed.
  if (stillSpoken || item.messageKind === null) return { ...item, text, messageKind: null, attachments: [] };
  return { ...item, text: text.replace(/[\s,;:.–—-]*$/, (end) => (end === text ? "" : "…")) };
}

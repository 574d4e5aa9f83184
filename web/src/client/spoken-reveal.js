/** Holds back what the customer is yet to hear, and cuts off what they never did: pure, like `reduce`. */

/** @typedef {import("./state.js").Item} Item */
/** @typedef {import("./state.js").AssistantItem} AssistantItem */
/** @typedef {{reach: number | undefined, shown: AssistantItem}} Revealed */

/** @type {WeakMap<AssistantItem, Revealed>} what did not change stays the same object */
const revealed = new WeakMap();

/**
 * @param {readonly Item[]} items
 * @param {(item: AssistantItem) => number | undefined} [reachOf] how many characters of what is being spoken may be shown
 * @returns {readonly Item[]}
 */
export function reveal(items, reachOf) {
  return items.map((item) => (item.kind === "assistant" ? shown(item, reachOf?.(item)) : item));
}

/** @param {AssistantItem} item @param {number | undefined} reach @returns {AssistantItem} */
function shown(item, reach) {
  const most = reach ?? item.heard ?? Infinity;
  // Never fewer characters than code points: most items need not be looked at.
  if (most >= item.text.length) return item;
  const before = revealed.get(item);
  if (before && before.reach === reach) return before.shown;
  const now = cut(item, most, reach !== undefined);
  revealed.set(item, { reach, shown: now });
  return now;
}

/** @param {AssistantItem} item @param {number} most @param {boolean} goesOn @returns {AssistantItem} */
function cut(item, most, goesOn) {
  const characters = [...item.text];
  if (most >= characters.length) return item;
  const text = characters.slice(0, most).join("").trimEnd();
  // What is still being spoken looks like what is still being written.
  if (goesOn || item.says === null) return { ...item, text, says: null, attachments: [] };
  return { ...item, text: text.replace(/[\s,;:.–—-]*$/, (end) => (end === text ? "" : "…")) };
}

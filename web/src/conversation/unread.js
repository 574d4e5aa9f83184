/** Which of the assistant's complete messages, and of a person's, were seen. */

/** @typedef {import("./state.js").Item} Item */

/** @param {readonly Item[]} items @returns {string | undefined} the id of the newest one */
export function newest(items) {
  return items.findLast(isTold)?.id;
}

/**
 * @param {readonly Item[]} items
 * @param {string | undefined} seen the id of the newest one that was; without it, or when it is not there, none was
 * @returns {number} how many were not
 */
export function unread(items, seen) {
  const told = items.filter(isTold);
  return told.length - 1 - told.findLastIndex((item) => item.id === seen);
}

/** @param {Item} item */
function isTold(item) {
  return item.kind === "person" || (item.kind === "assistant" && item.says !== null);
}

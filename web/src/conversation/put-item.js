/**
 * Puts an item where it belongs: what the server has stands in its order, what it has not yet taken waits at the end.
 */

/** @typedef {import("./state.js").Item} Item */

/**
 * @param {readonly Item[]} items
 * @param {Item} item takes the place of the one with the same kind and id, if there is one
 * @returns {readonly Item[]}
 */
export function putItem(items, item) {
  const at = items.findIndex((old) => old.kind === item.kind && old.id === item.id);
  if (at >= 0 && isWaiting(items[at]) === isWaiting(item)) return items.with(at, item);
  const others = at < 0 ? items : items.toSpliced(at, 1);
  if (isWaiting(item)) return [...others, item];
  return others.toSpliced(others.findLastIndex((other) => !isWaiting(other)) + 1, 0, item);
}

/** @param {Item} item */
function isWaiting(item) {
  return item.kind === "customer" && item.delivery === "waiting";
}

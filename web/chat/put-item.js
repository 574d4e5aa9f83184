/** Replaces the item with the same kind and id where it stands, or adds it at the end. */

/** @typedef {import("./state.js").Item} Item */

/**
 * @param {readonly Item[]} items
 * @param {Item} item
 * @returns {readonly Item[]}
 */
export function putItem(items, item) {
  const at = items.findIndex((old) => old.kind === item.kind && old.id === item.id);
  return at < 0 ? [...items, item] : items.with(at, item);
}

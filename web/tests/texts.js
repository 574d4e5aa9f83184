/** What the tests of texts look at. */

/** @param {any} value @returns {any} the keys of all texts, and whether each has one */
export function shape(value) {
  if (typeof value === "function") return value(1) !== value(2) || "same";
  if (typeof value === "string") return value.trim() !== "";
  return Object.entries(value).sort().map(([key, inner]) => [key, shape(inner)]);
}

/** @param {any} value @returns {string[]} */
export function said(value) {
  if (typeof value === "string") return [value];
  if (typeof value === "function") return [0, 1, 2, 3, 5, 12, 22, "Ana", ""].map(value);
  return Object.values(value).flatMap(said);
}

/** @param {any} value @returns {string[]} the paths of all texts */
export function paths(value, before = "") {
  if (typeof value !== "object") return [before];
  return Object.entries(value).flatMap(([key, inner]) => paths(inner, `${before}.${key}`));
}

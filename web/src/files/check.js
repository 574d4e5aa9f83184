/** Says before a file is uploaded why it would not be taken. */

/** @typedef {import("../conversation/frames.js").Uploads} Terms */

/**
 * @param {{name: string, size: number}} file
 * @param {Terms} terms
 * @param {number} others files that go with the same message
 * @returns {import("./upload.js").Problem | null}
 */
export function check({ name, size }, terms, others) {
  const code = codeOf(name.toLowerCase(), size, terms, others);
  return code === null ? null : { code, message: "" };
}

/** @param {string} name @param {number} size @param {Terms} terms @param {number} others */
function codeOf(name, size, { endings, max_bytes, max_files }, others) {
  if (!endings.some((ending) => name.endsWith(ending))) return "unknown_kind";
  if (size > max_bytes) return "too_large";
  if (size === 0) return "empty";
  return others >= max_files ? "too_many_at_once" : null;
}

/** Puts one more line in the list of what a screen reader is to say. */

const KEPT = 8;

/**
 * @param {import("./state.js").State} state
 * @param {string} text empty says nothing
 * @returns {import("./state.js").State}
 */
export function announce(state, text) {
  if (!text.trim()) return state;
  const n = (state.news.at(-1)?.n ?? 0) + 1;
  return { ...state, news: [...state.news, { n, text }].slice(-KEPT) };
}

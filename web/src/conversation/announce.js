/** Puts one more line in the list of what a screen reader is to say. */

const KEPT = 8;

/** @typedef {import("./state.js").State} State */

/**
 * @param {State} state
 * @param {import("./state.js").Announcement} announcement a message without text says nothing
 * @returns {State}
 */
export function announce(state, announcement) {
  if (announcement.says === "message" && !announcement.text.trim()) return state;
  const n = (state.news.at(-1)?.n ?? 0) + 1;
  return { ...state, news: [...state.news, { ...announcement, n }].slice(-KEPT) };
}

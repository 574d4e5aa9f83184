/**
 * Which chat of a page is active, and when the page is hidden, restored, or may have changed its network.
 *
 * Only the first of several chats with the same server and tenant is active. The next one becomes active when it leaves.
 */

/** @typedef {import("./element.js").MeanwhileChat} MeanwhileChat */

/** @type {Map<string, Set<MeanwhileChat>>} the first of each is active */
const chatsByKey = new Map();

/** @type {WeakMap<MeanwhileChat, string>} kept here because attributes can change */
const keys = new WeakMap();

/** @param {MeanwhileChat} chat was added to the page */
export function registerChat(chat) {
  const key = keys.get(chat) ?? JSON.stringify([chat.getAttribute("server"), chat.getAttribute("tenant")]);
  const chats = chatsByKey.get(key) ?? new Set();
  keys.set(chat, key);
  chatsByKey.set(key, chats.add(chat));
  if (firstOf(chats) === chat) chat.activate();
}

/** @param {MeanwhileChat} chat was removed from the page */
export function unregisterChat(chat) {
  const chats = chatsByKey.get(keys.get(chat) ?? "");
  if (!chats?.has(chat)) return;
  keys.delete(chat);
  const wasActive = firstOf(chats) === chat;
  chats.delete(chat);
  if (!wasActive) return;
  chat.deactivate();
  firstOf(chats)?.activate();
}

/** @param {Set<MeanwhileChat>} chats @returns {MeanwhileChat | undefined} */
function firstOf(chats) {
  return chats.values().next().value;
}

/**
 * @typedef {object} Owner
 * @property {() => void} onHide the page is left; with an open socket the browser could not keep it in its back/forward cache
 * @property {() => void} onRestore the page is back from that cache
 * @property {() => void} onConnectionHint the connection may be back, or lost
 */

/**
 * @param {Owner} owner
 * @returns {() => void} stops watching
 */
export function watchPage({ onHide, onRestore, onConnectionHint }) {
  const watching = new AbortController();
  const { signal } = watching;
  addEventListener("pagehide", onHide, { signal });
  addEventListener("pageshow", (event) => event.persisted && onRestore(), { signal });
  addEventListener("online", onConnectionHint, { signal });
  addEventListener("offline", onConnectionHint, { signal });
  document.addEventListener("resume", onConnectionHint, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || onConnectionHint(), { signal });
  return () => watching.abort();
}

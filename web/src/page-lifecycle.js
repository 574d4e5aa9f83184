/** One chat per server and page: where a page has several, the others wait until it is gone. */

/** @typedef {import("./element.js").MeanwhileChat} MeanwhileChat */

/** @type {Map<string, Set<MeanwhileChat>>} the first of each is awake */
const chatsByKey = new Map();

/** @type {WeakMap<MeanwhileChat, string>} attributes may change meanwhile */
const keys = new WeakMap();

/** @param {MeanwhileChat} chat is on the page */
export function registerChat(chat) {
  const key = keys.get(chat) ?? JSON.stringify([chat.getAttribute("server"), chat.getAttribute("tenant")]);
  const chats = chatsByKey.get(key) ?? new Set();
  keys.set(chat, key);
  chatsByKey.set(key, chats.add(chat));
  if (first(chats) === chat) chat.activate();
}

/** @param {MeanwhileChat} chat was taken off the page */
export function unregisterChat(chat) {
  const chats = chatsByKey.get(keys.get(chat) ?? "");
  if (!chats?.has(chat)) return;
  keys.delete(chat);
  const wasActive = first(chats) === chat;
  chats.delete(chat);
  if (!wasActive) return;
  chat.deactivate();
  first(chats)?.activate();
}

/** @param {Set<MeanwhileChat>} chats @returns {MeanwhileChat | undefined} */
function first(chats) {
  return chats.values().next().value;
}

// Follows the page through its life: hidden, put away by the browser and brought back, off the network and on.

/**
 * @typedef {object} Owner
 * @property {() => void} onHide the page is put away, perhaps for good; an open socket would keep it from coming back fast
 * @property {() => void} onRestore it is back from there
 * @property {() => void} onConnectionHint the line may have come back, or gone
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

/** One chat per server and page: where a page has several, the others wait until it is gone. */

/** @typedef {import("./element.js").MeanwhileChat} MeanwhileChat */

/** @type {Map<string, Set<MeanwhileChat>>} the first of each is awake */
const seats = new Map();

/** @type {WeakMap<MeanwhileChat, string>} attributes may change meanwhile */
const places = new WeakMap();

/** @param {MeanwhileChat} chat is on the page */
export function settleDown(chat) {
  const place = places.get(chat) ?? JSON.stringify([chat.getAttribute("server"), chat.getAttribute("tenant")]);
  const waiting = seats.get(place) ?? new Set();
  places.set(chat, place);
  seats.set(place, waiting.add(chat));
  if (first(waiting) === chat) chat.wake();
}

/** @param {MeanwhileChat} chat was taken off the page */
export function leave(chat) {
  const waiting = seats.get(places.get(chat) ?? "");
  if (!waiting?.has(chat)) return;
  places.delete(chat);
  const wasAwake = first(waiting) === chat;
  waiting.delete(chat);
  if (!wasAwake) return;
  chat.sleep();
  first(waiting)?.wake();
}

/** @param {Set<MeanwhileChat>} waiting @returns {MeanwhileChat | undefined} */
function first(waiting) {
  return waiting.values().next().value;
}

// Follows the page through its life: hidden, put away by the browser and brought back, off the network and on.

/**
 * @typedef {object} Owner
 * @property {() => void} onAway the page is put away, perhaps for good; an open socket would keep it from coming back fast
 * @property {() => void} onBack it is back from there
 * @property {() => void} onDoubt the line may have come back, or gone
 */

/**
 * @param {Owner} owner
 * @returns {() => void} stops following
 */
export function followPage({ onAway, onBack, onDoubt }) {
  const following = new AbortController();
  const { signal } = following;
  addEventListener("pagehide", onAway, { signal });
  addEventListener("pageshow", (event) => event.persisted && onBack(), { signal });
  addEventListener("online", onDoubt, { signal });
  addEventListener("offline", onDoubt, { signal });
  document.addEventListener("resume", onDoubt, { signal });
  document.addEventListener("visibilitychange", () => document.hidden || onDoubt(), { signal });
  return () => following.abort();
}

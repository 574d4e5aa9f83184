/** Follows the page through its life: hidden, put away by the browser and brought back, off the network and on. */

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

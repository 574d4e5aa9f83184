/** Keeps the end of the conversation in sight for a reader who is there, and leaves every other reader alone. */

/** Nearer to the end than this, a reader is taken to follow the conversation. */
const NEAR_END_PX = 64;

/** @type {WeakSet<Element>} whose reader has scrolled back */
const left = new WeakSet();

/** @type {WeakSet<Element>} of which it was told that their end is out of sight */
const toldLeft = new WeakSet();

/** @param {Event} event @param {import("../view-contract.js").Actions} actions */
export function onScroll({ currentTarget }, actions) {
  const scroller = /** @type {HTMLElement} */ (currentTarget);
  const { scrollHeight, scrollTop, clientHeight } = scroller;
  if (clientHeight === 0) return;
  const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  latest(scroller).hidden = atEnd;
  note(left, scroller, !atEnd);
  if (note(toldLeft, scroller, !atEnd)) actions.follow(atEnd);
}

/** @param {HTMLElement} scroller whatever its reader was reading, they want to see what comes now */
export function followAgain(scroller) {
  left.delete(scroller);
  latest(scroller).hidden = true;
}

/** @param {HTMLElement} scroller */
export function stayAtEnd(scroller) {
  if (!left.has(scroller)) scroller.scrollTop = scroller.scrollHeight;
}

/** @param {Event} event of the button that leads to the newest messages */
export function scrollToEnd({ currentTarget }) {
  const button = /** @type {HTMLElement} */ (currentTarget);
  const scroller = button.closest("dialog")?.querySelector(".scroller");
  if (!(scroller instanceof HTMLElement)) return;
  scroller.scrollTop = scroller.scrollHeight;
  // The button goes, so what had its focus takes it over.
  scroller.focus();
}

/** @param {HTMLElement} scroller */
function latest(scroller) {
  return /** @type {HTMLElement} */ (scroller.closest("dialog")?.querySelector(".latest"));
}

/**
 * @param {WeakSet<Element>} set
 * @param {Element} element
 * @param {boolean} belongs to the set from now on
 * @returns {boolean} whether that is new
 */
function note(set, element, belongs) {
  if (set.has(element) === belongs) return false;
  if (belongs) set.add(element);
  else set.delete(element);
  return true;
}

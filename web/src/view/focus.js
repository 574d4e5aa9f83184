/** Moves the focus: into the panel, back out of it, and away from buttons that are gone. */

/** @type {WeakMap<ShadowRoot, Element>} what in the widget had the focus last */
const held = new WeakMap();

/** @param {ShadowRoot} root @returns {boolean} whether the focus is in the panel */
export function hasFocus(root) {
  return root.activeElement?.closest("dialog") != null;
}

/**
 * Writing is what one comes for; but a screen keyboard that nobody asked for hides the greeting.
 *
 * @param {ShadowRoot} root
 */
export function focusPanel(root) {
  const byTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
  const goal = root.querySelector(byTouch ? ".scroller" : ".text");
  if (goal instanceof HTMLElement) goal.focus({ preventScroll: true });
}

/**
 * A button that is gone once it was pressed must not leave a keyboard user nowhere.
 *
 * @param {ShadowRoot} root
 */
export function rescueFocus(root) {
  const before = held.get(root);
  const now = root.activeElement;
  if (now) held.set(root, now);
  const nowhere = now === null && (document.activeElement ?? document.body) === document.body;
  if (!before || before.isConnected || !nowhere) return;
  held.delete(root);
  focusPanel(root);
}

/** @param {Event} event of something in a widget that has got the focus */
export function holdFocus({ target }) {
  if (!(target instanceof Element)) return;
  const root = target.getRootNode();
  if (root instanceof ShadowRoot) held.set(root, target);
}

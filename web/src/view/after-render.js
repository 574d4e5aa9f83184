/** Does after each rendering what a template cannot: showing the dialog, focus, scrolling, announcements. */

import { announceNew } from "./announcer.js";

/** @typedef {import("./contract.js").ViewState} ViewState */

/** @type {import("./contract.js").AfterRender} */
export function afterRender(root, state, before) {
  const panel = /** @type {HTMLDialogElement} */ (root.querySelector("dialog"));
  const scroller = /** @type {HTMLElement} */ (panel.querySelector(".scroller"));
  watchViewport(root, () => afterResize(root, panel, scroller));
  if (customerHasWritten(state, before)) followAgain(scroller);
  if (state.open !== panel.open) {
    if (state.open) {
      followAgain(scroller);
      show(root, panel, scroller);
    } else hide(root, panel);
  }
  if (panel.open) rescueFocus(root);
  announceNew(panel, state, before?.announcements ?? state.announcements);
  stayAtEnd(scroller);
}

/** @param {ShadowRoot} root @param {HTMLDialogElement} panel @param {HTMLElement} scroller */
function show(root, panel, scroller) {
  if (isPhone()) panel.showModal();
  else panel.show();
  focusPanel(root);
  stayAtEnd(scroller);
}

/** @param {ShadowRoot} root @param {HTMLDialogElement} panel */
function hide(root, panel) {
  const hadFocus = hasFocus(root);
  // The dialog itself restores the focus that the page had when it was opened, if there was one.
  panel.close();
  if (hadFocus && (hasFocus(root) || document.activeElement === document.body)) focusLauncher(root);
}

/** @param {ShadowRoot} root */
function focusLauncher(root) {
  const launcher = root.querySelector(".launcher");
  if (launcher instanceof HTMLElement) launcher.focus();
}

/**
 * The visible part of the page has changed.
 *
 * @param {ShadowRoot} root
 * @param {HTMLDialogElement} panel
 * @param {HTMLElement} scroller
 */
function afterResize(root, panel, scroller) {
  if (panel.open && panel.matches(":modal") !== isPhone()) {
    panel.close();
    show(root, panel, scroller);
  }
  stayAtEnd(scroller);
}

/**
 * @param {ViewState} state
 * @param {ViewState | null} before
 * @returns {boolean} whether the customer has sent a message since
 */
function customerHasWritten({ items }, before) {
  const last = items.findLast((item) => item.kind === "customer");
  const lastBefore = before?.items.findLast((item) => item.kind === "customer");
  return last !== undefined && last.id !== lastBefore?.id;
}

// Scrolling: keeps the end of the conversation visible, unless the reader has scrolled back.

/** A reader who is this near to the end follows the conversation. */
const NEAR_END_PX = 64;

/** @type {WeakSet<Element>} whose reader has scrolled back */
const scrolledBack = new WeakSet();

/** @type {WeakSet<Element>} that were reported as scrolled back */
const reportedScrolledBack = new WeakSet();

/** @param {Event} event @param {import("./contract.js").Actions} actions */
export function onScroll({ currentTarget }, actions) {
  const scroller = /** @type {HTMLElement} */ (currentTarget);
  const { scrollHeight, scrollTop, clientHeight } = scroller;
  if (clientHeight === 0) return;
  const atEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
  latest(scroller).hidden = atEnd;
  setMember(scrolledBack, scroller, !atEnd);
  if (setMember(reportedScrolledBack, scroller, !atEnd)) actions.follow(atEnd);
}

/** @param {HTMLElement} scroller shows the end again, even if its reader has scrolled back */
function followAgain(scroller) {
  scrolledBack.delete(scroller);
  latest(scroller).hidden = true;
}

/** @param {HTMLElement} scroller */
function stayAtEnd(scroller) {
  if (!scrolledBack.has(scroller)) scroller.scrollTop = scroller.scrollHeight;
}

/** @param {Event} event of the button that scrolls to the newest messages */
export function scrollToEnd({ currentTarget }) {
  const button = /** @type {HTMLElement} */ (currentTarget);
  const scroller = button.closest("dialog")?.querySelector(".scroller");
  if (!(scroller instanceof HTMLElement)) return;
  scroller.scrollTop = scroller.scrollHeight;
  // The button disappears, so move its focus.
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
 * @returns {boolean} whether that has changed
 */
function setMember(set, element, belongs) {
  if (set.has(element) === belongs) return false;
  if (belongs) set.add(element);
  else set.delete(element);
  return true;
}

// Focus: into the panel, out of it, and away from buttons that are removed.

/** @type {WeakMap<ShadowRoot, Element>} the element of the widget that had the focus last */
const lastFocused = new WeakMap();

/** @param {ShadowRoot} root @returns {boolean} whether the focus is in the panel */
function hasFocus(root) {
  return root.activeElement?.closest("dialog") != null;
}

/**
 * Focuses the input field. On a touch screen its keyboard would hide the greeting, so there the messages get the focus.
 *
 * @param {ShadowRoot} root
 */
function focusPanel(root) {
  const byTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
  const goal = root.querySelector(byTouch ? ".scroller" : ".text");
  if (goal instanceof HTMLElement) goal.focus({ preventScroll: true });
}

/**
 * Moves the focus back to the panel after a focused button was removed.
 *
 * @param {ShadowRoot} root
 */
function rescueFocus(root) {
  const before = lastFocused.get(root);
  const now = root.activeElement;
  if (now) lastFocused.set(root, now);
  const nowhere = now === null && (document.activeElement ?? document.body) === document.body;
  if (!before || before.isConnected || !nowhere) return;
  lastFocused.delete(root);
  focusPanel(root);
}

/** @param {Event} event from an element of the widget that got the focus */
export function rememberFocus({ target }) {
  if (!(target instanceof Element)) return;
  const root = target.getRootNode();
  if (root instanceof ShadowRoot) lastFocused.set(root, target);
}

// Size: the panel is a card on a desktop, and on a phone fills what the screen keyboard leaves.

/** Small screens, where the panel fills the screen and is modal. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

/** @type {WeakSet<ShadowRoot>} */
const watched = new WeakSet();

/** @returns {boolean} */
export function isPhone() {
  return matchMedia(PHONE).matches;
}

/**
 * Calls `onResize` after each change of the visible area, as long as the widget is on the page.
 *
 * @param {ShadowRoot} root
 * @param {() => void} onResize
 */
function watchViewport(root, onResize) {
  const viewport = window.visualViewport;
  if (watched.has(root) || viewport === null) return;
  watched.add(root);
  const measure = viewportMeasure(root, viewport);
  const resized = () => {
    if (root.host.isConnected) {
      measure();
      onResize();
      return;
    }
    watched.delete(root);
    for (const type of ["resize", "scroll"]) viewport.removeEventListener(type, resized);
  };
  for (const type of ["resize", "scroll"]) viewport.addEventListener(type, resized);
  measure();
}

/**
 * @param {ShadowRoot} root
 * @param {VisualViewport} viewport
 * @returns {() => void} writes the sizes into a style sheet of this widget, which any content security policy allows
 */
function viewportMeasure(root, viewport) {
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    // Zooming in should enlarge the panel, not shrink it to fit.
    const { height, offsetTop, scale } = viewport;
    const fits = scale === 1 ? `.root { --visible-height: ${height}px; --visible-top: ${offsetTop}px }` : "";
    sheet.replaceSync(fits);
  };
}

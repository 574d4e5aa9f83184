/** Does after each drawing what a template cannot say: showing the dialog, focus, scrolling, speaking. */

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
  // The dialog itself gives focus back to where it was when it was opened, if there was such a place.
  panel.close();
  if (hadFocus && (hasFocus(root) || document.activeElement === document.body)) focusLauncher(root);
}

/** @param {ShadowRoot} root */
function focusLauncher(root) {
  const launcher = root.querySelector(".launcher");
  if (launcher instanceof HTMLElement) launcher.focus();
}

/**
 * Another part of the page can be seen than before.
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
 * @returns {boolean} whether the customer has said something since
 */
function customerHasWritten({ items }, before) {
  const last = items.findLast((item) => item.kind === "customer");
  const lastBefore = before?.items.findLast((item) => item.kind === "customer");
  return last !== undefined && last.id !== lastBefore?.id;
}

// Keeps the end of the conversation in sight for a reader who is there, and leaves every other reader alone.

/** Nearer to the end than this, a reader is taken to follow the conversation. */
const NEAR_END_PX = 64;

/** @type {WeakSet<Element>} whose reader has scrolled back */
const scrolledBack = new WeakSet();

/** @type {WeakSet<Element>} of which it was told that their end is out of sight */
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

/** @param {HTMLElement} scroller whatever its reader was reading, they want to see what comes now */
function followAgain(scroller) {
  scrolledBack.delete(scroller);
  latest(scroller).hidden = true;
}

/** @param {HTMLElement} scroller */
function stayAtEnd(scroller) {
  if (!scrolledBack.has(scroller)) scroller.scrollTop = scroller.scrollHeight;
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
function setMember(set, element, belongs) {
  if (set.has(element) === belongs) return false;
  if (belongs) set.add(element);
  else set.delete(element);
  return true;
}

// Moves the focus: into the panel, back out of it, and away from buttons that are gone.

/** @type {WeakMap<ShadowRoot, Element>} what in the widget had the focus last */
const lastFocused = new WeakMap();

/** @param {ShadowRoot} root @returns {boolean} whether the focus is in the panel */
function hasFocus(root) {
  return root.activeElement?.closest("dialog") != null;
}

/**
 * Writing is what one comes for; but a screen keyboard that nobody asked for hides the greeting.
 *
 * @param {ShadowRoot} root
 */
function focusPanel(root) {
  const byTouch = matchMedia("(hover: none) and (pointer: coarse)").matches;
  const goal = root.querySelector(byTouch ? ".scroller" : ".text");
  if (goal instanceof HTMLElement) goal.focus({ preventScroll: true });
}

/**
 * A button that is gone once it was pressed must not leave a keyboard user nowhere.
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

/** @param {Event} event of something in a widget that has got the focus */
export function rememberFocus({ target }) {
  if (!(target instanceof Element)) return;
  const root = target.getRootNode();
  if (root instanceof ShadowRoot) lastFocused.set(root, target);
}

// Fits the panel into what can be seen: a card on a desktop, on a phone all that the screen keyboard leaves.

/** Here the panel fills the screen, and what is behind it cannot be reached. */
const PHONE = "(max-width: 480px), (max-height: 440px)";

/** @type {WeakSet<ShadowRoot>} */
const watched = new WeakSet();

/** @returns {boolean} */
function isPhone() {
  return matchMedia(PHONE).matches;
}

/**
 * Calls `onResize` whenever what can be seen has changed, for as long as the widget is on the page.
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
 * @returns {() => void} writes into a style sheet of this widget's own, which any content security policy allows
 */
function viewportMeasure(root, viewport) {
  const sheet = new CSSStyleSheet();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  return () => {
    // Who has zoomed in wants to see less of the panel, not a smaller one.
    const { height, offsetTop, scale } = viewport;
    const fits = scale === 1 ? `.root { --visible-height: ${height}px; --visible-top: ${offsetTop}px }` : "";
    sheet.replaceSync(fits);
  };
}

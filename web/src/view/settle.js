/** Does after each drawing what a template cannot say: showing the dialog, focus, scrolling, speaking. */

import { focusPanel, hasFocus, rescueFocus } from "./focus.js";
import { followAgain, stayAtEnd } from "./scroll.js";
import { speak } from "./speak.js";
import { isPhone, watchViewport } from "./viewport.js";

/** @typedef {import("../view-contract.js").ViewState} ViewState */

/** @type {import("../view-contract.js").Settle} */
export function settle(root, state, before) {
  const panel = /** @type {HTMLDialogElement} */ (root.querySelector("dialog"));
  const scroller = /** @type {HTMLElement} */ (panel.querySelector(".scroller"));
  watchViewport(root, () => resettle(root, panel, scroller));
  if (hasSaid(state, before)) followAgain(scroller);
  if (state.open !== panel.open) {
    if (state.open) {
      followAgain(scroller);
      show(root, panel, scroller);
    } else hide(root, panel);
  }
  if (panel.open) rescueFocus(root);
  speak(panel, state, before?.news ?? state.news);
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
function resettle(root, panel, scroller) {
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
function hasSaid({ items }, before) {
  const last = items.findLast((item) => item.kind === "customer");
  const lastBefore = before?.items.findLast((item) => item.kind === "customer");
  return last !== undefined && last.id !== lastBefore?.id;
}

/** Draws the panel: from its head to the fine print at its foot. */

import { html, nothing } from "lit";
import { activity } from "./activity.js";
import { composer } from "./composer.js";
import { onDrag, onDragLeave, onDrop, onPaste } from "./drop.js";
import { holdFocus } from "./focus.js";
import { handoff } from "./handoff.js";
import { head } from "./head.js";
import { icon } from "./icon.js";
import { intro, starters } from "./intro.js";
import { log } from "./log.js";
import { speaking } from "./microphone.js";
import { notice } from "./notice.js";
import { question } from "./question.js";
import { onScroll, scrollToEnd } from "./scroll.js";
import { thinking } from "./thinking.js";

/** @param {Event} event is not the host page's business: it may have shortcuts of its own */
const keep = (event) => event.stopPropagation();

/** @param {import("./scene.js").Scene} scene */
export function panel(scene) {
  const { actions, words, state } = scene;
  return html`
    <dialog
      id="panel"
      class="panel"
      part="panel"
      aria-labelledby="title"
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, actions)}
      @keyup=${keep}
      @keypress=${keep}
      @paste=${(/** @type {ClipboardEvent} */ event) => onPaste(event, scene)}
      @dragenter=${(/** @type {DragEvent} */ event) => onDrag(event, scene)}
      @dragover=${(/** @type {DragEvent} */ event) => onDrag(event, scene)}
      @dragleave=${onDragLeave}
      @drop=${(/** @type {DragEvent} */ event) => onDrop(event, scene)}
      @copy=${keep}
      @cut=${keep}
      @focusin=${holdFocus}
      @close=${(/** @type {Event} */ event) => onClose(event, actions)}
    >
      ${head(scene)}${notice(scene)}
      <div
        class="scroller"
        part="log"
        tabindex="0"
        role="region"
        aria-label=${words.conversation}
        @scroll=${(/** @type {Event} */ event) => onScroll(event, actions)}
      >
        ${intro(scene)}${log(scene)}${state.microphone.voice?.draft(scene) ?? nothing}${starters(scene)}${thinking(scene)}${handoff(scene)}${question(scene)}
      </div>
      <div class="between">
        <button
          class="latest"
          part="latest-button"
          type="button"
          aria-label=${words.latest}
          hidden
          @click=${scrollToEnd}
        >
          ${icon("down")}
        </button>
      </div>
      ${activity(scene)}${speaking(scene)}${composer(scene)}
      ${state.assistant?.note ? html`<p class="note" part="note" dir="auto">${state.assistant.note}</p>` : nothing}
      <div class="aside" role="status"></div>
      <div class="aside" role="alert"></div>
    </dialog>
  `;
}

/** @param {KeyboardEvent} event @param {import("../view-contract.js").Actions} actions */
function onKey(event, actions) {
  event.stopPropagation();
  if (event.key === "Escape" && !event.isComposing) actions.close();
}

/**
 * The browser closes a modal dialog by gestures of its own; one that was opened again meanwhile is open by now.
 *
 * @param {Event} event
 * @param {import("../view-contract.js").Actions} actions
 */
function onClose({ currentTarget }, actions) {
  const dialog = /** @type {HTMLDialogElement} */ (currentTarget);
  if (!dialog.open) actions.close();
}

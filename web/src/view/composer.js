/** Draws the field to write in: Enter sends, Shift and Enter begins a line, and no text is ever lost. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { attachButton, tray } from "./files.js";
import { icon } from "./icon.js";
import { microphone } from "./microphone.js";

/** @param {import("./scene.js").Scene} scene */
export function composer(scene) {
  const { draft, maxText, files } = scene.state;
  const { actions, words } = scene;
  const coming = files.some(({ ref, problem }) => ref === null && problem === null);
  // A text that is too long is kept, and said to be so; nothing that was pasted is cut off in silence.
  const excess = Math.max(0, draft.trim().length - maxText);
  return html`
    ${excess > 0
      ? html`<p id="excess" class="excess wrong" part="excess">${words.tooLong(excess)}</p>`
      : nothing}
    ${tray(scene)}
    <form
      class="composer"
      part="composer"
      ?data-empty=${coming || (draft.trim() === "" && !files.some(({ ref }) => ref !== null))}
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const field = /** @type {HTMLElement} */ (event.currentTarget).querySelector("textarea");
        if (field) actions.send(field.value);
      }}
    >
      ${attachButton(scene)}
      <div class="field" data-text=${draft}>
        <textarea
          class="text"
          part="input"
          rows="1"
          dir=${draft === "" ? nothing : "auto"}
          autocomplete="off"
          enterkeyhint="send"
          aria-label=${words.message}
          placeholder=${words.placeholder}
          aria-invalid=${excess > 0}
          aria-describedby=${excess > 0 ? "excess" : nothing}
          .value=${live(draft)}
          @input=${(/** @type {Event} */ event) => actions.draft(written(event))}
          @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, actions)}
        ></textarea>
      </div>
      ${microphone(scene)}
      <button class="send" part="send-button" type="submit" aria-label=${words.send}>${icon("send")}</button>
    </form>
  `;
}

/** @param {Event} event */
function written({ currentTarget }) {
  return /** @type {HTMLTextAreaElement} */ (currentTarget).value;
}

/** What browsers call a key that an input method has taken for itself. */
const TAKEN = 229;

/** @param {KeyboardEvent} event @param {import("../view-contract.js").Actions} actions */
function onKey(event, actions) {
  // While an input method composes, Enter chooses a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === TAKEN) return;
  event.preventDefault();
  // What stands there now: the picture may be older.
  actions.send(written(event));
}

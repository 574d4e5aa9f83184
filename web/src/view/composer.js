/** Draws the field to write in: Enter sends, Shift and Enter begins a line, and no text is ever lost. */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { size } from "../strings/format.js";
import { icon } from "./icons.js";

/** @param {import("./contract.js").Scene} scene */
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

/** @param {KeyboardEvent} event @param {import("./contract.js").Actions} actions */
function onKey(event, actions) {
  // While an input method composes, Enter chooses a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === TAKEN) return;
  event.preventDefault();
  // What stands there now: the picture may be older.
  actions.send(written(event));
}

// Draws the button that switches the microphone on and off.

/** @param {import("./contract.js").Scene} scene */
export function microphone({ state: { voice, microphone }, actions, words }) {
  if (voice === null) return nothing;
  return html`
    <button
      class="attach microphone"
      part="microphone-button"
      type="button"
      aria-label=${words.speak}
      title=${words.speak}
      aria-pressed=${microphone.on}
      @click=${actions.speak}
    >
      ${icon("mic")}
    </button>
  `;
}

/** @param {import("./contract.js").Scene} scene */
export function speaking(scene) {
  const { microphone } = scene.state;
  if (microphone.failed) return html`<p class="excess wrong" part="voice-problem">${scene.words.noVoice}</p>`;
  return microphone.voice?.bar(scene) ?? nothing;
}

// Draws the files that are to go with the next message, and the button that adds one.

/** @typedef {import("../client/uploads.js").TrayFile} TrayFile */
/** @typedef {import("./contract.js").Scene} Scene */
/** @typedef {import("./contract.js").Actions} Actions */

/** @param {Scene} scene */
export function attachButton({ state: { uploads }, actions, words }) {
  if (uploads === null) return nothing;
  return html`
    <input
      class="picker"
      type="file"
      multiple
      hidden
      accept=${uploads.endings.join(",")}
      @change=${(/** @type {Event} */ event) => picked(event, actions)}
    /><button
      class="attach"
      part="attach-button"
      type="button"
      aria-label=${words.attach}
      title=${words.attach}
      @click=${(/** @type {Event} */ { currentTarget }) => pick(currentTarget)}
    >
      ${icon("clip")}
    </button>
  `;
}

/** @param {Scene} scene */
export function tray(scene) {
  const { files } = scene.state;
  if (files.length === 0) return nothing;
  return html`
    <ul class="tray" part="files" aria-label=${scene.words.files}>
      ${files.map((file) => chip(file, scene))}
    </ul>
  `;
}

/** @param {TrayFile} file @param {Scene} scene */
function chip(file, scene) {
  const { words, actions } = scene;
  const label = words.removeFile(file.name);
  const remove = () => actions.detach(file.id);
  return html`
    <li class="upload" part="file-chip" data-state=${stateOf(file)}>
      ${icon(file.problem ? "warning" : file.ref ? "ok" : "spinner")}
      <span class="about"><bdi class="name">${file.name}</bdi><span class="size">${standing(file, scene)}</span></span>
      <button class="remove" part="remove-button" type="button" aria-label=${label} title=${label} @click=${remove}>
        ${icon("close")}
      </button>
    </li>
  `;
}

/** @param {TrayFile} file */
function stateOf({ problem, ref }) {
  if (problem) return "failed";
  return ref === null ? "coming" : "ready";
}

/** @param {TrayFile} file @param {Scene} scene @returns {string} its size, how far it is, or what is wrong with it */
function standing({ bytes, ref, percent, problem }, { state, words }) {
  if (problem) return problemText(problem, state, words);
  const large = size(bytes, state.locale);
  if (ref !== null) return large;
  return `${large} · ${percent < 100 ? words.uploading(percent) : words.reading}`;
}

/**
 * @param {import("../client/uploads.js").Problem} problem
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Words} words
 * @returns {string} a sentence
 */
export function problemText({ code }, { uploads, locale }, words) {
  const { max_bytes = 0, max_files = 0, endings = [] } = uploads ?? {};
  if (code === "too_large") return words.fileTooLarge(size(max_bytes, locale));
  if (code === "unknown_kind") return words.fileUnknown(endings.join(", "));
  if (code === "too_many_at_once") return words.filesTooMany(max_files);
  return words.fileProblems[code] ?? words.fileProblems.other;
}

/** @param {EventTarget | null} button */
function pick(button) {
  const input = /** @type {HTMLElement} */ (button).parentElement?.querySelector(".picker");
  /** @type {HTMLInputElement | null} */ (input)?.click();
}

/** @param {Event} event @param {Actions} actions */
function picked({ currentTarget }, actions) {
  const input = /** @type {HTMLInputElement} */ (currentTarget);
  actions.attach([...(input.files ?? [])]);
  // The same file may be chosen again, once it was mended.
  input.value = "";
}

// Takes files that are dropped on the panel or pasted into it.

/** @param {DragEvent} event @param {Scene} scene */
export function onDrag(event, { state, words }) {
  if (state.uploads === null || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  panelOf(event).dataset.drop = words.dropFiles;
}

/** @param {DragEvent} event */
export function onDragLeave(event) {
  const panel = panelOf(event);
  // From one thing in the panel to the next is no leaving.
  if (!(event.relatedTarget instanceof Node && panel.contains(event.relatedTarget))) delete panel.dataset.drop;
}

/** @param {DragEvent} event @param {Scene} scene */
export function onDrop(event, { state, actions }) {
  delete panelOf(event).dataset.drop;
  const files = [...(event.dataTransfer?.files ?? [])];
  if (state.uploads === null || files.length === 0) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {ClipboardEvent} event @param {Scene} scene */
export function onPaste(event, { state, actions }) {
  // The host page may have plans of its own with what is pasted.
  event.stopPropagation();
  const pasted = event.clipboardData;
  const files = [...(pasted?.files ?? [])];
  // Cells of a table are pasted as text, though their picture comes along.
  if (state.uploads === null || files.length === 0 || pasted?.types.includes("text/plain")) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {Event} event */
function panelOf({ currentTarget }) {
  return /** @type {HTMLElement} */ (currentTarget);
}

/**
 * Draws the input field, the files for the next message, and the microphone button; handles dropped and pasted files.
 */

import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import { size } from "../strings/format.js";
import { icon } from "./icons.js";

/** @typedef {import("./contract.js").Actions} Actions */
/** @typedef {import("../client/uploads.js").PendingFile} PendingFile */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** @param {ViewContext} context */
export function composer(context) {
  const { draft, maxText, files } = context.state;
  const { actions, strings } = context;
  const uploading = files.some(({ ref, problem }) => ref === null && problem === null);
  // A text that is too long is kept, with a message: nothing is cut off.
  const excess = Math.max(0, draft.trim().length - maxText);
  return html`
    ${excess > 0
      ? html`<p id="excess" class="excess wrong" part="excess">${strings.tooLong(excess)}</p>`
      : nothing}
    ${pendingFiles(context)}
    <form
      class="composer"
      part="composer"
      ?data-empty=${uploading || (draft.trim() === "" && !files.some(({ ref }) => ref !== null))}
      @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        const field = /** @type {HTMLElement} */ (event.currentTarget).querySelector("textarea");
        if (field) actions.send(field.value);
      }}
    >
      ${attachButton(context)}
      <div class="field" data-text=${draft}>
        <textarea
          class="text"
          part="input"
          rows="1"
          dir=${draft === "" ? nothing : "auto"}
          autocomplete="off"
          enterkeyhint="send"
          aria-label=${strings.message}
          placeholder=${strings.placeholder}
          aria-invalid=${excess > 0}
          aria-describedby=${excess > 0 ? "excess" : nothing}
          .value=${live(draft)}
          @input=${(/** @type {Event} */ event) => actions.draft(textOf(event))}
          @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, actions)}
        ></textarea>
      </div>
      ${microphoneButton(context)}
      <button class="send" part="send-button" type="submit" aria-label=${strings.send}>${icon("send")}</button>
    </form>
  `;
}

/** @param {Event} event */
function textOf({ currentTarget }) {
  return /** @type {HTMLTextAreaElement} */ (currentTarget).value;
}

/** The key code of a key that an input method has handled. */
const IME_KEY_CODE = 229;

/** @param {KeyboardEvent} event @param {Actions} actions */
function onKey(event, actions) {
  // While an input method composes, Enter accepts a word.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === IME_KEY_CODE) return;
  event.preventDefault();
  // The field's current text: the rendered state may be older.
  actions.send(textOf(event));
}

/** @param {ViewContext} context */
function microphoneButton({ state: { voice, microphone }, actions, strings }) {
  if (voice === null) return nothing;
  return html`
    <button
      class="attach microphone"
      part="microphone-button"
      type="button"
      aria-label=${strings.speak}
      title=${strings.speak}
      aria-pressed=${microphone.on}
      @click=${actions.toggleVoice}
    >
      ${icon("mic")}
    </button>
  `;
}

/** @param {ViewContext} context */
export function voiceBar(context) {
  const { microphone } = context.state;
  if (microphone.failed) return html`<p class="excess wrong" part="voice-problem">${context.strings.noVoice}</p>`;
  return microphone.voice?.bar(context) ?? nothing;
}

/** @param {ViewContext} context */
function attachButton({ state: { uploads }, actions, strings }) {
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
      aria-label=${strings.attach}
      title=${strings.attach}
      @click=${(/** @type {Event} */ { currentTarget }) => pick(currentTarget)}
    >
      ${icon("clip")}
    </button>
  `;
}

/** @param {ViewContext} context */
function pendingFiles(context) {
  const { files } = context.state;
  if (files.length === 0) return nothing;
  return html`
    <ul class="pending-files" part="files" aria-label=${context.strings.files}>
      ${files.map((file) => fileChip(file, context))}
    </ul>
  `;
}

/** @param {PendingFile} file @param {ViewContext} context */
function fileChip(file, context) {
  const { strings, actions } = context;
  const label = strings.removeFile(file.name);
  const remove = () => actions.detach(file.id);
  return html`
    <li class="upload" part="file-chip" data-state=${uploadState(file)}>
      ${icon(file.problem ? "warning" : file.ref ? "ok" : "spinner")}
      <span class="about"><bdi class="name">${file.name}</bdi><span class="size">${uploadStatus(file, context)}</span></span>
      <button class="remove" part="remove-button" type="button" aria-label=${label} title=${label} @click=${remove}>
        ${icon("close")}
      </button>
    </li>
  `;
}

/** @param {PendingFile} file */
function uploadState({ problem, ref }) {
  if (problem) return "failed";
  return ref === null ? "coming" : "ready";
}

/**
 * @param {PendingFile} file
 * @param {ViewContext} context
 * @returns {string} its size and progress, or its problem
 */
function uploadStatus({ bytes, ref, percent, problem }, { state, strings }) {
  if (problem) return problemText(problem, state, strings);
  const large = size(bytes, state.locale);
  if (ref !== null) return large;
  return `${large} · ${percent < 100 ? strings.uploading(percent) : strings.reading}`;
}

/**
 * @param {import("../client/uploads.js").Problem} problem
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Strings} strings
 * @returns {string} a sentence
 */
export function problemText({ code }, { uploads, locale }, strings) {
  const { max_bytes = 0, max_files = 0, endings = [] } = uploads ?? {};
  if (code === "too_large") return strings.fileTooLarge(size(max_bytes, locale));
  if (code === "unknown_kind") return strings.fileUnknown(endings.join(", "));
  if (code === "too_many_at_once") return strings.filesTooMany(max_files);
  return strings.fileProblems[code] ?? strings.fileProblems.other;
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
  // The customer may choose the same file again after correcting it.
  input.value = "";
}

// Files that are dropped on the panel or pasted into it.

/** @param {DragEvent} event @param {ViewContext} context */
export function onDrag(event, { state, strings }) {
  if (state.uploads === null || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
  panelOf(event).dataset.drop = strings.dropFiles;
}

/** @param {DragEvent} event */
export function onDragLeave(event) {
  const panel = panelOf(event);
  // Moving between elements inside the panel is not leaving it.
  if (!(event.relatedTarget instanceof Node && panel.contains(event.relatedTarget))) delete panel.dataset.drop;
}

/** @param {DragEvent} event @param {ViewContext} context */
export function onDrop(event, { state, actions }) {
  delete panelOf(event).dataset.drop;
  const files = [...(event.dataTransfer?.files ?? [])];
  if (state.uploads === null || files.length === 0) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {ClipboardEvent} event @param {ViewContext} context */
export function onPaste(event, { state, actions }) {
  // The host page may handle pasted content itself.
  event.stopPropagation();
  const pasted = event.clipboardData;
  const files = [...(pasted?.files ?? [])];
  // Table cells come as text and as a picture: paste the text.
  if (state.uploads === null || files.length === 0 || pasted?.types.includes("text/plain")) return;
  event.preventDefault();
  actions.attach(files);
}

/** @param {Event} event */
function panelOf({ currentTarget }) {
  return /** @type {HTMLElement} */ (currentTarget);
}

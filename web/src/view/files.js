/** Draws the files that are to go with the next message, and the button that adds one. */

import { html, nothing } from "lit";
import { size } from "../words/size.js";
import { icon } from "./icon.js";

/** @typedef {import("../files/tray.js").TrayFile} TrayFile */
/** @typedef {import("./scene.js").Scene} Scene */
/** @typedef {import("../view-contract.js").Actions} Actions */

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
 * @param {import("../files/upload.js").Problem} problem
 * @param {import("../view-contract.js").ViewState} state
 * @param {import("../words/words.js").Words} words
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

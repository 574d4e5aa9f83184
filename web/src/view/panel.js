/** Draws the panel: from its head to the fine print at its foot. */

import { html, nothing } from "lit";
import { holdFocus, onScroll, scrollToEnd } from "./after-render.js";
import { composer, onDrag, onDragLeave, onDrop, onPaste, speaking } from "./composer.js";
import { question } from "./confirmation.js";
import { icon } from "./icons.js";
import { log } from "./messages.js";
import { transcriptText } from "./transcript.js";

/** @param {Event} event is not the host page's business: it may have shortcuts of its own */
const keep = (event) => event.stopPropagation();

/** @param {import("./contract.js").Scene} scene */
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

/** @param {KeyboardEvent} event @param {import("./contract.js").Actions} actions */
function onKey(event, actions) {
  event.stopPropagation();
  if (event.key === "Escape" && !event.isComposing) actions.close();
}

/**
 * The browser closes a modal dialog by gestures of its own; one that was opened again meanwhile is open by now.
 *
 * @param {Event} event
 * @param {import("./contract.js").Actions} actions
 */
function onClose({ currentTarget }, actions) {
  const dialog = /** @type {HTMLDialogElement} */ (currentTarget);
  if (!dialog.open) actions.close();
}

// Draws the head of the panel: who speaks, and the buttons that concern the whole conversation.

/** @param {import("./contract.js").Scene} scene */
export function head(scene) {
  const { state, actions, words } = scene;
  return html`
    <div class="head" part="header">
      <span class="mark" part="mark" aria-hidden="true">${icon("chat")}</span>
      <h2 id="title" class="title" part="title"><bdi>${state.assistant?.name ?? words.assistant}</bdi></h2>
      ${state.items.length > 0 ? download(scene) : nothing}
      <button
        class="tool close"
        part="close-button"
        type="button"
        aria-label=${words.closeChat}
        @click=${actions.close}
      >
        ${icon("close")}
      </button>
    </div>
  `;
}

/** @param {import("./contract.js").Scene} scene */
function download({ state, actions, words }) {
  const save = () => actions.download(`${words.file}.txt`, transcriptText(state, words));
  return html`
    <button
      class="tool"
      part="download-button"
      type="button"
      aria-label=${words.download}
      title=${words.download}
      @click=${save}
    >
      ${icon("save")}
    </button>
  `;
}

// Draws what whoever runs the assistant should know, such as an edit that was refused.

/** @param {import("./contract.js").Scene} scene */
export function notice({ state: { notice } }) {
  if (!notice?.problem) return nothing;
  return html`<p class="server-notice" part="notice" lang="en" dir="auto">
    ${icon("warning")}<span>${notice.message}</span>
  </p>`;
}

// Draws what is there before the first message: that it is a machine, its greeting, and how one might begin.

/** @param {import("./contract.js").Scene} scene */
export function intro({ state: { assistant } }) {
  if (assistant === null) return nothing;
  const { disclosure, greeting } = assistant;
  return html`
    <div class="intro" part="intro">
      ${disclosure ? html`<p class="disclosure" part="disclosure" dir="auto">${disclosure}</p>` : nothing}
      ${greeting ? html`<p class="greeting" part="greeting" dir="auto">${greeting}</p>` : nothing}
    </div>
  `;
}

/** @param {import("./contract.js").Scene} scene */
export function starters({ state: { assistant, items }, actions, words }) {
  // The first words are the customer's: from then on the suggestions would only be in the way.
  if (!assistant?.starters?.length || items.length > 0) return nothing;
  return html`
    <div class="starters" part="starters" role="group" aria-label=${words.starters}>
      ${assistant.starters.map((text) => starter(text, actions))}
    </div>
  `;
}

/** @param {string} text @param {import("./contract.js").Actions} actions */
function starter(text, actions) {
  const say = () => actions.send(text);
  return html`<button class="starter" part="starter" type="button" dir="auto" @click=${say}>${text}</button>`;
}

// Draws three dots while a turn is under way that shows nothing moving by itself.

/** @param {import("./contract.js").Scene} scene */
export function thinking({ state, words }) {
  if (!isThinking(state)) return nothing;
  return html`
    <div class="thinking" part="thinking" role="img" aria-label=${words.thinking}><i></i><i></i><i></i></div>
  `;
}

/** @param {import("./contract.js").ViewState} state @returns {boolean} */
function isThinking({ turn, items }) {
  if (turn === null) return false;
  const last = items.at(-1);
  if (last?.kind === "assistant") return last.says !== null || last.text.trim() === "";
  return last?.kind !== "tools" || last.calls.every((call) => call.outcome !== null);
}

// Draws how a request for a person stands: on the way, or there, with a way back to the assistant.

/** @param {import("./contract.js").Scene} scene */
export function handoff({ state: { handoff }, actions, words }) {
  switch (handoff?.state) {
    case "requested":
    case "queued":
      return html`<p class="notice" part="handoff">${words.personAsked}</p>`;
    case "accepted":
      return html`
        <div class="notice handoff" part="handoff">
          <p dir="auto">${words.personThere(handoff.name ?? "")}</p>
          <button class="again" part="assistant-button" type="button" @click=${actions.giveBack}>
            ${words.backToAssistant}
          </button>
        </div>
      `;
    default:
      // What came of the others, the assistant says.
      return nothing;
  }
}

// Draws how the connection is, and the button that stops what is under way.

/** @param {import("./contract.js").Scene} scene */
export function activity({ state, actions, words }) {
  const line = connection(state, words);
  // What is spoken goes on for a while after its turn.
  const stops = state.turn !== null || state.microphone.sounds;
  if (line === "" && !stops) return nothing;
  return html`
    <div class="activity">
      ${line === "" ? nothing : html`<p class="link" part="connection" data-link=${state.link}>${line}</p>`}
      ${stops
        ? html`<button class="stop" part="stop-button" type="button" @click=${actions.stop}>
            ${icon("stop")}<span>${words.stop}</span>
          </button>`
        : nothing}
    </div>
  `;
}

/**
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Words} words
 * @returns {string} empty where there is nothing to say
 */
function connection({ link, items }, words) {
  if (link === "idle" || link === "open") return "";
  if (link !== "lost") return words[link];
  const unsent = items.filter((item) => item.kind === "customer" && item.delivery === "waiting").length;
  return unsent === 0 ? words.lost : `${words.lost} ${words.unsent(unsent)}`;
}

/** Draws the panel: header, notices, messages, activity and composer. */

import { html, nothing } from "lit";
import { rememberFocus, onScroll, scrollToEnd } from "./after-render.js";
import { composer, onDrag, onDragLeave, onDrop, onPaste, voiceBar } from "./composer.js";
import { confirmation } from "./confirmation.js";
import { icon } from "./icons.js";
import { messageList } from "./messages.js";
import { transcriptText } from "./transcript.js";

/** @typedef {import("./contract.js").Actions} Actions */
/** @typedef {import("./contract.js").ViewContext} ViewContext */

/** @param {Event} event must not reach the host page, which may have its own shortcuts */
const stopPropagation = (event) => event.stopPropagation();

/** @param {ViewContext} context */
export function panel(context) {
  const { actions, strings, state } = context;
  return html`
    <dialog
      id="panel"
      class="panel"
      part="panel"
      aria-labelledby="title"
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, actions)}
      @keyup=${stopPropagation}
      @keypress=${stopPropagation}
      @paste=${(/** @type {ClipboardEvent} */ event) => onPaste(event, context)}
      @dragenter=${(/** @type {DragEvent} */ event) => onDrag(event, context)}
      @dragover=${(/** @type {DragEvent} */ event) => onDrag(event, context)}
      @dragleave=${onDragLeave}
      @drop=${(/** @type {DragEvent} */ event) => onDrop(event, context)}
      @copy=${stopPropagation}
      @cut=${stopPropagation}
      @focusin=${rememberFocus}
      @close=${(/** @type {Event} */ event) => onClose(event, actions)}
    >
      ${header(context)}${notice(context)}
      <div
        class="scroller"
        part="log"
        tabindex="0"
        role="region"
        aria-label=${strings.conversation}
        @scroll=${(/** @type {Event} */ event) => onScroll(event, actions)}
      >
        ${intro(context)}
        ${messageList(context)}
        ${state.microphone.voice?.draftMessage(context) ?? nothing}
        ${starters(context)}
        ${thinking(context)}
        ${handoff(context)}
        ${confirmation(context)}
      </div>
      <div class="between">
        <button
          class="latest"
          part="latest-button"
          type="button"
          aria-label=${strings.latest}
          hidden
          @click=${scrollToEnd}
        >
          ${icon("down")}
        </button>
      </div>
      ${activity(context)}${voiceBar(context)}${composer(context)}
      ${state.assistant?.note ? html`<p class="note" part="note" dir="auto">${state.assistant.note}</p>` : nothing}
      <div class="visually-hidden" role="status"></div>
      <div class="visually-hidden" role="alert"></div>
    </dialog>
  `;
}

/** @param {KeyboardEvent} event @param {Actions} actions */
function onKey(event, actions) {
  event.stopPropagation();
  if (event.key === "Escape" && !event.isComposing) actions.close();
}

/**
 * The browser can close a modal dialog without asking. If the dialog is open again by now, nothing needs to be done.
 *
 * @param {Event} event
 * @param {Actions} actions
 */
function onClose({ currentTarget }, actions) {
  const dialog = /** @type {HTMLDialogElement} */ (currentTarget);
  if (!dialog.open) actions.close();
}

/** @param {ViewContext} context */
function header(context) {
  const { state, actions, strings } = context;
  return html`
    <div class="head" part="header">
      <span class="mark" part="mark" aria-hidden="true">${icon("chat")}</span>
      <h2 id="title" class="title" part="title"><bdi>${state.assistant?.name ?? strings.assistant}</bdi></h2>
      ${state.items.length > 0 ? downloadButton(context) : nothing}
      <button
        class="tool close"
        part="close-button"
        type="button"
        aria-label=${strings.closeChat}
        @click=${actions.close}
      >
        ${icon("close")}
      </button>
    </div>
  `;
}

/** @param {ViewContext} context */
function downloadButton(context) {
  const { actions, strings } = context;
  const save = () => actions.download(`${strings.file}.txt`, transcriptText(context));
  return html`
    <button
      class="tool"
      part="download-button"
      type="button"
      aria-label=${strings.download}
      title=${strings.download}
      @click=${save}
    >
      ${icon("save")}
    </button>
  `;
}

/** A notice for the operator of the assistant, such as a rejected edit of a prompt. @param {ViewContext} context */
function notice({ state: { notice } }) {
  if (!notice?.problem) return nothing;
  return html`<p class="server-notice" part="notice" lang="en" dir="auto">
    ${icon("warning")}<span>${notice.message}</span>
  </p>`;
}

/** The disclosure that this is a machine, and the greeting. @param {ViewContext} context */
function intro({ state: { assistant } }) {
  if (assistant === null) return nothing;
  const { disclosure, greeting } = assistant;
  return html`
    <div class="intro" part="intro">
      ${disclosure ? html`<p class="disclosure" part="disclosure" dir="auto">${disclosure}</p>` : nothing}
      ${greeting ? html`<p class="greeting" part="greeting" dir="auto">${greeting}</p>` : nothing}
    </div>
  `;
}

/** @param {ViewContext} context */
function starters({ state: { assistant, items }, actions, strings }) {
  // Suggestions are shown only until the first message.
  if (!assistant?.starters?.length || items.length > 0) return nothing;
  return html`
    <div class="starters" part="starters" role="group" aria-label=${strings.starters}>
      ${assistant.starters.map((text) => starter(text, actions))}
    </div>
  `;
}

/** @param {string} text @param {Actions} actions */
function starter(text, actions) {
  const say = () => actions.send(text);
  return html`<button class="starter" part="starter" type="button" dir="auto" @click=${say}>${text}</button>`;
}

/** Three dots while the agent types, or a turn runs and nothing else on the screen shows it. @param {ViewContext} context */
function thinking({ state, strings }) {
  const typist = state.typist !== null && state.handoff?.state === "accepted";
  if (!typist && !isThinking(state)) return nothing;
  return html`
    <div class="thinking" part="thinking" role="img" aria-label=${typist ? strings.personTyping(state.typist ?? "") : strings.thinking}><i></i><i></i><i></i></div>
  `;
}

/** @param {import("./contract.js").ViewState} state @returns {boolean} */
function isThinking({ turn, items }) {
  if (turn === null) return false;
  const last = items.at(-1);
  if (last?.kind === "assistant") return last.messageKind !== null || last.text.trim() === "";
  return last?.kind !== "tools" || last.calls.every((call) => call.outcome !== null);
}

/**
 * The state of a handoff: a human agent is requested or there, with a button to return to the assistant.
 *
 * @param {ViewContext} context
 */
function handoff({ state: { handoff }, actions, strings }) {
  switch (handoff?.state) {
    case "requested":
    case "queued":
      return html`<p class="notice" part="handoff">${strings.personAsked}</p>`;
    case "accepted":
      return html`
        <div class="notice handoff" part="handoff">
          <p dir="auto">${strings.personThere(handoff.name ?? "")}</p>
          <button class="again" part="assistant-button" type="button" @click=${actions.endHandoff}>
            ${strings.backToAssistant}
          </button>
        </div>
      `;
    default:
      // The assistant itself tells how the others ended.
      return nothing;
  }
}

/** The state of the connection, and the stop button. @param {ViewContext} context */
function activity({ state, actions, strings }) {
  const line = connection(state, strings);
  // Speech can outlast its turn.
  const stops = state.turn !== null || state.microphone.sounds;
  if (line === "" && !stops) return nothing;
  return html`
    <div class="activity">
      ${line === "" ? nothing : html`<p class="link" part="connection" data-link=${state.link}>${line}</p>`}
      ${stops
        ? html`<button class="stop" part="stop-button" type="button" @click=${actions.stop}>
            ${icon("stop")}<span>${strings.stop}</span>
          </button>`
        : nothing}
    </div>
  `;
}

/**
 * @param {import("./contract.js").ViewState} state
 * @param {import("../strings/index.js").Strings} strings
 * @returns {string} empty if there is nothing to show
 */
function connection({ link, items }, strings) {
  if (link === "idle" || link === "open") return "";
  if (link !== "lost") return strings[link];
  const unsent = items.filter((item) => item.kind === "customer" && item.delivery === "waiting").length;
  return unsent === 0 ? strings.lost : `${strings.lost} ${strings.unsent(unsent)}`;
}

/**
 * Draws the voice bar: level meter, activity, controls, push-to-talk button, and the draft of what is understood.
 */

import { TEMPOS } from "./preferences.js";

/** @typedef {import("../view/contract.js").RenderKit} RenderKit */
/** @typedef {import("../strings/voice.js").VoiceStrings} Strings */
/** @typedef {import("../view/contract.js").ViewContext} ViewContext */
/** @typedef {import("./voice.js").Voice} Voice */

const CENTER_Y = 12;
const MIN_HALF_HEIGHT = 1.5;
const MAX_HALF_HEIGHT = 9;

/** Position and relative height of each bar. */
const BARS = [
  [3, 0.45],
  [8.5, 0.8],
  [14, 1],
  [19.5, 0.7],
  [25, 0.4],
];

/** Below this level, in dB relative to the maximum, nothing moves. */
const FLOOR_DB = -50;

/** How loud the customer is, as five bars. It sets attributes of an SVG, because a strict policy forbids styles. */
export class LevelMeter {
  #root;
  #shown = 0;

  /** @param {ParentNode} root */
  constructor(root) {
    this.#root = root;
  }

  /** @param {ArrayBuffer} frame from the microphone */
  show(frame) {
    // Rises at once, and falls slowly enough to see.
    this.#shown = Math.max(loudness(new Int16Array(frame)), this.#shown * 0.8);
    this.#root.querySelector(".level path")?.setAttribute("d", bars(this.#shown));
  }
}

/** @param {Int16Array} sound @returns {number} from 0 to 1 */
function loudness(sound) {
  const power = sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length;
  const db = 10 * Math.log10(power / 0x7fff ** 2 || 1e-10);
  return Math.min(1, Math.max(0, 1 - db / FLOOR_DB) * 1.4);
}

/** @param {number} level from 0 to 1 @returns {string} a path */
function bars(level) {
  return BARS.map(([x, swing]) => {
    const half = MIN_HALF_HEIGHT + level * swing * (MAX_HALF_HEIGHT - MIN_HALF_HEIGHT);
    return `M${x} ${(CENTER_Y - half).toFixed(1)}v${(2 * half).toFixed(1)}`;
  }).join("");
}

const SILENT_BARS = bars(0);

/** @param {Voice} voice @param {ViewContext} context @param {Strings} strings @param {RenderKit} kit */
export function voiceBar(voice, context, strings, kit) {
  const { html, nothing } = kit;
  if (voice.problem) return html`<p class="excess wrong" part="voice-problem">${strings.problems[voice.problem]}</p>`;
  if (!voice.on) return nothing;
  const pushed = voice.preferences.mode === "push_to_talk";
  const controls = [modes(voice, strings, kit), tempos(voice, context, strings, kit)];
  if (!pushed) controls.push(muteButton(voice, strings, kit));
  return html`
    <div class="voice" part="voice" role="group" aria-label=${strings.voice} data-activity=${activity(voice, context)}>
      <svg class="level" part="voice-level" viewBox="0 0 28 24" aria-hidden="true"><path d=${SILENT_BARS} /></svg>
      <p class="doing" part="voice-activity">${strings.activities[activity(voice, context)]}</p>
      ${voice.phase === "on" ? controls : nothing}
    </div>
    ${pushed && voice.phase === "on" ? talkButton(voice, strings, kit) : nothing}
  `;
}

/** @param {Voice} voice @param {ViewContext} context @returns {keyof Strings["activities"]} */
function activity({ phase, muted, activity, preferences, talking }, { state }) {
  if (phase === "asking") return "asking";
  if (phase !== "on" || state.link !== "open") return "starting";
  if (activity !== "listening") return activity;
  if (muted) return "muted";
  return preferences.mode === "push_to_talk" && talking === "no" ? "waiting" : "listening";
}

/** @param {Voice} voice @param {Strings} strings @param {RenderKit} kit */
function modes(voice, strings, { html }) {
  const choose = (/** @type {Event} */ event) =>
    voice.setPreferences({ mode: valueOf(event) === "push_to_talk" ? "push_to_talk" : "hands_free" });
  const { mode } = voice.preferences;
  return html`
    <select class="choice" part="voice-mode" aria-label=${strings.mode} @change=${choose}>
      <option value="hands_free" ?selected=${mode === "hands_free"}>${strings.handsFree}</option>
      <option value="push_to_talk" ?selected=${mode === "push_to_talk"}>${strings.pushToTalk}</option>
    </select>
  `;
}

/** @param {Voice} voice @param {ViewContext} context @param {Strings} strings @param {RenderKit} kit */
function tempos(voice, { strings: { locale } }, strings, { html }) {
  const choose = (/** @type {Event} */ event) => voice.setPreferences({ tempo: Number(valueOf(event)) });
  const { tempo } = voice.preferences;
  return html`
    <select class="choice" part="voice-tempo" aria-label=${strings.tempo} @change=${choose}>
      ${TEMPOS.map(
        (one) => html`<option value=${one} ?selected=${one === tempo}>${one.toLocaleString(locale)}×</option>`,
      )}
    </select>
  `;
}

/** @param {Voice} voice @param {Strings} strings @param {RenderKit} kit */
function muteButton(voice, strings, { html, icon }) {
  const press = () => voice.muteMicrophone(!voice.muted);
  return html`
    <button
      class="attach mute"
      part="mute-button"
      type="button"
      aria-label=${strings.mute}
      title=${strings.mute}
      aria-pressed=${voice.muted}
      @click=${press}
    >
      ${icon("mute")}
    </button>
  `;
}

/** @param {Event} event */
function valueOf({ currentTarget }) {
  return /** @type {HTMLSelectElement} */ (currentTarget).value;
}

/** The push-to-talk button, for pointers, keys and screen readers. */
/** @param {Voice} voice @param {import("../strings/voice.js").VoiceStrings} strings @param {RenderKit} kit */
function talkButton(voice, strings, { html, icon }) {
  const release = (/** @type {Event} */ event) => voice.release(event);
  return html`
    <button
      class="talk"
      part="talk-button"
      type="button"
      aria-pressed=${voice.talking !== "no"}
      @pointerdown=${(/** @type {PointerEvent} */ event) => onPointer(event, voice)}
      @pointerup=${release}
      @pointercancel=${release}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, voice)}
      @keyup=${(/** @type {KeyboardEvent} */ event) => onKeyUp(event, voice)}
      @blur=${release}
      @click=${(/** @type {MouseEvent} */ event) => onClick(event, voice)}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      ${icon("mic")}<span>${strings.talk[voice.talking]}</span>
    </button>
  `;
}

/** @param {PointerEvent} event @param {Voice} voice */
function onPointer(event, voice) {
  if (event.button !== 0) return;
  // A pointer that slides off the button still holds it.
  /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
  voice.press(event);
}

/** @param {KeyboardEvent} event @param {Voice} voice */
function onKey(event, voice) {
  if (event.key !== " " && event.key !== "Enter") return;
  // Otherwise it would also be a click.
  event.preventDefault();
  if (!event.repeat) voice.press(event);
}

/** @param {KeyboardEvent} event @param {Voice} voice */
function onKeyUp(event, voice) {
  if (event.key !== " " && event.key !== "Enter") return;
  event.preventDefault();
  voice.release(event);
}

/**
 * A click without pointer or key, as screen readers send it: a tap.
 *
 * @param {MouseEvent} event
 * @param {Voice} voice
 */
function onClick(event, voice) {
  if (event.detail !== 0) return;
  voice.press(event);
  voice.release(event);
}

/** What the customer is understood to say, where their message will be. */
/** @param {Voice} voice @param {ViewContext} context @param {RenderKit} kit */
export function draftMessage({ caption, notice }, { strings }, { html, nothing }) {
  if (notice !== "") return html`<p class="notice" part="voice-notice" dir="auto">${notice}</p>`;
  if (caption === "") return nothing;
  return html`
    <div class="row customer">
      <article class="message" part="message draft" data-delivery="draft">
        <span class="visually-hidden">${strings.you}: </span>
        <p class="bubble" part="customer-bubble" dir="auto">${caption}</p>
      </article>
    </div>
  `;
}

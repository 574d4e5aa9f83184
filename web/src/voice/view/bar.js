/** Draws what goes on while one speaks, and how it can be changed. */

import { TEMPOS } from "../choices.js";
import { bars } from "../level.js";
import { talkButton } from "./talk-button.js";

/** @typedef {import("../voice.js").Voice} Voice */
/** @typedef {import("../../words/voice/words.js").VoiceWords} Words */
/** @typedef {import("../kit.js").Kit} Kit */

const QUIET = bars(0);

/** @param {Voice} voice @param {import("../../view/scene.js").Scene} scene @param {Words} words @param {Kit} kit */
export function bar(voice, scene, words, kit) {
  const { html, nothing } = kit;
  if (voice.problem) return html`<p class="excess wrong" part="voice-problem">${words.problems[voice.problem]}</p>`;
  if (!voice.on) return nothing;
  const pushed = voice.chosen.mode === "push_to_talk";
  const controls = [modes(voice, words, kit), tempos(voice, scene, words, kit)];
  if (!pushed) controls.push(muteButton(voice, words, kit));
  return html`
    <div class="voice" part="voice" role="group" aria-label=${words.voice} data-activity=${activity(voice, scene)}>
      <svg class="level" part="voice-level" viewBox="0 0 28 24" aria-hidden="true"><path d=${QUIET} /></svg>
      <p class="doing" part="voice-activity">${words.activities[activity(voice, scene)]}</p>
      ${voice.phase === "on" ? controls : nothing}
    </div>
    ${pushed && voice.phase === "on" ? talkButton(voice, words, kit) : nothing}
  `;
}

/** @param {Voice} voice @param {import("../../view/scene.js").Scene} scene @returns {keyof Words["activities"]} */
function activity({ phase, muted, activity, chosen, talking }, { state }) {
  if (phase === "asking") return "asking";
  if (phase !== "on" || state.link !== "open") return "starting";
  if (activity !== "listening") return activity;
  if (muted) return "muted";
  return chosen.mode === "push_to_talk" && talking === "no" ? "waiting" : "listening";
}

/** @param {Voice} voice @param {Words} words @param {Kit} kit */
function modes(voice, words, { html }) {
  const choose = (/** @type {Event} */ event) =>
    voice.choose({ mode: valueOf(event) === "push_to_talk" ? "push_to_talk" : "hands_free" });
  const { mode } = voice.chosen;
  return html`
    <select class="choice" part="voice-mode" aria-label=${words.mode} @change=${choose}>
      <option value="hands_free" ?selected=${mode === "hands_free"}>${words.handsFree}</option>
      <option value="push_to_talk" ?selected=${mode === "push_to_talk"}>${words.pushToTalk}</option>
    </select>
  `;
}

/** @param {Voice} voice @param {import("../../view/scene.js").Scene} scene @param {Words} words @param {Kit} kit */
function tempos(voice, { words: { locale } }, words, { html }) {
  const choose = (/** @type {Event} */ event) => voice.choose({ tempo: Number(valueOf(event)) });
  const { tempo } = voice.chosen;
  return html`
    <select class="choice" part="voice-tempo" aria-label=${words.tempo} @change=${choose}>
      ${TEMPOS.map(
        (one) => html`<option value=${one} ?selected=${one === tempo}>${one.toLocaleString(locale)}×</option>`,
      )}
    </select>
  `;
}

/** @param {Voice} voice @param {Words} words @param {Kit} kit */
function muteButton(voice, words, { html, icon }) {
  const press = () => voice.mute(!voice.muted);
  return html`
    <button
      class="attach mute"
      part="mute-button"
      type="button"
      aria-label=${words.mute}
      title=${words.mute}
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

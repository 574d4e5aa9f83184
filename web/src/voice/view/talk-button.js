/** Draws the button that is held while one talks; by pointer, keys, or whatever a screen reader presses it with. */

/** @typedef {import("../voice.js").Voice} Voice */

/** @param {Voice} voice @param {import("../../words/voice/words.js").VoiceWords} words @param {import("../kit.js").Kit} kit */
export function talkButton(voice, words, { html, icon }) {
  const letGo = (/** @type {Event} */ event) => voice.letGo(event);
  return html`
    <button
      class="talk"
      part="talk-button"
      type="button"
      aria-pressed=${voice.talking !== "no"}
      @pointerdown=${(/** @type {PointerEvent} */ event) => onPointer(event, voice)}
      @pointerup=${letGo}
      @pointercancel=${letGo}
      @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(event, voice)}
      @keyup=${(/** @type {KeyboardEvent} */ event) => onKeyUp(event, voice)}
      @blur=${letGo}
      @click=${(/** @type {MouseEvent} */ event) => onClick(event, voice)}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      ${icon("mic")}<span>${words.talk[voice.talking]}</span>
    </button>
  `;
}

/** @param {PointerEvent} event @param {Voice} voice */
function onPointer(event, voice) {
  if (event.button !== 0) return;
  // Whoever slides off the button while talking still holds it.
  /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
  voice.press(event);
}

/** @param {KeyboardEvent} event @param {Voice} voice */
function onKey(event, voice) {
  if (event.key !== " " && event.key !== "Enter") return;
  // Else it would be a click, too.
  event.preventDefault();
  if (!event.repeat) voice.press(event);
}

/** @param {KeyboardEvent} event @param {Voice} voice */
function onKeyUp(event, voice) {
  if (event.key !== " " && event.key !== "Enter") return;
  event.preventDefault();
  voice.letGo(event);
}

/** Neither a pointer nor a key: a tap. @param {MouseEvent} event @param {Voice} voice */
function onClick(event, voice) {
  if (event.detail !== 0) return;
  voice.press(event);
  voice.letGo(event);
}

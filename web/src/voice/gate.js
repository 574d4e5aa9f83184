/** Decides what of that which the microphone hears goes to the server. */

/** @typedef {"hands_free" | "push_to_talk"} Mode */

/** Before the button was pressed, so many frames: 320 ms, for those who speak a little early. */
const BEFORE = 10;

/** After it was let go, so many: what was said before is still on its way through the device. */
const AFTER = 2;

/** So many frames of silence after muting, 3 s, let the server find the end of what was being said. */
const SILENCE = 94;

export class Gate {
  #send;
  #onEnd;
  /** @type {ArrayBuffer[]} */
  #before = [];
  #tail = 0;
  #talking = false;
  #muted = false;
  /** @type {Mode} */
  #mode = "hands_free";

  /** @param {(frame: ArrayBuffer) => void} send @param {() => void} onEnd all was sent that was said before the button was let go */
  constructor(send, onEnd) {
    this.#send = send;
    this.#onEnd = onEnd;
  }

  /** @param {ArrayBuffer} frame that the microphone has heard */
  take(frame) {
    const pushed = this.#mode === "push_to_talk";
    if (pushed ? this.#talking : !this.#muted) this.#send(frame);
    else if (this.#tail > 0) {
      this.#send(frame);
      if (--this.#tail === 0 && pushed) this.#onEnd();
    } else if (pushed) this.#before = [...this.#before, frame].slice(-BEFORE);
  }

  /** Begins anew. @param {Mode} mode */
  open(mode) {
    this.#mode = mode;
    this.#before = [];
    this.#tail = 0;
    this.#talking = this.#muted = false;
  }

  /** The button was pressed: what is said is meant for the assistant. */
  press() {
    this.#talking = true;
    this.#tail = 0;
    this.#before.forEach(this.#send);
    this.#before = [];
  }

  /** It was let go. */
  release() {
    this.#talking = false;
    this.#tail = AFTER;
  }

  /** @param {boolean} muted */
  set muted(muted) {
    this.#muted = muted;
    this.#tail = muted ? SILENCE : 0;
  }
}

/** Opens the microphone and hands on what it hears; where it cannot, says in a word why. */

/**
 * `denied`: by the customer, or by the page around a frame. `none`: there is no such device. `lost`: there was one. `elsewhere`:
 * in another window of the same conversation.
 *
 * @typedef {"insecure" | "unsupported" | "denied" | "none" | "busy" | "lost" | "elsewhere" | "unavailable"} Problem
 */
/**
 * @typedef {object} Owner
 * @property {(frame: ArrayBuffer) => void} onFrame 32 ms of sound, 16-bit little-endian samples at 16 kHz
 * @property {() => void} onLost the device is gone
 */

/** @type {Readonly<Record<string, Problem>>} by the name of a browser's error */
const PROBLEMS = {
  NotAllowedError: "denied",
  SecurityError: "denied",
  NotFoundError: "none",
  OverconstrainedError: "none",
  NotReadableError: "busy",
  AbortError: "busy",
};

const CONSTRAINTS = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };

export class Microphone {
  #stream;

  /** @param {MediaStream} stream */
  constructor(stream) {
    this.#stream = stream;
  }

  /**
   * Asks the customer for it. Rejects with a `Problem`.
   *
   * @returns {Promise<Microphone>}
   */
  static async ask() {
    if (!isSecureContext) throw "insecure";
    if (!navigator.mediaDevices || !globalThis.AudioWorkletNode) throw "unsupported";
    try {
      return new Microphone(await navigator.mediaDevices.getUserMedia({ audio: CONSTRAINTS }));
    } catch (error) {
      throw PROBLEMS[/** @type {Error} */ (error).name] ?? "unavailable";
    }
  }

  /**
   * Hands on what it hears, until it is closed.
   *
   * @param {AudioContext} context
   * @param {string} worklet where `capture.js` is
   * @param {Owner} owner
   */
  async listen(context, worklet, { onFrame, onLost }) {
    for (const track of this.#stream.getTracks()) track.onended = onLost;
    await context.audioWorklet.addModule(worklet);
    const capture = new AudioWorkletNode(context, "meanwhile-capture", {
      channelCount: 1,
      channelCountMode: "explicit",
    });
    capture.port.onmessage = ({ data }) => onFrame(data);
    context.createMediaStreamSource(this.#stream).connect(capture);
    // It says nothing there; but what leads nowhere is not run in every browser.
    capture.connect(context.destination);
  }

  /** @param {boolean} muted whether it hears nothing but silence */
  set muted(muted) {
    for (const track of this.#stream.getTracks()) track.enabled = !muted;
  }

  close() {
    for (const track of this.#stream.getTracks()) {
      track.onended = null;
      track.stop();
    }
  }
}

// Decides what of that which the microphone hears goes to the server.

/** @typedef {"hands_free" | "push_to_talk"} Mode */

/** Before the button was pressed, so many frames: 320 ms, for those who speak a little early. */
const PREROLL_FRAMES = 10;

/** After it was let go, so many: what was said before is still on its way through the device. */
const TAIL_FRAMES = 2;

/** So many frames of silence after muting, 3 s, let the server find the end of what was being said. */
const MUTE_SILENCE_FRAMES = 94;

export class MicrophoneGate {
  #send;
  #onEnd;
  /** @type {ArrayBuffer[]} */
  #preroll = [];
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
  handleFrame(frame) {
    const pushed = this.#mode === "push_to_talk";
    if (pushed ? this.#talking : !this.#muted) this.#send(frame);
    else if (this.#tail > 0) {
      this.#send(frame);
      if (--this.#tail === 0 && pushed) this.#onEnd();
    } else if (pushed) this.#preroll = [...this.#preroll, frame].slice(-PREROLL_FRAMES);
  }

  /** Begins anew. @param {Mode} mode */
  reset(mode) {
    this.#mode = mode;
    this.#preroll = [];
    this.#tail = 0;
    this.#talking = this.#muted = false;
  }

  /** The button was pressed: what is said is meant for the assistant. */
  press() {
    this.#talking = true;
    this.#tail = 0;
    this.#preroll.forEach(this.#send);
    this.#preroll = [];
  }

  /** It was let go. */
  release() {
    this.#talking = false;
    this.#tail = TAIL_FRAMES;
  }

  /** @param {boolean} muted */
  set muted(muted) {
    this.#muted = muted;
    this.#tail = muted ? MUTE_SILENCE_FRAMES : 0;
  }
}

// The button to talk: held while one talks, or tapped before and after by those who cannot hold it.

/** Shorter than this, in ms, it was not held, but tapped. */
const TAP_MS = 350;

/** @typedef {"no" | "held" | "tapped"} Talking */

export class PushToTalk {
  #gate;
  #since = 0;
  /** @type {Talking} */
  now = "no";

  /** @param {MicrophoneGate} gate */
  constructor(gate) {
    this.#gate = gate;
  }

  /** @param {number} at in milliseconds */
  press(at) {
    if (this.now === "tapped") return this.#end();
    this.#since = at;
    this.now = "held";
    this.#gate.press();
  }

  /** @param {number} at in milliseconds */
  release(at) {
    if (this.now !== "held") return;
    if (at - this.#since < TAP_MS) this.now = "tapped";
    else this.#end();
  }

  #end() {
    this.now = "no";
    this.#gate.release();
  }
}

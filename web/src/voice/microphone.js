/** The microphone, the gate that decides which of its sound is sent, and the push-to-talk button's state. */

/**
 * Why there is no sound. `denied`: by the customer, or by the page that contains this frame. `none`: no device. `lost`: the
 * device was removed. `elsewhere`: another window of the same conversation uses it.
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
   * Asks the customer for permission. Rejects with a `Problem`.
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
   * Passes its sound on until it is closed.
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
    // The worklet outputs silence, but some browsers run only nodes that are connected.
    capture.connect(context.destination);
  }

  /** @param {boolean} muted whether it records only silence */
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

/** @typedef {"hands_free" | "push_to_talk"} Mode */

/** Frames that are sent from before the button was pressed, 320 ms, because people start to speak early. */
const PREROLL_FRAMES = 10;

/** Frames that are sent after the release, because sound takes time to pass through the device. */
const TAIL_FRAMES = 2;

/** Frames of silence that are sent after muting, 3 s, so that the server detects the end of the utterance. */
const MUTE_SILENCE_FRAMES = 94;

/** Decides which frames of the microphone are sent. */
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

  /** @param {(frame: ArrayBuffer) => void} send @param {() => void} onEnd everything up to the release was sent */
  constructor(send, onEnd) {
    this.#send = send;
    this.#onEnd = onEnd;
  }

  /** @param {ArrayBuffer} frame from the microphone */
  handleFrame(frame) {
    const pushed = this.#mode === "push_to_talk";
    if (pushed ? this.#talking : !this.#muted) this.#send(frame);
    else if (this.#tail > 0) {
      this.#send(frame);
      if (--this.#tail === 0 && pushed) this.#onEnd();
    } else if (pushed) this.#preroll = [...this.#preroll, frame].slice(-PREROLL_FRAMES);
  }

  /** Starts again. @param {Mode} mode */
  reset(mode) {
    this.#mode = mode;
    this.#preroll = [];
    this.#tail = 0;
    this.#talking = this.#muted = false;
  }

  /** The button was pressed. */
  press() {
    this.#talking = true;
    this.#tail = 0;
    this.#preroll.forEach(this.#send);
    this.#preroll = [];
  }

  /** The button was released. */
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

/** A shorter press, in ms, is a tap. */
const TAP_MS = 350;

/** @typedef {"no" | "held" | "tapped"} Talking */

/** The push-to-talk button: hold it while talking, or tap it before and after. */
export class PushToTalk {
  #gate;
  #since = 0;
  /** @type {Talking} */
  state = "no";

  /** @param {MicrophoneGate} gate */
  constructor(gate) {
    this.#gate = gate;
  }

  /** @param {number} at in milliseconds */
  press(at) {
    if (this.state === "tapped") return this.#end();
    this.#since = at;
    this.state = "held";
    this.#gate.press();
  }

  /** @param {number} at in milliseconds */
  release(at) {
    if (this.state !== "held") return;
    if (at - this.#since < TAP_MS) this.state = "tapped";
    else this.#end();
  }

  #end() {
    this.state = "no";
    this.#gate.release();
  }
}

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

const WISHES = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };

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
      return new Microphone(await navigator.mediaDevices.getUserMedia({ audio: WISHES }));
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

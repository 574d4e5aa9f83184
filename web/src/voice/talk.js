/** The button to talk: held while one talks, or tapped before and after by those who cannot hold it. */

/** Shorter than this, in ms, it was not held, but tapped. */
const TAP_MS = 350;

/** @typedef {"no" | "held" | "tapped"} Talking */

export class Talk {
  #gate;
  #since = 0;
  /** @type {Talking} */
  now = "no";

  /** @param {import("./gate.js").Gate} gate */
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
  letGo(at) {
    if (this.now !== "held") return;
    if (at - this.#since < TAP_MS) this.now = "tapped";
    else this.#end();
  }

  #end() {
    this.now = "no";
    this.#gate.release();
  }
}

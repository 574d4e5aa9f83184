/** How the customer wants to speak and be spoken to; this browser remembers it. */

import { Keep } from "../client/storage.js";

/** @typedef {import("./microphone.js").Mode} Mode */
/** @typedef {{mode: Mode, tempo: number}} Chosen `tempo`: 1 is usual */

/** How fast the assistant may speak. */
export const TEMPOS = [0.75, 1, 1.25, 1.5];

/** @type {Keep<Chosen>} */
const kept = new Keep("localStorage", "meanwhile:voice");

/** @returns {Chosen} */
export function chosen() {
  const { mode, tempo = 1 } = kept.read();
  return {
    mode: mode === "push_to_talk" ? mode : "hands_free",
    tempo: TEMPOS.includes(tempo) ? tempo : 1,
  };
}

/** @param {Partial<Chosen>} choice from now on, and the next time */
export function choose(choice) {
  kept.write(choice);
}
